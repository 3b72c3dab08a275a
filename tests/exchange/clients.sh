#!/usr/bin/env bash
# Runs clients in C on this machine and on emulators. They must complete handshakes with the project's
# server, verify its certificate, and have their instructions counted. Faulty cases must fail for the
# right reason. Fetches the libraries once (target/archives), as `selo lab fetch` does.
set -uo pipefail
cd "$(dirname "$0")/../.."

selo=${SELO_EXCHANGE:-${SELO_BUILT:-target/release}/selo-exchange}
work=$(mktemp -d)
servers=()
finish() {
    [ ${#servers[@]} -eq 0 ] || kill "${servers[@]}" 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT

authority() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" -days 3 \
        -keyout "$work/$1.key" -out "$work/$1.pem" 2>/dev/null
}

# certificate NAME HOST [END]: a certificate for HOST, signed by the authority `ours`.
certificate() {
    openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "/CN=$1" \
        -keyout "$work/$1.key" -out "$work/$1.csr" 2>/dev/null
    printf 'subjectAltName=DNS:%s\n' "$2" >"$work/$1.ext"
    # shellcheck disable=SC2086 # the dates are several words
    openssl x509 -req -in "$work/$1.csr" -CA "$work/ours.pem" -CAkey "$work/ours.key" \
        -CAcreateserial -extfile "$work/$1.ext" ${3:--days 3} -out "$work/$1.pem" 2>/dev/null
}

# served NAME OPTIONS...: starts a server with that certificate, and sets $port.
served() {
    local name=$1
    shift
    "$selo" serve-tls --cert "$work/$name.pem" --cert-key "$work/$name.key" \
        --listen 127.0.0.1:0 "$@" >"$work/listening" 2>"$work/server.log" &
    servers+=($!)
    for _ in $(seq 200); do
        port=$(sed -n 's/^listening .*://p' "$work/listening")
        [ -z "$port" ] || return 0
        sleep 0.05
    done
    cat "$work/server.log" >&2
    exit 1
}

passed=0 failed=0
# holds WHAT COMMAND...: counts whether COMMAND succeeds.
holds() {
    local what=$1
    shift
    if "$@" >"$work/said" 2>&1; then
        passed=$((passed + 1))
    else
        echo "clients: $what" >&2
        tail -n 4 "$work/said" >&2
        failed=$((failed + 1))
    fi
}
# counts N PATTERN...: exactly N rows match all the patterns.
counts() {
    local count=$1 found pattern
    shift
    found=$(cat "$rows")
    for pattern in "$@"; do
        found=$(grep -E -- "$pattern" <<<"$found")
    done
    [ "$(grep -c . <<<"$found")" -eq "$count" ]
}
once() {
    "$selo" tls --to "https://localhost:$port" --ca "$ca" --repeat 1 --warm-up 0 --out "$rows" "$@"
}
# refused FAULT OPTIONS...: each exchange fails, and its row has this fault.
refused() {
    local fault=$1
    shift
    rows=$work/refused.jsonl
    rm -f "$rows"
    once --suite TLS_AES_128_GCM_SHA256 "$@" && return 1
    [ $? -eq 1 ] || return 1
    counts "$(wc -l <"$rows")" "\"fault\":\"$fault\""
}

authority ours
authority other
certificate good localhost
certificate elsewhere elsewhere.example
certificate past localhost "-days -1"
ca=$work/ours.pem
rows=$work/rows.jsonl

# Each is a build of a large library: one on the board, both in `make test-all`.
boards=mbedtls@esp8266 on_boards=2
[ -z "${SELO_TEST_ALL:-}" ] || boards=wolfssl@esp8266,$boards on_boards=4

served good
holds "clients on this machine" once --client wolfssl,mbedtls
holds "all suites verified" counts 6 '"verified":true' '"device":"native"' '"fidelity":"wall-clock"'
holds "no instruction counts on this machine" counts 0 '"instructions"'
holds "clients on an ESP8266" once --client "$boards" \
    --suite TLS_CHACHA20_POLY1305_SHA256 --group x25519,secp256r1
holds "instructions counted, and the clients fit" counts "$on_boards" '"verified":true' '"device":"esp8266"' \
    '"fidelity":"emulated"' '"instructions":\{"handshake":[0-9]{8,9},"exchange":[0-9]{5,6}\}' \
    '"flash":[0-9]{6},"variables":[0-9]{4},"memory":81920,"heap":[0-9]{5},"stack":[0-9]{4}'
# A resumed handshake transfers the ticket instead of the server's certificate.
chacha=(--suite TLS_CHACHA20_POLY1305_SHA256)
holds "mbed TLS on an ESP8266 resumes" once --client mbedtls@esp8266 "${chacha[@]}" --handshake resumed
holds "resuming takes less than half the instructions" counts 1 '"verified":true' '"device":"esp8266"' \
    '"group":"x25519","handshake":"resumed"' '"instructions":\{"handshake":[34][0-9]{7},' \
    '"handshake_sent":[34][0-9]{2},"handshake_received":1[0-9]{2},' '"flash":15[0-9]{4},'
if [ -n "${SELO_TEST_ALL:-}" ]; then
    holds "wolfSSL on an ESP8266 resumes with the hybrid key exchange" once --client wolfssl@esp8266 "${chacha[@]}" \
        --handshake resumed --group x25519mlkem768
    holds "the hybrid's key shares are sent, and the client fits the part's RAM" counts 1 '"verified":true' '"device":"esp8266"' \
        '"group":"x25519mlkem768","handshake":"resumed"' '"memory":81920,"heap":2[0-9]{4},' \
        '"handshake_sent":15[0-9]{2},"handshake_received":12[0-9]{2},'
fi
holds "a node of the link, by every handshake" "$selo" link --board esp8266 --handshake all --repeat 1 \
    --warm-up 0 --out "$rows"
holds "the node's instructions are counted" counts 1 '"experiment":"link"' '"verified":true' '"sent":87,"received":58' \
    '"instructions":\{"handshake":[0-9]{7},"exchange":[0-9]{4}\}'
holds "a pairing and the join after it are counted" counts 1 '"handshake":"pair"' '"verified":true' \
    '"sent":178,"received":116' '"instructions":\{"handshake":[0-9]{7},"exchange":[0-9]{7}\}'
holds "the published protocol is counted, and marked as not authenticated" counts 1 '"handshake":"classic"' \
    '"verified":true' '"authenticated":false' '"sent":67,"received":33'
holds "a node on a core with a cycle model" "$selo" link --board stm32f103 --repeat 1 --warm-up 0 \
    --out "$rows"
holds "its row has cycles, with their caution" counts 1 '"device":"stm32f103"' '"verified":true' \
    '"cycles":\{"handshake":[567][0-9]{6},' '"caution":"cycle model cortex-m3 '
holds "no other row has cycles" counts 1 '"cycles":'

both=(--client wolfssl,mbedtls)
ca=$work/other.pem
holds "a certificate of another authority is refused" refused wrong-certificate "${both[@]}"
holds "also by a client on a board" refused wrong-certificate --client mbedtls@esp8266
ca=$work/ours.pem
# It is one more build of a large library.
if [ -n "${SELO_TEST_ALL:-}" ]; then
    holds "a client that does not fit the RAM fails, even if its library continues" refused machine \
        --client wolfssl@stm32f103 --handshake resumed
fi
good=$port
served elsewhere
holds "a certificate with another name is refused" refused wrong-certificate "${both[@]}"
served past
holds "an expired certificate is refused" refused expired-certificate "${both[@]}"
served good --without-tickets
holds "without a ticket no client resumes" refused not-offered --client mbedtls@esp8266 \
    --handshake resumed
holds "an exchange that did not resume is not marked as verified" counts 0 '"verified":true'
served good --group secp256r1
holds "a key exchange that the server does not offer" refused not-offered "${both[@]}"
port=$good

rows=$work/rows.jsonl
ways() {
    "$selo" ways "$rows" --csv >"$work/ways"
}
holds "selo ways reads the rows" ways
holds "its table has the counted clients" grep -E '^"TLS 1.3, .*mbedtls[^,]*",esp8266,' "$work/ways"
holds "its table has resumed handshakes" grep -E '^"TLS 1.3, .*x25519, resumed, mbedtls[^,]*",esp8266,' "$work/ways"
[ -z "${SELO_TEST_ALL:-}" ] || holds "its table has the hybrid key exchange" \
    grep -E '^"TLS 1.3, .*x25519mlkem768, resumed, wolfssl[^,]*",esp8266,' "$work/ways"
for way in 'link, join' 'link, pair and join' classic; do
    holds "its table has $way" grep -E "^\"?$way\"?,esp8266," "$work/ways"
done
echo "exchange-clients: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
