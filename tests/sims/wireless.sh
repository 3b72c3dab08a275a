#!/usr/bin/env bash
# Tests lab/sims/wireless: its channel with a simulated clock, then the link between two network
# namespaces. If the machine does not allow namespaces, the second part is skipped and reported.
set -uo pipefail
cd "$(dirname "$0")/../.."
. tools/verdict.sh

scratch=$(mktemp -d)
a=selo-wa-$$ b=selo-wb-$$
link=
finish() {
    [ -z "$link" ] || kill "$link" 2>/dev/null
    ip netns del "$a" 2>/dev/null
    ip netns del "$b" 2>/dev/null
    rm -rf "$scratch"
}
trap finish EXIT

cc -std=c11 -Wall -Wextra -Werror -fsanitize=address,undefined -g -o "$scratch/channel" \
    tests/sims/test_channel.c lab/sims/wireless/channel.c && "$scratch/channel"
verdict "the channel" "$([ $? = 0 ] || echo "see above")"

make -s -C lab/sims/wireless OUT="$scratch"
wireless=$scratch/selo-wireless
# Wrong arguments: exit status 2, with a message.
says() {
    local words=$1 said
    shift
    said=$("$wireless" "$@" 2>&1)
    verdict "selo-wireless $*" "$([ $? = 2 ] && grep -qF -- "$words" <<<"$said" || echo "says: $said")"
}
says "usage:"
says "from 0 to 100" --loss 101 a va b vb
says "from 0 to 100" --loss nan a va b vb
says "no option --lose" --lose 1 a va b vb
says "/run/netns/selo-nowhere" selo-nowhere va selo-nowhere vb

if [ "$(id -u)" != 0 ] || ! [ -e /dev/net/tun ] ||
    ! { ip netns add "$a" && ip netns add "$b"; } 2>/dev/null; then
    echo "wireless: $passed passed, $failed failed, 1 skipped"
    exit "$((failed > 0))"
fi
says "1 to 15" "$a" a-name-that-is-too-long "$b" vb

net=10.74.0
up() { # up OPTION...: the link, with addresses
    : >"$scratch/said"
    "$wireless" "$@" "$a" va "$b" vb >"$scratch/said" 2>&1 &
    link=$!
    for _ in $(seq 100); do
        ! grep -q ready "$scratch/said" || break
        sleep 0.05
    done
    for side in "$a va 1" "$b vb 2"; do
        read -r namespace device last <<<"$side"
        ip netns exec "$namespace" sysctl -qw net.ipv6.conf.all.disable_ipv6=1 2>/dev/null
        ip -n "$namespace" addr add "$net.$last/24" dev "$device"
        ip -n "$namespace" link set "$device" up
    done
}
down() { # puts the link's counts into $said; a subshell could not wait for the link
    kill -TERM "$link"
    wait "$link"
    link=
    said=$(tail -n 1 "$scratch/said")
    # The kernel takes some time to remove the interfaces.
    for _ in $(seq 200); do
        ip -n "$a" link show va >/dev/null 2>&1 || ip -n "$b" link show vb >/dev/null 2>&1 || break
        sleep 0.05
    done
}

# A stream through a bad link arrives whole, and the link reports its losses.
up --rate 100 --delay 1 --jitter 0.5 --loss 2
cat >"$scratch/stream.py" <<'PY'
import hashlib, socket, sys
what = b"".join(hashlib.sha256(bytes([i, j])).digest() for i in range(128) for j in range(64))
if sys.argv[1] == "serve":
    server = socket.create_server(("10.74.0.2", 7399))
    open(sys.argv[2], "w").close()
    client, _ = server.accept()
    came = b""
    while part := client.recv(65536):
        came += part
    client.sendall(b"same" if came == what else b"other")
else:
    client = socket.create_connection(("10.74.0.2", 7399), timeout=60)
    client.sendall(what)
    client.shutdown(socket.SHUT_WR)
    print(client.recv(16).decode())
PY
timeout 60 ip netns exec "$b" python3 "$scratch/stream.py" serve "$scratch/listening" &
server=$!
for _ in $(seq 100); do
    [ ! -e "$scratch/listening" ] || break
    sleep 0.05
done
said=$(timeout 60 ip netns exec "$a" python3 "$scratch/stream.py" send 2>&1)
wait "$server"
verdict "256 KiB through a link that loses 2 %" "$([ "$said" = same ] || echo "arrived: $said")"
down
verdict "its report of lost packets" "$(grep -qE '^carried [1-9][0-9]* packets, [0-9]{6,} bytes; lost [1-9]' <<<"$said" || echo "says: $said")"

# Every packet is lost, and counted. Use other addresses: a stream of the first link whose end was
# lost is still repeated.
net=10.75.0
up --loss 100
ip netns exec "$a" python3 -c '
import socket
for _ in range(50):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"lost", ("10.75.0.2", 9))'
down
verdict "a link that loses everything" "$(grep -qE '^carried 0 packets, 0 bytes; lost 50, dropped 0$' <<<"$said" || echo "says: $said")"

echo "wireless: $passed passed, $failed failed"
[ "$failed" = 0 ]
