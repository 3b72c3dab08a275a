# The targets for users. Only setup, demo and test install missing packages (tools/setup.sh). The
# work is done by cargo, by the Makefiles of the parts, and by the scripts in tools/.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup setup-site setup-lab build build-site build-lab sims rtl install install-lab
.PHONY: demo demo-cluster test test-all check lint docs fuzz clean

# `make test-c`, `make test-rust`, ...: one target for each group of tools/test-steps.txt.
groups := $(shell sed -n 's/^\([a-z][a-z]*\) *|.*/\1/p' tools/test-steps.txt | sort -u)
.PHONY: $(groups:%=test-%)

help: ## show this list
	@sed -n 's/^\([a-z][a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | \
		while IFS='|' read -r target text; do printf '  make %-14s %s\n' "$$target" "$$text"; done
	@printf '  make test-X         one group of the tests: %s\n' "$(strip $(groups))"

setup: setup-site setup-lab ## install all that is missing (Debian packages; root or sudo)

setup-site: ## the same, for what is deployed only: no cross-compiler
	@tools/setup.sh site
	@tools/npm-ci.sh site/web

setup-lab: ## the same, for the laboratory: cross-compilers, simulators, tests' programs
	@tools/setup.sh lab
	@tools/npm-ci.sh lab/sims/avr8js

build: build-site build-lab ## compile both commands and the simulators' runners

build-site: ## compile the command `selo`
	@. tools/env.sh && selo_find_rust && tools/fast-link.sh cargo build --release --locked -p selo

build-lab: sims ## compile the command `selo-lab` and the simulators' runners
	@. tools/env.sh && selo_find_rust && tools/fast-link.sh cargo build --release --locked -p selo-lab -p selo-exchange

sims: ## compile the simulators' runners alone
	@$(MAKE) --no-print-directory -s -C lab/sims/simavr OUT=$(CURDIR)/target/sims
	@$(MAKE) --no-print-directory -s -C lab/sims/qemu OUT=$(CURDIR)/target/sims

# A core takes a minute to compile, and another two to compare. Its sources are fetched once.
RTL_BOARDS ?= all
rtl: ## compile the simulated cores (Verilator) and compare them; boards by RTL_BOARDS
	@lab/sims/rtl/build.py $(RTL_BOARDS)
	@lab/sims/rtl/gate.py $(RTL_BOARDS)

# DESTDIR is for packages. An existing /etc/selo/selo.toml stays unchanged.
PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
UNITDIR ?= /lib/systemd/system
SYSUSERSDIR ?= /lib/sysusers.d
SELO ?= target/release/selo
SELO_LAB ?= target/release/selo-lab
share = $(DESTDIR)$(PREFIX)/share

install: ## install what `make build-site` made: command, units, completions, manual pages (PREFIX, DESTDIR)
	@install -D -m 0755 $(SELO) $(DESTDIR)$(PREFIX)/bin/selo
	@for unit in site/packaging/systemd/*.service; do \
		sed 's|@BINDIR@|$(PREFIX)/bin|' $$unit | \
			install -D -m 0644 /dev/stdin $(DESTDIR)$(UNITDIR)/$$(basename $$unit); done
	@install -D -m 0644 site/packaging/sysusers.d/selo.conf $(DESTDIR)$(SYSUSERSDIR)/selo.conf
	@[ -e $(DESTDIR)$(SYSCONFDIR)/selo/selo.toml ] || \
		{ install -d $(DESTDIR)$(SYSCONFDIR)/selo && $(SELO) config init $(DESTDIR)$(SYSCONFDIR)/selo/selo.toml; }
	@install -d $(share)/man/man1 $(share)/bash-completion/completions \
		$(share)/zsh/vendor-completions $(share)/fish/vendor_completions.d
	@$(SELO) man $(share)/man/man1
	@$(SELO) completions bash > $(share)/bash-completion/completions/selo
	@$(SELO) completions zsh > $(share)/zsh/vendor-completions/_selo
	@$(SELO) completions fish > $(share)/fish/vendor_completions.d/selo.fish

install-lab: ## install what `make build-lab` made: command, completions, manual pages
	@install -D -m 0755 $(SELO_LAB) $(DESTDIR)$(PREFIX)/bin/selo-lab
	@install -d $(share)/man/man1 $(share)/bash-completion/completions \
		$(share)/zsh/vendor-completions $(share)/fish/vendor_completions.d
	@$(SELO_LAB) man $(share)/man/man1
	@$(SELO_LAB) completions bash > $(share)/bash-completion/completions/selo-lab
	@$(SELO_LAB) completions zsh > $(share)/zsh/vendor-completions/_selo-lab
	@$(SELO_LAB) completions fish > $(share)/fish/vendor_completions.d/selo-lab.fish

demo: setup ## measure the simulated Uno and this PC, compare with the papers, write the report
	@tools/demo.sh

# make demo-cluster DEMO="--nodes 50 --faults 20 --seed 7"
demo-cluster: ## kill, pause, restart and cut off the parts of a site of many processes, and count its readings
	@tools/demo-cluster.sh $(DEMO)

test: setup ## all that guards a release; ends with "N passed, N failed"
	@tools/test.sh

test-all: setup ## the same, and what takes long: whole vector sets, all boards, fuzzing
	@TEST_STEPS="tools/test-steps.txt tools/test-all-steps.txt" STEP_SECONDS=7200 tools/test.sh

check: ## what a change needs: style, clippy, quick tests of the parts that changed
	@tools/check.sh

fuzz: ## fuzz the parsers for FUZZ_SECONDS (60) a target; finds stay in the corpus
	@tools/fuzz.sh --seconds $(or $(FUZZ_SECONDS),60)

docs: ## make the documentation's site, out/docs/index.html (mkdocs; make setup-lab)
	@tools/docs.sh

lint: test-lint ## run the checks of style and of the tree only

$(groups:%=test-%): test-%:
	@tools/test.sh $*

clean: ## remove what was built (target/, out/, node_modules)
	@rm -rf target out lab/sims/*/node_modules site/web/node_modules site/web/tests/node_modules
