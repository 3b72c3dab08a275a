#!/usr/bin/env bash
# The counted server in C (`selo exchange peer --served`). A client sends a message that does not
# open, and the process that reads the counts is stopped during exchanges. Every successful
# exchange must still be counted, each on its own.
#
# usage: tests/exchange/counted.sh FOLDER
# exit: 0 all checks passed; 1 a check failed, with a message on stderr.
set -uo pipefail
cd "$(dirname "$0")/../.."
folder=$1
selo=${SELO_BUILT:-target/release}/selo-exchange
server=
trap '[ -z "$server" ] || { kill -CONT "$server"; kill "$server"; } 2>/dev/null' EXIT

fail() {
    echo "counted: $1" >&2
    sed 's/^/    | /' "$folder/counted.log" >&2
    exit 1
}

"$selo" key "$folder/counted.key" >/dev/null
: >"$folder/listening"
"$selo" peer --board rpi3 --served "$folder/counted.jsonl" -- "$folder/counted.key" 127.0.0.1 0 \
    >"$folder/listening" 2>"$folder/counted.log" &
server=$!
port=
# The first start compiles the server.
for _ in $(seq 1800); do
    port=$(sed -n 's/^listening .*://p' "$folder/listening")
    [ -z "$port" ] || break
    kill -0 "$server" 2>/dev/null || fail "the server did not start"
    sleep 0.1
done
[ -n "$port" ] || fail "the server does not listen"

# [docs/researcher/exchange.md]: a request with the right key's name but a wrong tag is refused.
python3 - "$port" <<'EOF' || fail "a message that does not open is not refused"
import socket, struct, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60) as s:
    stream = s.makefile("rb")
    def frame():
        head = stream.read(12)
        return head[5], head[6], stream.read(struct.unpack(">I", head[8:])[0])
    kind, _, hello = frame()
    assert kind == 0, kind
    body = hello[4:12] + bytes(12 + 100 + 16)
    s.sendall(b"SELX\x01" + bytes([1, 4, 0]) + struct.pack(">I", len(body)) + body)
    kind, why, _ = frame()
    assert (kind, why) == (3, 5), (kind, why)
EOF

kill -STOP "$server"
"$selo" run --key "$folder/counted.key" --to "127.0.0.1:$port" --cipher aes-128-gcm,ascon-aead128 \
    --payload string --repeat 3 --warm-up 0 --out "$folder/counted-rows" \
    >"$folder/run.log" 2>&1 &
client=$!
# Without the stopped reader, several exchanges would end in this time.
sleep 1
kill -CONT "$server"
wait "$client" || fail "exchanges failed: $(tail -n 2 "$folder/run.log")"

python3 - "$folder/counted.jsonl" <<'EOF' || fail "the counts are wrong"
import json, sys
counts = {}
for line in open(sys.argv[1]):
    row = json.loads(line)
    counts.setdefault(row["cipher"], []).append(tuple(row["instructions"].values()))
numbers = {cipher: len(of) for cipher, of in counts.items()}
assert numbers == {"aes-128-gcm": 3, "ascon-aead128": 3}, numbers
for of in counts.values():
    assert all(abs(a / b - 1) < 0.001 for one in of for a, b in zip(one, of[0])), counts
EOF
