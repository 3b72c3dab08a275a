#!/usr/bin/env bash
# A gateway under virtual nodes on loopback: readings a second, what was lost or doubled, how
# long acknowledgements took, and the gateway's CPU share and memory. Both run on this
# machine, so the nodes take CPU away from the gateway. The numbers are those of this run.
#
# usage: tools/measure-load.sh [--nodes N] [--every TIME] [--seconds N] [NODE OPTION...]
#   --nodes N      (default: 10000)     --every TIME   of a reading of a node (default: 5s)
#   --seconds N    measured, after all nodes have joined (default: 60)
#   NODE OPTION    goes to `selo node`, such as --confirmed or --loss 5%
#   SELO           the command (default: target/release/selo, then the one on PATH)
set -euo pipefail
cd "$(dirname "$0")/.."
nodes=10000 every=5s seconds=60
while [ $# -gt 0 ]; do
    case $1 in
    --nodes) nodes=$2; shift 2 ;;
    --every) every=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    -h | --help) sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "$0"; exit 0 ;;
    *) break ;;
    esac
done
selo=${SELO:-target/release/selo}
command -v "$selo" >/dev/null || selo=selo
command -v "$selo" >/dev/null || { echo "measure-load: no selo; make build" >&2; exit 3; }
[ -r /proc/self/stat ] || { echo "measure-load: needs /proc" >&2; exit 3; }

place=$(mktemp -d)
gateway=
clean() {
    [ -z "$gateway" ] || kill -KILL "$gateway" 2>/dev/null || true
    rm -rf "$place"
}
trap clean EXIT
state=$place/gateway
"$selo" node --make-registry "$place/nodes.csv" --count "$nodes" --state "$place/nodes" 2>/dev/null
"$selo" device import --state "$state" "$place/nodes.csv" >"$place/import" 2>&1
"$selo" gateway --state "$state" --listen 127.0.0.1:0 --json-log \
    >"$place/readings" 2>"$place/log" &
gateway=$!
for _ in $(seq 100); do
    address=$(sed -n 's/.*"listen":"\([^"]*\)".*/\1/p' "$place/log")
    [ -z "$address" ] || break
    sleep 0.1
done
[ -n "$address" ] || { cat "$place/log" >&2; exit 4; }

# Everybody has joined after nodes/500 s (crates/nodes/src/fleet.rs), and a reading of each
# has come a little later.
start=$((nodes / 500 + 10))
"$selo" node --to "$address" --state "$place/nodes" --every "$every" --json \
    --for "$((start + seconds))s" "$@" >"$place/summary" 2>"$place/errors" &
fleet=$!

hertz=$(getconf CLK_TCK)
now() { date +%s.%N; }
# utime and stime are the 14th and 15th field; the name before them has no blank here.
ticks() { awk '{ print $14 + $15 }' "/proc/$gateway/stat"; }
lines() { wc -l <"$place/readings"; }
sleep "$start"
t0=$(now) c0=$(ticks) n0=$(lines)
sleep "$((seconds - 1))"
t1=$(now) c1=$(ticks) n1=$(lines)
memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$gateway/status")
wait "$fleet" || true
kill -TERM "$gateway"
wait "$gateway" || { cat "$place/log" >&2; exit 4; }
gateway=
[ -s "$place/summary" ] || { cat "$place/errors" >&2; exit 4; }

all=$(lines)
# A reading's name is its device, session and counter.
different=$(sed 's/.*"device":"\([^"]*\)".*"session":"\([^"]*\)","counter":\([0-9]*\).*/\1 \2 \3/' \
    "$place/readings" | sort -u | wc -l)
field() { sed -n "s/.*\"$1\":\([0-9.]*\|null\)[,}].*/\1/p" "$place/summary"; }
awk -v nodes="$nodes" -v every="$every" -v t="$t0 $t1" -v c="$c0 $c1" -v n="$n0 $n1" \
    -v hertz="$hertz" -v memory="$memory" -v joined="$(field joined)" -v sent="$(field sent)" \
    -v skipped="$(field skipped)" -v rejoins="$(field rejoins)" \
    -v acknowledged="$(field acknowledged)" -v median="$(field median)" -v p99="$(field p99)" \
    -v all="$all" -v different="$different" 'BEGIN {
    split(t, T); split(c, C); split(n, N)
    took = T[2] - T[1]
    printf "nodes             %d, a reading each %s\n", nodes, every
    printf "joined            %d, %d of them again\n", joined, rejoins
    printf "readings sent     %d, %d skipped\n", sent, skipped
    printf "readings arrived  %d\n", different
    printf "not arrived       %d\n", sent - different
    printf "doubled           %d\n", all - different
    printf "measured          %.1f s\n", took
    printf "readings/s        %.0f\n", (N[2] - N[1]) / took
    printf "gateway CPU       %.1f%% of a core\n", 100 * (C[2] - C[1]) / hertz / took
    printf "gateway memory    %.1f MB at most\n", memory / 1024
    if (acknowledged > 0)
        printf "acknowledged      %d, after %.1f ms (median), %.1f ms (99%%)\n", acknowledged, median, p99
}'
