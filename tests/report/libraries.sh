#!/usr/bin/env bash
# Tests the report page in a browser: parts are drawn when they are opened, a library that is
# deselected leaves the pictures, and comes back. Needs chromium.
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

# Writes the page's state into its title: what is drawn at first, after a part is opened by a link into
# it, and before and after a click on a library's box with all parts open.
cat >"$place/probe.html" <<'PROBE'
<script>
  const drawn = () => [...document.querySelectorAll("svg.chart [data-library]")].filter((part) => !part.classList.contains("off"));
  const of = (name) => drawn().filter((part) => part.dataset.library === name).length;
  const height = () => [...document.querySelectorAll("svg.chart")].reduce((sum, chart) => sum + Number(chart.getAttribute("height")), 0);
  const open = () => document.querySelectorAll("details.later[open]").length;
  const tables = () => document.querySelectorAll("table").length;
  const soon = () => new Promise((resolve) => setTimeout(resolve, 50));
  (async () => {
    const box = () => document.querySelector('input[name="library"][value="monocypher"]');
    for (let tries = 0; !box() && tries < 200; tries += 1) await soon();
    const said = [["first", open(), drawn().length, tables()]];
    location.hash = document.querySelector("nav a[href$='key-agreement']").hash;
    await soon();
    said.push(["linked", open(), drawn().length, tables()]);
    [...document.querySelectorAll("#raw button")].at(-1).click();
    said.push(["all", of("selo"), of("monocypher"), height()]);
    box().click();
    said.push(["without", of("selo"), of("monocypher"), height()]);
    box().click();
    said.push(["again", of("selo"), of("monocypher"), height()]);
    const cell = [...document.querySelectorAll("details.later td[data-r]")].at(-1);
    cell.click();
    const value = [...document.querySelectorAll("dialog dd")].map((part) => part.textContent);
    said.push(["row", value.includes("monocypher") || value.includes("selo") ? 1 : 0]);
    document.title = "PROBE " + said.map((line) => line.join(" ")).join("; ");
  })();
</script>
PROBE
cat "$page" "$place/probe.html" >"$place/page.html"
chromium --headless --no-sandbox --disable-gpu --virtual-time-budget=30000 --dump-dom "file://$place/page.html" 2>/dev/null >"$place/dom"
line=$(grep -o '<title>PROBE [^<]*' "$place/dom" | cut -d' ' -f2-)
echo "$line"
awk -v line="$line" 'BEGIN {
    split(line, parts, "; ")
    split(parts[1], first, " "); split(parts[2], linked, " ")
    split(parts[3], all, " "); split(parts[4], without, " "); split(parts[5], again, " "); split(parts[6], row, " ")
    ok[1] = all[2] > 0 && all[3] > 0                       # both are drawn
    ok[2] = without[2] == all[2] && without[3] == 0        # one goes, the other stays
    ok[3] = without[4] < all[4]                            # and so does its room
    ok[4] = again[2] == all[2] && again[3] == all[3] && again[4] == all[4]
    ok[5] = first[2] == 0 && first[3] == 0 && first[4] > 0 # the answers are there, pictures are not
    ok[6] = linked[2] == 1 && linked[3] > 0 && linked[4] > first[4] # a link draws its part alone
    ok[7] = row[2] == 1                                    # the row behind a figure is shown
    for (i = 1; i <= 7; i++) if (ok[i]) passed++; else { failed++; printf "check %d failed\n", i }
    printf "report-libraries: %d passed, %d failed\n", passed, failed
    exit failed > 0
}'
