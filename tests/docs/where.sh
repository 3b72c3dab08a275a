#!/usr/bin/env bash
# Tests docs/contributor/where-does-it-go.md: every path, crate and step that it names exists, and
# four of its tasks work in a copy of the data: a board, a library, a paper and a codec. Each is
# then spoiled, and the command that the page names must refuse it.
#
# usage: tests/docs/where.sh
# environment: SELO_BUILT  the folder of the commands (default: target/debug)
# shellcheck disable=SC2016 # backquotes are text here
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
page=docs/contributor/where-does-it-go.md
built=$(realpath "${SELO_BUILT:-target/debug}")
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
passed=0 failed=0

# verdict STATUS TEXT: counts a check, and prints TEXT if it failed.
verdict() {
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
    fi
}

# Paths: each word in backquotes that begins with a folder of the tree. Of lab/boards/NAME.toml
# only the folder exists.
words=$(grep -o '`[^`]*`' "$page" | tr -d '`:' | tr -s '= ' '\n' | sort -u)
folders=$(git ls-files | sed -n 's|/.*||p' | sort -u | paste -sd'|')
paths=$(grep -E "^($folders)/" <<<"$words")
[ -n "$paths" ]
verdict $? "$page names no path"
for path in $paths; do
    [ -e "${path%NAME*}" ]
    verdict $? "$page: there is no $path"
done
crates=$(grep -o 'cargo test -p [a-z-]*' "$page" | sed 's/.* //' | sort -u)
for crate in $crates; do
    git grep -q "^name = \"$crate\"$" -- '*Cargo.toml'
    verdict $? "$page: there is no crate $crate"
done
steps=$(grep -o 'tools/test.sh [a-z-]*' "$page" | sed 's/.* //')
for step in $steps; do
    grep -q "| $step  *|" tools/test-steps.txt
    verdict $? "$page: there is no step $step"
done

# The page names the commands that this test runs below.
for command in 'selo lab list boards' 'selo lab check --board native --library NAME' \
    'selo lab compare NAME' 'selo codec list --codecs site/codecs'; do
    grep -qF "\`$command\`" "$page"
    verdict $? "$page does not name '$command'"
done

mkdir "$copy/lab" "$copy/studies"
cp -r lab/boards lab/libraries lab/algorithms lab/papers lab/vectors "$copy/lab"
cp -r site/codecs "$copy/codecs"
ln -s "$PWD/src" "$PWD/station" "$copy"
ln -s "$PWD/lab/firmware" "$PWD/lab/sims" "$copy/lab"
ln -s "$PWD/studies/firmware" "$copy/studies"
cd "$copy" || exit
unset SELO_PROJECT SELO_CODECS

# accepts TEXT COMMAND, refuses TEXT COMMAND: COMMAND prints TEXT, and exits 0 or not.
accepts() { expect 0 "$@"; }
refuses() { expect 1 "$@"; }
expect() {
    local wanted=$1 text=$2 status=0 output
    shift 2
    output=$("$built/$1" "${@:2}" 2>&1) || status=1
    [ "$status" = "$wanted" ] && grep -qF -- "$text" <<<"$output"
    verdict $? "$*: does not exit $wanted with '$text': $output"
}

sed 's/^name = "uno"/name = "newcomer"/' lab/boards/uno.toml >lab/boards/newcomer.toml
accepts 'newcomer ' selo-lab list boards
sed -i 's/^clock_hz/clock_herz/' lab/boards/newcomer.toml
refuses 'unknown field `clock_herz`' selo-lab list boards
rm lab/boards/newcomer.toml

# The library is compiled, and checked on this machine with official vectors.
check=(check --board native --library newcomer --algorithm aes-128 --variant tiny --budget 1)
cp -r lab/libraries/selo lab/libraries/newcomer
sed -i 's/^name = "selo"/name = "newcomer"/' lab/libraries/newcomer/library.toml
accepts 'newcomer ' selo-lab list libraries
accepts 'passed, 0 failed' selo-lab "${check[@]}"
sed -i 's/call->out_size = BLOCK;/out[0] ^= 1; &/' lab/libraries/newcomer/block.c
refuses '0 passed, ' selo-lab "${check[@]}"

# Nothing is measured here, so the command exits 3 and counts the cells that lack a row.
sed 's/^name = "ramalho2024"/name = "newcomer"/' lab/papers/ramalho2024.toml >lab/papers/newcomer.toml
refuses 'newcomer: ' selo-lab compare newcomer
sed -i 's/^\[\[table.row\]\]/[[table.line]]/' lab/papers/newcomer.toml
refuses 'unknown field `line`' selo-lab compare newcomer

sed 's/^name = "rain-gauge"/name = "newcomer"/' codecs/rain-gauge.toml >codecs/newcomer.toml
payload=6bc3026b3e0000002e090000740e0200
accepts 'newcomer ' selo codec list --codecs codecs
accepts '12.4' selo codec decode newcomer $payload --codecs codecs
sed -i 's/rain_total = 12.4/rain_total = 12.5/' codecs/newcomer.toml
refuses 'newcomer.toml, line' selo codec list --codecs codecs

echo "where: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
