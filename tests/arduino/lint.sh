#!/usr/bin/env bash
# Runs Arduino's own linter over the files that a user would install: the tracked files,
# without build output.
#
# usage: tests/arduino/lint.sh      (arduino-lint on PATH)
set -euo pipefail
cd "$(dirname "$0")/../.."
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
# The linter also checks the folder's name.
mkdir "$copy/Selo"
git ls-files -z --cached --others --exclude-standard | xargs -0 sh -c 'for f; do [ ! -f "$f" ] || printf "%s\0" "$f"; done' sh |
    tar --null --files-from=- -cf - | tar -xf - -C "$copy/Selo"
arduino-lint --compliance specification --library-manager submit --project-type library "$copy/Selo"
