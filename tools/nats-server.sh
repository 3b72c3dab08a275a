#!/usr/bin/env bash
# Prints the path of a nats-server that keeps copies of a stream on several servers (2.10 or later): the
# installed one, or a pinned version that Go compiles from its published source into $SELO_TOOLS
# (default: ~/.cache/selo/tools, outside the clone). Debian 12 has 2.9.10.
#
# usage: tools/nats-server.sh
# exit: 0 the path is printed; 1 there is none, with the reason on stderr
set -euo pipefail
cd "$(dirname "$0")/.."
. tools/env.sh
least=2.10
version=2.14.8

installed=$(PATH=$PATH:/usr/sbin command -v nats-server || true)
if [ -n "$installed" ] && selo_version_at_least "$("$installed" --version | sed 's/.*v//')" "$least"; then
    echo "$installed"
    exit 0
fi
folder=$selo_tools/nats-server-$version
if [ ! -x "$folder/nats-server" ]; then
    if ! command -v go >/dev/null 2>&1; then
        echo "nats-server: none of version $least or later, and no Go to compile one" >&2
        exit 1
    fi
    mkdir -p "$folder"
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    echo "nats-server: compiling version $version with Go, once" >&2
    # Go checks the source against its database of digests.
    if ! GOBIN=$folder go install "github.com/nats-io/nats-server/v2@v$version" >"$log" 2>&1; then
        tail -n 5 "$log" >&2
        echo "nats-server: version $version could not be compiled" >&2
        exit 1
    fi
fi
echo "$folder/nats-server"
