#!/usr/bin/env bash
# Runs a command of cargo with the linker mold where it is installed: the tests are some
# eighty programs, and linking them with the usual one takes minutes.
#
# usage: tools/fast-link.sh COMMAND...
if command -v mold >/dev/null 2>&1; then
    exec mold -run "$@"
fi
exec "$@"
