#!/usr/bin/env bash
# The tests of the workspace, in several processes at a time (cargo-nextest), and the examples
# in its documentation. Nothing is retried (.config/nextest.toml).
#
# usage: tools/rust-tests.sh [OPTION OF nextest]...
# environment: RUST_TESTS  what runs them in place of cargo-nextest
set -uo pipefail
cd "$(dirname "$0")/.."

if [ -n "${RUST_TESTS:-}" ]; then
    run=("$RUST_TESTS")
elif nextest=$(tools/nextest.sh); then
    run=("$nextest" nextest run --workspace --locked)
else
    echo "rust-tests: going on with cargo test, which runs one program at a time" >&2
    run=(cargo test --workspace --locked --no-fail-fast)
fi
exec tools/fast-link.sh "${run[@]}" "$@"
