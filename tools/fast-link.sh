#!/usr/bin/env bash
# Runs a cargo command with the linker mold, if it is installed. The tests are about eighty
# programs, and linking them with the usual linker takes minutes.
#
# usage: tools/fast-link.sh COMMAND...
if command -v mold >/dev/null 2>&1; then
    exec mold -run "$@"
fi
exec "$@"
