#!/usr/bin/env bash
# Tests the report page in a browser: the answers fit the first screen and the rest stays short,
# parts are drawn when they are opened, what is deselected leaves the pictures and comes back, the
# address keeps a choice, and the page speaks Portuguese. Needs chromium-headless-shell.
#
# usage: tests/report/libraries.sh [SELO]
set -euo pipefail
cd "$(dirname "$0")/../.."
selo=${1:-${SELO_BUILT:-target/release}/selo}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

"$selo" lab run --board stm32f103 --library selo,monocypher --algorithm sha-512,x25519 --out "$place/rows" >"$place/said"
"$selo" lab report --rows "$place/rows" --out "$place/report" >"$place/said"
"$selo" lab report --rows "$place/rows" --out "$place/pt" --language pt-BR >"$place/said-pt"
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
    const shown = (part) => part.checkVisibility();
    const pictures = () => [...document.querySelectorAll("svg.chart")].filter(shown).length;
    const first = document.querySelector("#best figure").getBoundingClientRect().bottom + scrollY;
    const said = [["first", open(), pictures(), [...document.querySelectorAll("table")].filter(shown).length]];
    const screens = ["screens", Math.ceil(document.documentElement.scrollHeight / 900), Math.round(first)];
    const texts = document.documentElement.lang;
    location.hash = document.querySelector("nav a[href$='key-agreement']").hash;
    await soon();
    said.push(["linked", open(), pictures(), [...document.querySelectorAll("table")].filter(shown).length]);
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
    said.push(screens);
    // An algorithm and a metric act on pictures, and the address keeps the choice.
    document.querySelector("dialog[open]")?.close();
    const figures = (metric) => [...document.querySelectorAll(`figure[data-metric="${metric}"]`)].filter((part) => !part.classList.contains("off")).length;
    const about = (name) => drawn().filter((part) => part.dataset.algorithm === name && part.checkVisibility()).length;
    const before = [about("x25519"), about("sha-512"), figures("flash")];
    document.querySelector('input[name="algorithm"][value="x25519"]').click();
    const after = [about("x25519"), about("sha-512")];
    document.querySelector('input[name="metric"][value="flash"]').click();
    said.push(["filtered", ...before, ...after, figures("flash"), location.hash.includes("algorithm=sha-512") && !location.hash.includes("x25519") ? 1 : 0]);
    location.hash = "#best?algorithm=x25519";
    await soon();
    said.push(["linked-filter", about("x25519") > 0 ? 1 : 0, about("sha-512"), document.querySelector('input[name="algorithm"][value="sha-512"]').checked ? 1 : 0]);
    said.push(["bars", document.querySelectorAll("svg.chart rect").length, texts]);
    document.title = "PROBE " + said.map((line) => line.join(" ")).join("; ");
  })();
</script>
PROBE
# Prints what the probe says about a page.
probe() {
    cat "$1" "$place/probe.html" >"$place/page.html"
    chromium-headless-shell --headless --no-sandbox --disable-gpu --window-size=1280,900 --virtual-time-budget=30000 \
        --dump-dom "file://$place/page.html" 2>/dev/null >"$place/dom"
    grep -o '<title>PROBE [^<]*' "$place/dom" | cut -d' ' -f2- | grep . || echo "the probe did not finish"
}
line=$(probe "$page")
echo "$line"
portuguese=$(probe "$place/pt/report.html")
echo "$portuguese"
awk -v line="$line" -v portuguese="$portuguese" 'BEGIN {
    split(line, parts, "; ")
    split(parts[1], first, " "); split(parts[2], linked, " ")
    split(parts[3], all, " "); split(parts[4], without, " "); split(parts[5], again, " "); split(parts[6], row, " ")
    ok[1] = all[2] > 0 && all[3] > 0                       # both are drawn
    ok[2] = without[2] == all[2] && without[3] == 0        # one goes, the other stays
    ok[3] = without[4] < all[4]                            # and so does its room
    ok[4] = again[2] == all[2] && again[3] == all[3] && again[4] == all[4]
    ok[5] = first[2] == 0 && first[3] == 1 && first[4] > 0 # the answers are there, other pictures are not
    ok[6] = linked[2] == 1 && linked[3] > 0 && linked[4] > first[4] # a link draws its part alone
    ok[7] = row[2] == 1                                    # the row behind a figure is shown
    split(parts[7], screens, " "); split(parts[8], filtered, " "); split(parts[9], by_address, " "); split(parts[10], bars, " ")
    ok[8] = screens[2] <= 20 && screens[3] <= 900          # a short page, whose answers fit one screen
    ok[9] = filtered[2] > 0 && filtered[5] == 0 && filtered[3] == filtered[6] && filtered[3] > 0 # an algorithm
    ok[10] = filtered[4] > 0 && filtered[7] == 0           # a metric
    ok[11] = filtered[8] == 1 && by_address[2] == 1 && by_address[3] == 0 && by_address[4] == 0 # the address
    ok[12] = bars[2] == 0 && bars[3] == "en"
    ok[13] = portuguese ~ /bars 0 pt-BR$/
    for (i = 1; i <= 13; i++) if (ok[i]) passed++; else { failed++; printf "check %d failed\n", i }
    printf "report-libraries: %d passed, %d failed\n", passed, failed
    exit failed > 0
}'
