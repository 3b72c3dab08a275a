#!/usr/bin/env bash
# The demonstration: measure, check, repeat two exchanges, compare with five papers, write the report;
# attack the link beside most of it; the whole chain from simulated nodes to the database. Called by `make demo`.
#
# The terminal shows one line a step with its result, then a summary of eleven lines. The tables are in
# out/demo/, one file a step.
#
# usage: tools/demo.sh
# environment: SELO          the command to use (default target/release/selo)
#              DEMO_SECONDS  how long nodes report (default 60)
set -euo pipefail
cd "$(dirname "$0")/.."

selo=${SELO:-${SELO_BUILT:-target/release}/selo}
out=out/demo
mkdir -p "$out"
server=
waiting=
# A server of an exchange that did not end well, and what runs beside a step that failed.
trap '[ -z "$server$waiting" ] || kill $server $waiting 2>/dev/null || true' EXIT

# step TITLE FILE COMMAND...: runs COMMAND with its output in FILE, then prints TITLE, the seconds
# taken, and the command's summary. On a terminal the command shows progress and summary itself.
step() {
    local title=$1 file=$out/$2 begun=$SECONDS status=0 summary=
    shift 2
    if [ -t 2 ]; then
        printf '%s ...\n' "$title"
        "$@" >"$file" || status=$?
    else
        "$@" >"$file" 2>"$file.messages" || status=$?
        # Only the lab's commands end with a summary.
        case $* in
        *" lab "*) summary=$(grep -v '^hint:' "$file.messages" | tail -n 1 || true) ;;
        esac
    fi
    printf '%-52s %4d s  %s\n' "$title" $((SECONDS - begun)) "$summary"
    [ "$status" -eq 0 ] || ended "$file" "$status" "$@"
}

# beside FILE COMMAND...: starts a command that waits more than it computes, with its output in FILE.
# `joined TITLE` waits for it, and prints what `step` prints. There is one at a time.
beside() {
    aside=("$@")
    aside_begun=$SECONDS
    shift
    "$@" >"$out/${aside[0]}" 2>"$out/${aside[0]}.messages" &
    waiting=$!
}

joined() {
    local file=$out/${aside[0]} status=0
    wait "$waiting" || status=$?
    waiting=
    printf '%-52s %4d s  %s\n' "$1" $((SECONDS - aside_begun)) "beside the steps before it"
    [ "$status" -eq 0 ] || ended "$file" "$status" "${aside[@]:1}"
}

# ended FILE STATUS COMMAND...: shows the end of what a command said, and ends with its status.
ended() {
    local file=$1 status=$2
    shift 2
    tail -n 20 "$file"
    [ ! -s "$file.messages" ] || tail -n 20 "$file.messages" >&2
    echo "demo: '$*' ended with $status" >&2
    echo "hint: its output is in $file" >&2
    exit "$status"
}

# serve FILE COMMAND...: starts a server, waits for its line "listening ADDR:PORT", and puts that
# address into $address.
serve() {
    local file=$out/$1 _
    shift
    "$@" --listen 127.0.0.1:0 >"$file" 2>&1 &
    server=$!
    address=
    for _ in $(seq 300); do
        address=$(sed -n 's/^listening //p' "$file")
        [ -z "$address" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    tail -n 20 "$file" >&2
    echo "demo: '$*' does not listen" >&2
    exit 1
}

served() {
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

# The exchanges of the two papers that measure them: this machine is both ends.
exchanges() {
    rm -rf "$out/exchange"
    mkdir -p "$out/exchange"
    local rows=$out/exchange/rows.jsonl
    "$selo" exchange key "$out/exchange/key"
    serve exchange/serve.txt "$selo" exchange serve --key "$out/exchange/key"
    "$selo" exchange run --key "$out/exchange/key" --to "$address" --payload string,image --repeat 20 --out "$rows"
    served
    "$selo" setup "$out/exchange/tls"
    serve exchange/serve-tls.txt "$selo" exchange serve-tls --cert "$out/exchange/tls/server.pem" --cert-key "$out/exchange/tls/server.key"
    "$selo" exchange tls --to "https://localhost:${address##*:}" --ca "$out/exchange/tls/ca.pem" --out "$rows"
    served
}

echo "Selo: the demonstration. Each step leaves its output in $out/."
echo
if [ "$selo" = target/release/selo ]; then
    step "Build the two commands and the simulators" build.txt make --no-print-directory build
fi
started=$SECONDS
# First what measures time on this machine. Cycles of a simulated chip are the same beside other work.
step "Measure on this machine" run-native.txt "$selo" lab run --board native
step "Exchange messages by AES, and readings by TLS 1.3" exchange.txt exchanges
beside attack.txt "$selo" attack
step "Measure on the simulated Arduino Uno" run-uno.txt "$selo" lab run --board uno
# Samples of the vectors, as in `make test`; without the limits the commands use them all.
step "Official vectors on the simulated Uno" check-uno.txt \
    "$selo" lab check --board uno --budget 2 --secrets 100 --slow-secrets 4
step "Official vectors on this machine" check-native.txt "$selo" lab check --board native --calls 10000
for paper in albarello2020 ramalho2024 rocha-securino; do
    step "Compare with $paper" "compare-$paper.txt" "$selo" lab compare "$paper"
    "$selo" lab compare "$paper" --json >"$out/compare-$paper.jsonl" 2>"$out/compare-$paper.jsonl.messages"
done
for paper in ferreira2020 ferreira2021; do
    step "Compare with $paper" "compare-$paper.txt" "$selo" exchange compare "$paper" "$out/exchange/rows.jsonl"
done
step "Write the report" report.txt "$selo" lab report
step "From simulated Unos and virtual nodes to a database" chain.txt "$selo" demo
joined "Attack the link"

# The summary: what was measured, what arrived, and where to look.
echo
grep . "$out/report.txt" | head -n 6
grep -E '^(readings sent|lost|stored) ' "$out/chain.txt"
echo "the report         out/report/report.html"
tail -n 1 "$out/chain.txt"
printf 'The demonstration took %d seconds after the build. Tables as text: %s/\n' $((SECONDS - started)) "$out"
