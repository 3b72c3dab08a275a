#!/usr/bin/env bash
# Tests that the tree's checks can fail: plants faults in a copy of the tree, and expects the
# check for each fault to name it. Also tests the step runner, with steps that pass, fail,
# hang and lack a tool.
#
# usage: tests/tools/test-checks.sh
# environment: SELO_TEST_ALL  1: also the faults of the documentation's build, which is slow, and
#                            the checks without a fault
set -uo pipefail
cd "$(dirname "$0")/../.."
# The runner under test has its own number of steps at a time.
unset LANES
root=$PWD
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

passed=0 failed=0
verdict() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2" >&2
        [ -z "${3:-}" ] || sed 's/^/    | /' <<<"$3" >&2
    fi
}

# The copy has all files except the vectors' data, which no check reads. It is a repository of its
# own, because the checks ask git for the list of files.
{
    git ls-files -z --cached --others --exclude-standard -- . ':!lab/vectors/*/*'
    git ls-files -z -- 'lab/vectors/*/README.md'
} |
    while IFS= read -r -d '' file; do [ ! -f "$file" ] || printf '%s\0' "$file"; done |
    tar --null --files-from=- -cf - | tar -xf - -C "$copy"
git -C "$copy" init -q
git -C "$copy" add -A
keep() { git -C "$copy" -c user.name=test -c user.email=test@example.org commit -qm copy; }
keep

restore() {
    git -C "$copy" reset -q --hard
    git -C "$copy" clean -qfdx
}

# fault CHECK MESSAGE COMMAND [MESSAGE COMMAND]...: runs each COMMAND in the copy to plant a fault.
# CHECK must then fail, with each MESSAGE in its output. Slow checks get several faults in one run.
fault() {
    local check=$1 output status messages=() message
    shift
    while [ $# -gt 0 ]; do
        messages+=("$1")
        (cd "$copy" && eval "$2") || { verdict 1 "could not plant: $2"; return; }
        shift 2
    done
    output=$("$copy/$check" 2>&1)
    status=$?
    for message in "${messages[@]}"; do
        if [ "$status" -ne 0 ] && grep -qF -- "$message" <<<"$output"; then
            verdict 0
        else
            verdict 1 "$check did not say \"$message\"" "$output"
        fi
    done
    restore
}

everything() { [ "${SELO_TEST_ALL:-0}" = 1 ]; }

# A fault proves nothing if the check fails without it. Steps of `make test` run these checks too.
if everything; then
    for check in tools/check-tree.sh tools/check-licences.sh tools/check-citations.sh tools/check-streets.sh tests/arduino/check-layout.sh; do
        output=$("$copy/$check" 2>&1)
        verdict $? "$check fails on the tree as it is" "$output"
    done
fi

h=home r=root
fault tools/check-tree.sh \
    "somebody's machine" "echo '/* see /$h/ana/selo */' >>src/selo.h" \
    "Cargo.toml:" "echo 'out = \"/$r/selo\"' >>Cargo.toml" \
    "a package registry" "printf '\"https://registry.%s.org/x\"\n' npmjs >new.json" \
    "a leftover marker" "printf '/* %s: later */\n' TO''DO >>src/selo.h" \
    "no lint reads" "printf '#[cfg(%s(test))]\nfn quiet() {}\n' not >>base/src/lib.rs" \
    "version of library.properties" "sed -i 's/^version=.*/version=9.9.9/' library.properties" \
    "version of station/library.properties" "sed -i 's/^version=.*/version=9.9.9/' station/library.properties" \
    "version of station/library.json" "sed -i 's/\"version\": \".*\"/\"version\": \"9.9.9\"/' station/library.json" \
    "version of library.json" "sed -i 's/\"version\": \".*\"/\"version\": \"9.9.9\"/' library.json" \
    "version of idf_component.yml" "sed -i 's/^version: .*/version: \"9.9.9\"/' idf_component.yml"
fault tools/check-tree.sh "version of Cargo.toml" "sed -i 's/^version = .*/version = \"9.9.9\"/' Cargo.toml"
fault tools/check-tree.sh "does not parse" "echo 'if true; then' >tools/broken.sh"

fault tools/check-licences.sh "lab/sims/new.c" "mkdir -p lab/sims; echo 'int x;' >lab/sims/new.c"
fault tools/check-licences.sh "lab/sims/p/package.json" "mkdir -p lab/sims/p; echo '{\"license\": \"MIT\"}' >lab/sims/p/package.json"
fault tools/check-licences.sh "used outside lab/sims/" "mkdir -p site/x; echo '#include <simavr/sim_avr.h>' >site/x/y.c"
fault tools/check-licences.sh "LICENSE-MIT" "rm LICENSE-MIT"

fault tools/check-citations.sh \
    "src/selo.h:1: [FIPS999]" "sed -i '1i /* see [FIPS''999, 1.2] */' src/selo.h" \
    "[smith2019]" "echo '# as in [smith''2019]' >new.toml" \
    "[NOSUCH]" "echo '/* [NOSU''CH, 3] */' >src/new.h" \
    "NEVERUSED1 is used nowhere" "sed -i 's/^| FIPS197 |/| NEVERUSED''1 | x |\n&/' docs/BIBLIOGRAPHY.md" \
    "FIPS197 is listed twice" "sed -i 's/^| FIPS197 |.*/&\n&/' docs/BIBLIOGRAPHY.md"

fault tools/check-streets.sh \
    "links selo-engine, against" "sed -i 's/^selo-base.*/&\nselo-engine.workspace = true/' site/collector/Cargo.toml" \
    "the measured image" "echo '#include \"selo_station.h\"' >>lab/firmware/agent/agent.c" \
    "base: crate::report, crate::units" \
    "sed -i '1,/^use /s/^use /use crate::units;\n&/' base/src/report.rs && echo 'fn far() { crate::units::x(); }' >>base/src/report.rs && echo 'fn near() { crate::report::y(); }' >>base/src/units.rs"

fault tools/check-streets.sh "links selo-gateway" "printf '[dependencies]\nselo-gateway = \"1\"\n' >base/Cargo.toml"

fault tools/check-links.py \
    "no-such-page.md: there is no such file" "echo '[x](no-such-page.md)' >>README.md" \
    "no-such-picture.png: there is no such file" "echo '<img src=\"no-such-picture.png\">' >>README.md" \
    "README.md#no-such-part: the page has no such heading" "echo '[x](README.md#no-such-part)' >>ARCHITECTURE.md"
fault tools/check-translations.py "is not the block of line" "sed -i 's/^selo up/selo  up/' docs/pt-BR/operator/README.md"
if everything && command -v mkdocs >/dev/null; then
    fault tools/docs.sh \
        "the page has no such anchor" "echo '<a href=\"#no-such-part\">x</a>' >>README.md" \
        "loads a file of another host" "echo '<img src=\"https://example.org/x.png\">' >>README.md"
    fault tools/docs.sh "no-such-page" "echo '[x](no-such-page.md)' >>README.md"
fi

dependencies=tools/check-dependencies.py
fault $dependencies "is 1.86, but" "sed -i 's/^rust-version = .*/rust-version = \"1.86\"/' Cargo.toml"
fault $dependencies "no rust-version" "sed -i '/^rust-version = /d' Cargo.toml; sed -i '/^rust-version.workspace/d' base/Cargo.toml {base,site,lab,studies,fuzz}/*/Cargo.toml"
fault $dependencies "the licence 'MIT' is not allowed" "sed -i 's/\"MIT\", //' deny.toml"
fault $dependencies "MPL-2.0" "sed -i '/\"axe-core\":/d' tools/dependencies.json"
fault $dependencies "rustls-pemfile: unmaintained (RUSTSEC-2025-0134)" "sed -i '/^    \"rustls-pemfile\": \"rumqttc/d' tools/dependencies.json"
fault $dependencies "atty: kept by" "sed -i 's/^  \"kept\": {/&\n    \"atty\": \"a reason\",/' tools/dependencies.json"
fault $dependencies "no checksum" "sed -i '0,/\"integrity\":/s//\"was\":/' site/web/package-lock.json"

limits=site/packaging/check-limits.py
fault $limits \
    "selo-broker: MemoryMax" "sed -i '/^MemoryMax=/d' site/packaging/systemd/selo-broker.service" \
    "selo: TasksMax" "sed -i 's/^TasksMax=.*/TasksMax=infinity/' site/packaging/systemd/selo.service" \
    "selo-collector: LimitNOFILE" "sed -i '/^LimitNOFILE=/d' site/packaging/systemd/selo-collector.service" \
    "selo-gateway: MemoryHigh is not below" "sed -i 's/^MemoryHigh=.*/MemoryHigh=256M/' site/packaging/systemd/selo-gateway.service" \
    "selo-gateway: MemorySwapMax is not 0" "sed -i '/^MemorySwapMax=/d' site/packaging/systemd/selo-gateway.service" \
    "gateway has no mem_limit" "sed -i '/^    mem_limit: 256m/d' site/packaging/compose.yaml" \
    "pids_limit of collector differs from" "sed -i 's/^    pids_limit: 128/    pids_limit: 129/' site/packaging/compose.yaml"

layout=tests/arduino/check-layout.sh
fault $layout "lacks sentence" "sed -i '/^sentence=/d' library.properties"
fault $layout "with a known key" "echo 'colour=red' >>library.properties"
fault $layout "appears twice" "echo 'name=Other' >>library.properties"
fault $layout "must not begin with Arduino" "sed -i 's/^name=.*/name=Arduino Selo/' library.properties"
fault $layout "MAJOR.MINOR.PATCH" "sed -i 's/^version=.*/version=1/' library.properties"
fault $layout "not one of the nine" "sed -i 's/^category=.*/category=Security/' library.properties"
fault $layout "url is not" "sed -i 's/^url=.*/url=selo/' library.properties"
fault $layout "includes names none.h" "sed -i 's/^includes=.*/includes=none.h/' library.properties"
fault $layout "has no dot_a_linkage" "sed -i '/^dot_a_linkage=/d' library.properties"
fault $layout \
    "have the same name" "cp src/selo/link/node.c src/selo/noise/node.c" \
    "is in the root" "echo 'int x;' >loose.c" \
    "a symbolic link" "ln -s README.md link.md && git add link.md" \
    "examples/Wrong has no Wrong.ino" "mkdir examples/Wrong && echo '//' >examples/Wrong/other.ino" \
    "does not list examples/New" "mkdir examples/New && echo '//' >examples/New/New.ino" \
    "names a part of the station" "echo '#include \"selo_station/clock.h\"' >>src/selo/link/node.c"
fault $layout "station/src/ is missing" "git rm -qr station/src"
fault $layout \
    "one tab" "sed -i 's/\tKEYWORD1/  KEYWORD1/' keywords.txt" \
    "not what tools/keywords.sh writes" "sed -i 's/^void selo_wipe(.*/&\nvoid selo_new_function(void);/' src/selo.h"

# The step runner. CI reads its last line and its exit status.
# run_steps EXPECTED_STATUS EXPECTED_LAST_LINE STEPS [ENVIRONMENT]...
run_steps() {
    local want_status=$1 want_line=$2 steps=$3 output status
    shift 3
    printf '%s\n' "$steps" >"$copy/steps.txt"
    output=$(env CI= TEST_STEPS="$copy/steps.txt" "$@" "$copy/tools/test.sh" 2>&1)
    status=$?
    if [ "$status" = "$want_status" ] && [ "$(tail -n 1 <<<"$output")" = "$want_line" ]; then
        verdict 0
    else
        verdict 1 "steps: wanted status $want_status and \"$want_line\", got $status" "$output"
    fi
}
run_steps 0 "1 passed, 0 failed" 'g | a | sh | true'
run_steps 1 "0 passed, 1 failed" 'g | a | sh | false'
run_steps 1 "1 passed, 1 failed" $'g | a | sh | false\ng | b | sh | true'
run_steps 0 "7 passed, 0 failed, 2 skipped" 'g | a | sh | echo "x: 7 passed, 0 failed, 2 skipped"'
run_steps 1 "3 passed, 1 failed" 'g | a | sh | echo "3 passed, 1 failed"'
run_steps 0 "9 passed, 0 failed, 1 skipped" \
    'g | a | sh | for n in 4 5; do echo "test result: ok. $n passed; 0 failed; $((n - 4)) ignored; 0 measured"; done'
run_steps 1 "6 passed, 2 failed" 'g | a | sh | printf "# pass 6\n# fail 2\n"; false'
run_steps 1 "5 passed, 1 failed" 'g | a | sh | echo "5 passed, 0 failed"; exit 3'
run_steps 1 "0 passed, 1 failed" 'g | a | sh | sleep 5' STEP_SECONDS=1
run_steps 0 "1 passed, 0 failed, 1 skipped" $'g | a | no-such-tool | true\ng | b | sh | true'
run_steps 1 "1 passed, 1 failed" $'g | a | no-such-tool | true\ng | b | sh | true' CI=true
run_steps 0 "1 passed, 0 failed, 1 skipped" $'g | a | ?no-such-tool | true\ng | b | sh | true' CI=true
# Two groups run side by side, the steps of one group in order, and a step with @ runs after the
# named step.
run_steps 0 "2 passed, 0 failed" $'g | a | | for i in {1..50}; do [ -e b.mark ] && exit; sleep 0.1; done; exit 1\nh | b | | touch b.mark'
run_steps 0 "3 passed, 0 failed" $'g | a | | sleep 1; touch a.mark\ng | b | | [ -e a.mark ]\nh | c | @b | [ -e a.mark ]'
run_steps 1 "1 passed, 2 failed" $'g | a | @b | true\ng | b | | true\nh | c | | true' LANES=1
run_steps 0 "1 passed, 0 failed" 'g | a | @b | true'
rm -f "$copy"/*.mark
# named WANT STEP: the runner prints the line WANT after the last step.
named() {
    local output
    printf 'g | a | sh | %s\n' "$2" >"$copy/steps.txt"
    output=$(env CI=true TEST_STEPS="$copy/steps.txt" "$copy/tools/test.sh" 2>&1 | sed -n '/^failed: a$/,$p')
    grep -qxF -- "    | $1" <<<"$output"
    verdict $? "the end of a run does not say \"$1\"" "$output"
}
# Output of cargo test, followed by more lines than the runner shows of a step's end.
rust='echo "test a::b ... FAILED"; echo "thread 1 panicked at x.rs:7:1:"; echo "left: 3"; seq 99; false'
named 'test a::b ... FAILED' "$rust"
named "thread 1 panicked at x.rs:7:1:" "$rust"
named '  left: 3' "$rust"
named 'FAILED: a page is blue' 'echo "FAILED: a page is blue"; echo "    it is red"; seq 99; false'
named '      it is red' 'echo "FAILED: a page is blue"; echo "    it is red"; seq 99; false'
named 'some last line' 'seq 99; echo "some last line"; false'

# cargo_says SCRIPT: runs tools/rust-tests.sh with a substitute for cargo-nextest.
cargo_says() {
    printf '#!/bin/bash\n%s\n' "$1" >"$copy/cargo.sh"
    chmod +x "$copy/cargo.sh"
    printf 'g | rust | | RUST_TESTS=%s tools/rust-tests.sh\n' "$copy/cargo.sh" >"$copy/steps.txt"
    output=$(TEST_STEPS="$copy/steps.txt" "$copy/tools/test.sh" 2>&1)
    status=$?
}
says() {
    [ "$status" -eq "$1" ] && [ "$(tail -n 1 <<<"$output")" = "$2" ] && grep -qF -- "$3" <<<"$output"
    verdict $? "rust-tests: wanted status $1, \"$2\" and \"$3\", got $status" "$output"
}
cargo_says 'echo "     Summary [   9.5s] 6 tests run: 6 passed (1 slow), 2 skipped"'
says 0 "6 passed, 0 failed, 2 skipped" "rust"
cargo_says 'echo "        FAIL [   0.005s] (2/6) x::y a::b"
echo "    thread '"'a::b'"' (7) panicked at x.rs:7:1:"; echo "    left: 3"
echo "     Summary [   9.5s] 6 tests run: 4 passed, 1 failed, 1 timed out, 0 skipped"; exit 100'
says 1 "4 passed, 2 failed" "    | FAIL [   0.005s] (2/6) x::y a::b"
says 1 "4 passed, 2 failed" "x.rs:7:1:"
cargo_says 'echo "error: process did not exit successfully (signal: 11)"; exit 101'
says 1 "0 passed, 1 failed" "signal: 11"
output=$(TEST_STEPS="$root/tools/test-steps.txt" "$copy/tools/test.sh" no-such-step 2>&1)
[ $? -eq 2 ] && grep -q 'hint:' <<<"$output"
verdict $? "an unknown step is refused" "$output"

# kernels STATUS WANT FLAG...: a baseline of two cores and of a setting with "=" in its name, and
# the figures of m4 alone, with CYCLES of its second kernel.
cat >"$copy/bench/baseline/test.json" <<'END'
{
  "m0 step": {"cycles": 9, "portable_cycles": 12},
  "m4 step": {"cycles": 7, "portable_cycles": 11},
  "m4 step,-DSMALL=1": {"cycles": 8, "portable_cycles": 11}
}
END
kernels() {
    local status=$1 want=$2 output
    shift 2
    printf 'm4 step cycles=7 in C: cycles=11\nm4 step,-DSMALL=1 cycles=%s in C: cycles=11\n' "$cycles" >"$copy/kernels.txt"
    output=$("$copy/tools/baseline.py" --check --kernels "$copy/kernels.txt" --baseline test "$@")
    [ $? -eq "$status" ] && grep -qF -- "$want" <<<"$output"
    verdict $? "baseline: wanted status $status and \"$want\"" "$output"
}
cycles=8
kernels 0 "2 passed, 0 failed" --algorithm m4
kernels 1 "m0 step: no cycles was measured" --algorithm m0,m4
cycles=10
kernels 1 "m4 step,-DSMALL=1: cycles 10, more than 8" --algorithm m4
rm -f "$copy/kernels.txt" "$copy/bench/baseline/test.json"

echo "checks: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
