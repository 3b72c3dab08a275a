#!/usr/bin/env bash
# Arduino's own linter over what a user would install: the tracked files, because
# build output is not part of the library.
#
# usage: tests/arduino/lint.sh      (arduino-lint on PATH)
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# The folder's name is part of what is checked.
mkdir "$copy/Selo"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh |
    tar --null --files-from=- -cf - | tar -xf - -C "$copy/Selo"
arduino-lint --compliance specification --library-manager submit --project-type library "$copy/Selo"
