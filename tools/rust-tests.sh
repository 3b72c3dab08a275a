#!/usr/bin/env bash
# Runs the workspace's tests, several processes at a time (cargo-nextest), and the examples in its
# documentation. Nothing is retried (.config/nextest.toml).
#
# usage: tools/rust-tests.sh [OPTION OF nextest]...
# environment: RUST_TESTS  the command to run instead of cargo-nextest
set -uo pipefail
cd "$(dirname "$0")/.."

. tools/env.sh
if [ -n "${RUST_TESTS:-}" ]; then
    exec "$RUST_TESTS" "$@"
fi
# Only the build uses the fast linker. In the tests it would replace cross-linkers too.
tools/fast-link.sh cargo test --workspace --locked --no-run || exit
# Many tests compile the same sources, each in a folder of its own.
selo_cache_compilers
if nextest=$(tools/nextest.sh); then
    status=0
    "$nextest" nextest run --workspace --locked "$@" || status=$?
    # nextest leaves the examples in the documentation to cargo.
    if [ $# -eq 0 ]; then
        tools/fast-link.sh cargo test --workspace --doc --locked --quiet || status=$?
    fi
    exit "$status"
fi
echo "rust-tests: going on with cargo test, which runs one program at a time" >&2
exec cargo test --workspace --locked --no-fail-fast "$@"
