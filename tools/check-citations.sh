#!/usr/bin/env bash
# Checks that every citation in a comment or a guide, [FIPS197, 5.1.1], names a key of
# docs/BIBLIOGRAPHY.md, and that every key there is cited, except those under
# "Background".
#
# A citation is a key in brackets, alone or followed by a comma and a place. A key that
# no table lists is recognised by its shape: capitals with a digit (RFC9999), a name with
# a year (smith2019), or, in a comment and before a comma, a word in capitals.
#
# usage: tools/check-citations.sh [REPOSITORY]
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"
bibliography=docs/BIBLIOGRAPHY.md

# The key and the section of every entry.
entries=$(awk -F'|' '
    /^## / { background = ($0 == "## Background") ? "background" : "-" }
    /^\| / && $2 !~ /^ key $/ { gsub(/ /, "", $2); print $2, background }
' "$bibliography")
keys=$(cut -d ' ' -f 1 <<<"$entries")

duplicates=$(sort <<<"$keys" | uniq -d)
failed=0 passed=0
for key in $duplicates; do
    echo "$bibliography: $key is listed twice" >&2
    failed=$((failed + 1))
done

mapfile -t files < <(git ls-files --cached --others --exclude-standard -- \
    '*.c' '*.h' '*.S' '*.rs' '*.ino' '*.mjs' '*.js' '*.sh' '*.toml' '*.md' ':!tests/tools' |
    grep -v -x -F "$bibliography" | while read -r file; do [ ! -f "$file" ] || echo "$file"; done)

# Prints file:line:[KEY for everything that looks like a citation. An array index follows a name
# without a space, unlike a citation; [!NOTE] and links [text](...) have another shape.
citations=$(grep -nHoP '(?<![\w\]\)])\[([A-Z][A-Z0-9.-]*[0-9][A-Z0-9.-]*|[a-z]+(-[a-z]+)*(19|20)[0-9]{2})(?=\]|, )' "${files[@]}" || true)
words=$(grep -nHP '^\s*(//|/\*|\*|#|;)' "${files[@]}" | grep -oP '^[^:]+:[0-9]+:|(?<![\w\]\)])\[[A-Z]{4,}(?=, )' |
    awk '/:$/ { place = $0; next } { print place $0 }' || true)

known=" $(tr '\n' ' ' <<<"$keys")"
while IFS= read -r citation; do
    [ -n "$citation" ] || continue
    key=${citation##*\[}
    case $known in
    *" $key "*) passed=$((passed + 1)) ;;
    *)
        echo "${citation%:\[*}: [$key] is not in $bibliography" >&2
        failed=$((failed + 1))
        ;;
    esac
done <<<"$citations"$'\n'"$words"

while read -r key section; do
    if [ "$section" = background ]; then
        continue
    fi
    if grep -qwiF -- "$key" "${files[@]}"; then
        passed=$((passed + 1))
    else
        echo "$bibliography: $key is used nowhere (move it to Background, or remove it)" >&2
        failed=$((failed + 1))
    fi
done <<<"$entries"

echo "citations: $passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
