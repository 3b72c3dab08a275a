#!/usr/bin/env bash
# Tests the selection of libraries on the report page in a browser: deselects a library, selects it
# again, and counts what the pictures draw. Needs chromium.
#
# usage: tests/report/libraries.sh [SELO]
set -euo pipefail
cd "$(dirname "$0")/../.."
selo=${1:-${SELO_BUILT:-target/release}/selo}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$selo" lab run --board stm32f103 --library selo,monocypher --algorithm sha-512,x25519 --out "$place/rows" >"$place/said"
"$selo" lab report --rows "$place/rows" --out "$place/report" >"$place/said"
page=$place/report/report.html
[ -f "$page" ] || page=$(find "$place/report" -name '*.html' | head -n 1)

# Prints the page's state as a line of text, before and after a click on a library's box.
cat >"$place/probe.html" <<'PROBE'
<script>
  const drawn = () => [...document.querySelectorAll("svg.chart [data-library]")].filter((part) => !part.classList.contains("off"));
  const of = (name) => drawn().filter((part) => part.dataset.library === name).length;
  const height = () => [...document.querySelectorAll("svg.chart")].reduce((sum, chart) => sum + Number(chart.getAttribute("height")), 0);
  const box = document.querySelector('input[name="library"][value="monocypher"]');
  const said = [["all", of("selo"), of("monocypher"), height()]];
  box.click();
  said.push(["without", of("selo"), of("monocypher"), height()]);
  box.click();
  said.push(["again", of("selo"), of("monocypher"), height()]);
  document.title = "PROBE " + said.map((line) => line.join(" ")).join("; ");
</script>
PROBE
cat "$page" "$place/probe.html" >"$place/page.html"
chromium --headless --no-sandbox --disable-gpu --dump-dom "file://$place/page.html" 2>/dev/null >"$place/dom"
line=$(grep -o '<title>PROBE [^<]*' "$place/dom" | cut -d' ' -f2-)
echo "$line"
awk -v line="$line" 'BEGIN {
    split(line, parts, "; ")
    split(parts[1], all, " "); split(parts[2], without, " "); split(parts[3], again, " ")
    ok[1] = all[2] > 0 && all[3] > 0                       # both are drawn
    ok[2] = without[2] == all[2] && without[3] == 0        # one goes, the other stays
    ok[3] = without[4] < all[4]                            # and so does its room
    ok[4] = again[2] == all[2] && again[3] == all[3] && again[4] == all[4]
    for (i = 1; i <= 4; i++) if (ok[i]) passed++; else failed++
    printf "report-libraries: %d passed, %d failed\n", passed, failed
    exit failed > 0
}'
