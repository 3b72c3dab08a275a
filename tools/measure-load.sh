#!/usr/bin/env bash
# Measures a gateway under virtual nodes on loopback: readings a second, losses and duplicates,
# time to the acknowledgement, and the gateway's CPU share and memory. Both run on this machine,
# so the nodes take CPU time from the gateway. The numbers apply to this run only.
#
# usage: tools/measure-load.sh [--chain] [--nodes N] [--every TIME] [--seconds N] [NODE OPTION...]
#   --chain        measure `selo up` with its database instead of a gateway alone; its memory
#                  is sampled every 10 s
#   --nodes N      (default: 10000)     --every TIME   between a node's readings (default: 5s)
#   --seconds N    measured time, after all nodes have joined (default: 60)
#   NODE OPTION    passed to `selo node`, such as --confirmed or --loss 5%
#   SELO           the command (default: target/release/selo, then the one on PATH)
set -euo pipefail
cd "$(dirname "$0")/.."
nodes=10000 every=5s seconds=60 chain=
while [ $# -gt 0 ]; do
    case $1 in
    --chain) chain=yes; shift ;;
    --nodes) nodes=$2; shift 2 ;;
    --every) every=$2; shift 2 ;;
    --seconds) seconds=$2; shift 2 ;;
    -h | --help) sed -n '2,/^set/{s/^# \{0,1\}//;/^set/d;p}' "$0"; exit 0 ;;
    *) break ;;
    esac
done
selo=${SELO:-${SELO_BUILT:-target/release}/selo}
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
if [ -n "$chain" ]; then
    run=(up --http 127.0.0.1:0 --broker 127.0.0.1:0)
else
    run=(gateway)
fi
"$selo" "${run[@]}" --state "$state" --listen 127.0.0.1:0 --json-log \
    >"$place/readings" 2>"$place/log" &
gateway=$!
for _ in $(seq 100); do
    address=$(sed -n '/the gateway listens/s/.*"listen":"\([^"]*\)".*/\1/p' "$place/log")
    [ -z "$address" ] || break
    sleep 0.1
done
[ -n "$address" ] || { cat "$place/log" >&2; exit 4; }

# All nodes have joined after nodes/500 s (studies/nodes/src/fleet.rs), and the first reading of
# each follows shortly after.
start=$((nodes / 500 + 10))
"$selo" node --to "$address" --state "$place/nodes" --every "$every" --json \
    --for "$((start + seconds))s" "$@" >"$place/summary" 2>"$place/errors" &
fleet=$!

hertz=$(getconf CLK_TCK)
now() { date +%s.%N; }
# utime and stime are fields 14 and 15; the process name before them contains no blank here.
ticks() { awk '{ print $14 + $15 }' "/proc/$gateway/stat"; }
# Queries the database, opened read-only.
ask() {
    python3 -c 'import sqlite3, sys
print(sqlite3.connect("file:" + sys.argv[1] + "?mode=ro", uri=True).execute(sys.argv[2]).fetchone()[0])' \
        "$state/collector/readings.db" "$1"
}
lines() {
    if [ -n "$chain" ]; then
        ask 'SELECT count(*) FROM reading'
    else
        wc -l <"$place/readings"
    fi
}
resident() { awk '/^VmRSS/ { print $2 }' "/proc/$gateway/status"; }
sleep "$start"
t0=$(now) c0=$(ticks) n0=$(lines)
for ((left = seconds - 1; left > 0; left -= 10)); do
    sleep "$((left < 10 ? left : 10))"
    resident >>"$place/resident"
done
t1=$(now) c1=$(ticks) n1=$(lines)
memory=$(awk '/^VmHWM/ { print $2 }' "/proc/$gateway/status")
wait "$fleet" || true
if [ -n "$chain" ]; then
    # Wait for readings in transit to the database.
    for ((tries = 0; tries < 60; tries++)); do
        before=$(lines)
        sleep 1
        [ "$(lines)" != "$before" ] || break
    done
fi
kill -TERM "$gateway"
wait "$gateway" || { cat "$place/log" >&2; exit 4; }
gateway=
[ -s "$place/summary" ] || { cat "$place/errors" >&2; exit 4; }

all=$(lines)
if [ -n "$chain" ]; then
    # Each name is a row, by the database's primary key. A node sends another time in every reading,
    # so a repeated payload is a duplicate.
    different=$(ask 'SELECT count(*) FROM (SELECT DISTINCT station, payload FROM reading)')
    what="by selo up, into SQLite"
else
    what="by selo gateway"
    # A reading's name is its device, session and counter.
    name='s/.*"device":"\([^"]*\)".*"session":"\([^"]*\)","counter":\([0-9]*\).*/\1 \2 \3/'
    different=$(sed "$name" "$place/readings" | sort -u | wc -l)
fi
third=$(($(wc -l <"$place/resident") / 3 + 1))
first=$(sort -n <(head -n "$third" "$place/resident") | tail -n 1)
last=$(sort -n <(tail -n "$third" "$place/resident") | tail -n 1)
field() { sed -n "s/.*\"$1\":\([0-9.]*\|null\)[,}].*/\1/p" "$place/summary"; }
awk -v nodes="$nodes" -v every="$every" -v t="$t0 $t1" -v c="$c0 $c1" -v n="$n0 $n1" \
    -v hertz="$hertz" -v memory="$memory" -v joined="$(field joined)" -v sent="$(field sent)" \
    -v skipped="$(field skipped)" -v rejoins="$(field rejoins)" \
    -v acknowledged="$(field acknowledged)" -v median="$(field median)" -v p99="$(field p99)" \
    -v all="$all" -v different="$different" \
    -v what="$what" -v first="$first" -v last="$last" 'BEGIN {
    split(t, T); split(c, C); split(n, N)
    took = T[2] - T[1]
    printf "nodes             %d, a reading each %s\n", nodes, every
    printf "joined            %d, %d of them again\n", joined, rejoins
    printf "readings sent     %d, %d skipped\n", sent, skipped
    printf "readings arrived  %d, %s\n", different, what
    printf "not arrived       %d\n", sent - different
    printf "doubled           %d\n", all - different
    printf "measured          %.1f s\n", took
    printf "readings/s        %.0f\n", (N[2] - N[1]) / took
    printf "CPU               %.1f%% of a core\n", 100 * (C[2] - C[1]) / hertz / took
    printf "memory            %.1f MB at most; %.1f MB in the first third, %.1f MB in the last\n",
        memory / 1024, first / 1024, last / 1024
    if (acknowledged > 0)
        printf "acknowledged      %d, after %.1f ms (median), %.1f ms (99%%)\n", acknowledged, median, p99
}'
