#!/usr/bin/env bash
# Runs the scenarios of ferreira2020 without real machines: two processes, a computer and a
# Raspberry Pi, two Raspberry Pis. A Pi is lab/firmware/exchange built for aarch64 under
# qemu-aarch64, in a network namespace of its own. The link between the two namespaces has
# the rate, the delay and the losses of 802.11n (lab/sims/wireless). The rows are marked
# `emulated`: they show that the exchange works, but their times are not those of a Pi.
# docs/researcher/exchange.md has the same on real machines.
#
# usage: tools/exchange-pi.sh [--repeat N] [--out FILE] [--cipher LIST] [--payload LIST]
# exit: 0 done; 1 an exchange failed; 2 wrong usage; 3 something is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
repeat=10 out=out/exchange/scenarios.jsonl payload=string,image
cipher=aes-128-cbc,aes-192-cbc,aes-256-cbc,aes-128-gcm,chacha20-poly1305,ascon-aead128

missing() {
    echo "exchange-pi: $1" >&2
    echo "hint: $2" >&2
    exit 3
}

while [ $# -gt 0 ]; do
    case $1 in
    --repeat | --out | --cipher | --payload)
        [ $# -ge 2 ] || {
            echo "exchange-pi: $1 needs a value" >&2
            exit 2
        }
        declare "${1#--}=$2"
        shift 2
        ;;
    *)
        echo "usage: tools/exchange-pi.sh [--repeat N] [--out FILE] [--cipher LIST] [--payload LIST]" >&2
        exit 2
        ;;
    esac
done

[ "$(id -u)" = 0 ] || missing "network namespaces need root" "sudo tools/exchange-pi.sh"
for need in ip qemu-aarch64 aarch64-linux-gnu-gcc; do
    command -v "$need" >/dev/null ||
        missing "there is no $need" "apt-get install iproute2 qemu-user gcc-aarch64-linux-gnu"
done
if [ -x "${SELO_BUILT:-$target/release}/selo-exchange" ]; then
    pc=("${SELO_BUILT:-$target/release}/selo-exchange")
elif [ -x "${SELO_BUILT:-$target/release}/selo" ]; then
    pc=("${SELO_BUILT:-$target/release}/selo" exchange)
else
    missing "there is no ${SELO_BUILT:-$target/release}/selo-exchange" "cargo build --release -p selo-exchange"
fi
make -s -C lab/firmware/exchange OUT="$(realpath "$target")/exchange" CROSS=aarch64-linux-gnu-
pi=(qemu-aarch64 "$target/exchange/aarch64-linux-gnu-peer")

a=selo-a-$$ b=selo-b-$$
scratch=$(mktemp -d)
server=
wireless=
finish() {
    for process in $server $wireless; do
        kill "$process" 2>/dev/null || true
    done
    ip netns del "$a" 2>/dev/null || true
    ip netns del "$b" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

{ ip netns add "$a" && ip netns add "$b"; } 2>/dev/null ||
    missing "this machine gives no network namespaces" \
        "a container needs CAP_SYS_ADMIN and CAP_NET_ADMIN"
# The rate that one stream gets of 802.11n with one antenna and 20 MHz.
make -s -C lab/sims/wireless OUT="$(realpath "$target")/sims"
"$target/sims/selo-wireless" --rate 40 --delay 2 --jitter 0.5 --loss 0.1 \
    "$a" va "$b" vb >"$scratch/link" 2>&1 &
wireless=$!
until grep -q ready "$scratch/link"; do
    kill -0 "$wireless" 2>/dev/null || missing "$(cat "$scratch/link")" "modprobe tun"
    sleep 0.05
done
for side in "$a va 1" "$b vb 2"; do
    read -r namespace device last <<<"$side"
    ip -n "$namespace" addr add "10.73.0.$last/24" dev "$device"
    ip -n "$namespace" link set lo up
    ip -n "$namespace" link set "$device" up
done
link="802.11n-like: 40 Mbit/s shared, 2 ms, 0.1 % lost (selo-wireless)"
echo "link: $link" >&2

"${pc[@]}" key "$scratch/key" >/dev/null
mkdir -p "$(dirname "$out")"
served=${out%.jsonl}-served.jsonl

# started NAMESPACE COMMAND...: starts a server, and sets $port.
started() {
    local namespace=$1
    shift
    : >"$scratch/listening"
    ip netns exec "$namespace" "$@" >"$scratch/listening" 2>"$scratch/server.log" &
    server=$!
    # The first start compiles the server.
    for _ in $(seq 1800); do
        port=$(sed -n 's/^listening .*://p' "$scratch/listening")
        [ -z "$port" ] || return 0
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    cat "$scratch/server.log" >&2
    echo "exchange-pi: the server did not start" >&2
    exit 1
}

stop() {
    kill "$server"
    wait "$server" 2>/dev/null || true
    server=
}

what=(--cipher "$cipher" --payload "$payload" --repeat "$repeat" --warm-up 1)

started "$a" "${pc[@]}" serve --key "$scratch/key" --listen 127.0.0.1:0
ip netns exec "$a" "${pc[@]}" run --key "$scratch/key" --to "127.0.0.1:$port" "${what[@]}" \
    --scenario two-processes --link loopback --out "$out"
stop
# The Pi as the server. With the emulator's plugin, its cipher's instructions are counted.
if [ -e target/sims/selo-qemu.so ]; then
    rm -f "$served"
    started "$b" "${pc[@]}" peer --board rpi3 --served "$served" -- "$scratch/key" 10.73.0.2 0
else
    started "$b" "${pi[@]}" serve "$scratch/key" 10.73.0.2 0 --emulated
fi
ip netns exec "$a" "${pc[@]}" run --key "$scratch/key" --to "10.73.0.2:$port" "${what[@]}" \
    --scenario pc-pi --link "$link" --out "$out"
# The Pi as the client, counted in the same way.
if [ -e target/sims/selo-qemu.so ]; then
    ip netns exec "$a" "${pc[@]}" peer --board rpi3 --out "$out" -- \
        "$scratch/key" 10.73.0.2 "$port" "${what[@]}" --scenario pi-pi --link "$link"
else
    ip netns exec "$a" "${pi[@]}" run "$scratch/key" 10.73.0.2 "$port" "${what[@]}" \
        --scenario pi-pi --link "$link" --emulated >>"$out"
fi
stop
kill "$wireless"
wait "$wireless" || true
wireless=
echo "link: $(tail -n 1 "$scratch/link")" >&2
echo "rows: $out" >&2
[ ! -e "$served" ] || echo "the server's instructions: $served" >&2
