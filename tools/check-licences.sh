#!/usr/bin/env bash
# Checks the licences of the programs under lab/sims/, which link GPL simulators: every
# source file there names GPL-3.0-or-later, the folder has the licence text, and no file
# outside includes a simulator's header or links its library.
#
# usage: tools/check-licences.sh [REPOSITORY]
set -euo pipefail
. "$(dirname "$0")/verdict.sh"
cd "${1:-$(dirname "$0")/..}"

for licence in LICENSE-MIT LICENSE-APACHE; do
    verdict "$licence" "$([ -s "$licence" ] || echo "missing")"
done

# JSON has no comments. package.json has the licence in a field, and lock files are generated.
while read -r file; do
    case $file in
    */LICENSE* | */COPYING* | */package-lock.json | */.gitignore | */.npmrc | *.md) continue ;;
    */package.json) want='"license": "GPL-3.0-or-later"' ;;
    *) want='SPDX-License-Identifier: GPL-3.0-or-later' ;;
    esac
    verdict "$file" "$(grep -qF "$want" "$file" || echo "no line $want")"
done < <(git ls-files --cached --others --exclude-standard -- lab/sims)

outside=$(git grep --untracked -nE '#include [<"]sim(avr/|_avr)|-l[s]imavr' -- . ':!lab/sims' ':!tests/tools' || true)
verdict "a simulator is used outside lab/sims/" "$outside"

echo "licences: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
