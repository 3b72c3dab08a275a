#!/usr/bin/env bash
# Compiles all tests and commands as tools/test.sh does, so that its build finds them done, with what
# an earlier clone built of the registry's packages (tools/rust-cache.sh). Does nothing without a
# suitable Rust.
#
# usage: tools/rust-build.sh
set -uo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
selo_find_rust || exit 0
selo_build_for_tests
selo_cache_compilers
tools/rust-cache.sh restore
tools/fast-link.sh cargo test --workspace --locked --no-run || exit
tools/rust-cache.sh save
