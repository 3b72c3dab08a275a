"""The gateway of [albarello2020], as the baseline of `selo bench gateway`.

Algorithm 2 of the paper in Python, with the three modules that it names: `socket`,
`hashlib`, `cryptography`. Keys travel raw, a session is known by its address, and a
message is decrypted with AES-256 in ECB mode: the frames of docs/protocol.md, "Classic".
The protocol protects against listeners only; this program listens on loopback only.

It does what the paper's gateway has to do and nothing else: no printing, no logging, no
checks beyond those without which a stray packet would end it. A `Cipher` is made once a
session. Counters are printed on SIGUSR1, one JSON object a line.

usage: gateway.py [--keep-decryptor]
  --keep-decryptor  one decrypting context a session instead of one a message. ECB has no
                    state, so that this works; the library's documentation makes one for
                    each message, which is the default here
stdout: `ready PORT`, then the counters when asked for.
"""

import hashlib
import json
import signal
import socket
import sys

import cryptography
from cryptography.hazmat.primitives.asymmetric.x25519 import (
    X25519PrivateKey,
    X25519PublicKey,
)
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

JOIN, GATEWAY_KEY, NODE_KEY, DATA = 0xC0, b"\xc1", 0xC2, 0xC3
RECEIVE_BUFFER = 4 << 20  # bytes; what `selo gateway` asks for, too


def main():
    keep_decryptor = "--keep-decryptor" in sys.argv[1:]
    gateway = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gateway.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
    gateway.bind(("127.0.0.1", 0))

    joining = {}  # address -> private key, from the join request to the node's key
    sessions = {}  # address -> what makes a decryptor of the session's key
    joins = readings = dropped = 0

    def report(_signal, _frame):
        counters = {"joins": joins, "readings": readings, "dropped": dropped}
        print(json.dumps(counters), flush=True)

    signal.signal(signal.SIGUSR1, report)
    versions = f"python {sys.version.split()[0]}, cryptography {cryptography.__version__}"
    print(f"ready {gateway.getsockname()[1]} {versions}", flush=True)

    receive, send = gateway.recvfrom, gateway.sendto
    while True:
        frame, address = receive(64)
        kind = frame[0] if frame else None
        try:
            if kind == DATA:
                if keep_decryptor:
                    padded = sessions[address].update(frame[1:])
                else:
                    decryptor = sessions[address].decryptor()
                    padded = decryptor.update(frame[1:]) + decryptor.finalize()
                size = len(padded) - padded[-1]
                reading = padded[:size]
                if padded[size:] != padded[-1:] * padded[-1] or not 1 <= padded[-1] <= 16:
                    raise ValueError("padding")
                readings += 1
            elif kind == JOIN:
                private = joining[address] = X25519PrivateKey.generate()
                public = private.public_key()
                send(GATEWAY_KEY + public.public_bytes(Encoding.Raw, PublicFormat.Raw), address)
            elif kind == NODE_KEY:
                peer = X25519PublicKey.from_public_bytes(frame[1:])
                shared = joining.pop(address).exchange(peer)
                key = hashlib.sha3_256(shared).digest()
                cipher = Cipher(algorithms.AES(key), modes.ECB())
                sessions[address] = cipher.decryptor() if keep_decryptor else cipher
                joins += 1
            else:
                dropped += 1
        except (KeyError, ValueError, IndexError):
            # No such session, or no such key: a stray packet must not end the gateway.
            dropped += 1


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
