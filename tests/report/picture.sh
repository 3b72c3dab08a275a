#!/usr/bin/env bash
# Makes docs/images/report.png, the picture of the README: the trade-off of the block ciphers on the
# Arduino Uno, of rows that `selo lab run --board uno` has measured. Needs chromium-headless-shell.
#
# usage: tests/report/picture.sh [SELO] [PICTURE]
set -euo pipefail
cd "$(dirname "$0")/../.."
selo=${1:-${SELO_BUILT:-target/release}/selo}
picture=$(realpath -m "${2:-docs/images/report.png}")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ -s out/lab/uno/rows.jsonl ] || { echo "picture: no rows in out/lab/uno; selo lab run --board uno measures them" >&2; exit 3; }
"$selo" lab report --rows out/lab/uno --out "$place" --format markdown >"$place/said"
drawn=$place/pictures/trade-off-uno-block-ciphers-one-block-encrypt.svg
size=$(sed -n 's/.* width="\([0-9]*\)" height="\([0-9]*\)" viewBox.*/\1,\2/p;2q' "$drawn")
# The screenshot of Chromium has the size of its window.
chromium-headless-shell --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size="$size" \
    --screenshot="$picture" "file://$drawn" >"$place/said" 2>&1 || { tail -n 5 "$place/said" >&2; exit 4; }
echo "$picture"
