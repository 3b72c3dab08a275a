#!/usr/bin/env bash
# Checks the rules of the Arduino library specification that this repository must keep, for
# machines without arduino-lint (the step arduino-lint runs the real one if it is on PATH).
# The codes in brackets are arduino-lint's groups: LP library.properties, LS structure, LK
# keywords.
#
# usage: tests/arduino/check-layout.sh [REPOSITORY]
set -euo pipefail
cd "${1:-$(dirname "$0")/../..}"

passed=0 failed=0
# verdict WHAT COMMAND...: the command must succeed.
verdict() {
    local what=$1
    shift
    if "$@" >/dev/null 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "arduino-layout: $what" >&2
    fi
}
matches() { grep -qE "$1" <<<"$2"; }
differs() { ! matches "$@"; }
field() { sed -n "s/^$1=//p" "$properties"; }
tracked() { git ls-files --cached --others --exclude-standard -- "$@"; }
nothing() { [ -z "$1" ]; }

# The rules for the library in folder $1 of the repository.
library_rules() {
    local library=$1 known key header folder name sketches=0 includes
    local properties=$library/library.properties

    # [LP] Every line is key=value with a known key, and no key appears twice.
    known='name|version|author|maintainer|sentence|paragraph|category|url|architectures|depends|includes|license|dot_a_linkage'
    verdict "a line of library.properties is not KEY=VALUE with a known key" \
        nothing "$(grep -vE "^($known)=." "$properties" || true)"
    verdict "a key appears twice in library.properties" \
        nothing "$(cut -d = -f 1 "$properties" | sort | uniq -d)"
    for key in name version author maintainer sentence paragraph category url architectures; do
        verdict "library.properties lacks $key" matches '.' "$(field $key)"
    done
    verdict "name has a character that is not allowed, or more than 63" \
        matches '^[A-Za-z0-9][A-Za-z0-9 _.-]{0,62}$' "$(field name)"
    verdict "name must not begin with Arduino or contain \"library\"" \
        differs '^[Aa]rduino|[Ll]ibrary' "$(field name)"
    verdict "version is not MAJOR.MINOR.PATCH" matches '^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?$' "$(field version)"
    verdict "category is not one of the nine" \
        matches '^(Display|Communication|Signal Input/Output|Sensors|Device Control|Timing|Data Storage|Data Processing|Other)$' "$(field category)"
    verdict "url is not http(s)" matches '^https?://[^ ]+$' "$(field url)"
    verdict "architectures is not a comma-separated list of names" matches '^(\*|[a-z0-9_]+)(,(\*|[a-z0-9_]+))*$' "$(field architectures)"
    verdict "sentence is longer than a line, or repeats the paragraph's start" \
        test "$(field sentence | wc -c)" -le 120
    verdict "paragraph repeats the sentence" differs "^$(field sentence | sed 's/[.*]/\\&/g')" "$(field paragraph)"
    IFS=, read -r -a includes <<<"$(field includes)"
    for header in "${includes[@]}"; do
        verdict "includes names $header, which is not in src/" test -f "$library/src/$header"
    done

    # [LS] Structure.
    verdict "$library/src/ is missing" test -d "$library/src"
    verdict "a sketch, source or header is in the root beside src/" \
        nothing "$(tracked ":(glob)$library"/*.{ino,pde,c,cpp,h})"
    verdict "utility/ is not allowed beside src/" test ! -e "$library/utility"
    # A sketch must link the station's interrupts only if it calls their code, and an archive keeps
    # only the last of two objects with one name.
    verdict "library.properties has no dot_a_linkage=true" test "$(field dot_a_linkage)" = true
    verdict "two sources below src/ have the same name" \
        nothing "$(tracked "$library/src" | grep -E '\.(c|cpp|S)$' | sed 's@.*/@@' | sort | uniq -d)"
    for folder in Example example Examples Extras extra Extra; do
        verdict "$folder/ is a misspelling" test ! -e "$library/$folder"
    done
    verdict "a .development file turns the library read-write" test ! -e "$library/.development"
    verdict "a readme is missing" test -s "$library/README.md"

    for folder in "$library"/examples/*/; do
        name=$(basename "$folder")
        sketches=$((sketches + 1))
        verdict "examples/$name has no $name.ino" test -s "$folder/$name.ino"
        verdict "examples/$name: a sketch's name is letters, digits, _ . - and at most 63 long" \
            matches '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$' "$name"
        verdict "examples/$name has a .pde, the old suffix" nothing "$(tracked "$folder*.pde")"
        verdict "library.json does not list examples/$name" grep -qF "\"examples/$name\"" "$library/library.json"
    done
    verdict "there is no example" test "$sketches" -gt 0

    # [LK] Keywords.
    verdict "a line of keywords.txt is not NAME, one tab, KEYWORD1, KEYWORD2 or LITERAL1" \
        nothing "$(grep -vP '^(#.*|[A-Za-z0-9_]+\t(KEYWORD[12]|LITERAL1))?$' "$library/keywords.txt" || true)"
    verdict "keywords.txt is not what tools/keywords.sh writes" \
        test "$(cat "$library/keywords.txt")" = "$(tools/keywords.sh "$library")"
}

for library in . station; do
    library_rules "$library"
done

verdict "a submodule would be empty in an installation" test ! -e .gitmodules
verdict "a symbolic link is not installed" nothing "$(git ls-files --stage | grep '^120000' || true)"
verdict "an .exe is not accepted" nothing "$(tracked '*.exe')"
verdict "a licence is missing" test -s LICENSE-MIT
verdict "src/ names a part of the station" nothing "$(grep -rn 'selo_station' src || true)"

echo "arduino-layout: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
