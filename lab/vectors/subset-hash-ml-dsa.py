#!/usr/bin/env python3
"""Writes the vectors of HashML-DSA with SHA-512 that stand in ml-dsa/hash-*.rsp, which nobody publishes in a package.

usage: subset-hash-ml-dsa.py SET WOLFSSL

SET is 44, 65 or 87. WOLFSSL is the folder wolfssl-src of the crate wolfssl-sys 5.3.0. The package dilithium-py of
PyPI (1.5.1) makes each key pair and signature, in Python, and wolfCrypt makes it again, in C. If they differ,
nothing is written. A message is given as its digest, which is what wolfCrypt's functions take.
"""

import ctypes
import hashlib
import pathlib
import subprocess
import sys
import tempfile

from dilithium_py import ml_dsa

from rsp import alone, case, field, flipped

SETTINGS = pathlib.Path(__file__).resolve().parent.parent / "libraries" / "wolfcrypt-pq"
SOURCES = ["wc_mldsa", "sha256", "sha512", "sha3", "random", "hash", "wc_port", "memory", "misc", "logging", "error"]
LEVELS = {"44": 2, "65": 3, "87": 5}

DRIVER = """
#include <wolfssl/wolfcrypt/settings.h>
#include <wolfssl/wolfcrypt/wc_mldsa.h>
int lab_random_block(unsigned char *out, unsigned int size) { (void)out; (void)size; return -1; } /* not called */
const size_t lab_key_size = sizeof(wc_MlDsaKey);
const int lab_hash = WC_HASH_TYPE_SHA512;
"""


def numbers(label, size):
    """Random bytes that anyone can make again."""
    return hashlib.shake_256(f"Selo HashML-DSA {label}".encode()).digest(size)


class WolfCrypt:
    def __init__(self, name, wolfssl, folder):
        library = folder / "wolfcrypt.so"
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", library, "-DWOLFSSL_USER_SETTINGS", f"-DLAB_MLDSA={name}",
             f"-I{SETTINGS}", f"-I{SETTINGS.parent / 'common'}", f"-I{wolfssl}", "-x", "c", "-",
             *(wolfssl / "wolfcrypt" / "src" / f"{source}.c" for source in SOURCES)],
            input=DRIVER.encode(), check=True)
        self.library, self.level = ctypes.CDLL(library), LEVELS[name]
        size = ctypes.c_size_t.in_dll(self.library, "lab_key_size").value
        self.key = ctypes.create_string_buffer(size)
        self.hash = ctypes.c_int.in_dll(self.library, "lab_hash").value

    def call(self, name, *arguments):
        assert getattr(self.library, f"wc_MlDsaKey_{name}")(self.key, *arguments) == 0, name

    def begin(self):
        self.call("Init", None, -2)
        self.call("SetParams", self.level)

    def export(self, what, size):
        out, length = ctypes.create_string_buffer(size), ctypes.c_uint(size)
        self.call(f"Export{what}Raw", out, ctypes.byref(length))
        return out.raw[:length.value]

    def key_pair(self, seed, sizes):
        self.begin()
        self.call("MakeKeyFromSeed", seed)
        return self.export("Pub", sizes[0]), self.export("Priv", sizes[1])

    def sign(self, private, digest, context, random, size):
        self.begin()
        self.call("ImportPrivRaw", private, len(private))
        out, length = ctypes.create_string_buffer(size), ctypes.c_uint(size)
        self.call("SignCtxHashWithSeed", context, len(context), out, ctypes.byref(length), digest, len(digest),
                  self.hash, random)
        return out.raw[:length.value]


def main():
    name, wolfssl = sys.argv[1], pathlib.Path(sys.argv[2])
    scheme = getattr(ml_dsa, f"HASH_ML_DSA_{name}_WITH_SHA512")
    pure = getattr(ml_dsa, f"ML_DSA_{name}")
    seed = numbers(f"{name} key", 32)
    public, private = scheme.key_derive(seed)
    message, context, random = b"Selo", numbers(f"{name} context", 16), numbers(f"{name} random", 32)
    digest = hashlib.sha512(message).digest()
    deterministic = scheme.sign(private, message, deterministic=True)
    scheme.random_bytes = lambda size: random[:size]
    hedged = scheme.sign(private, message, context)
    with tempfile.TemporaryDirectory() as folder:
        other = WolfCrypt(name, wolfssl, pathlib.Path(folder))
        sizes = [len(public), len(private), len(hedged)]
        if other.key_pair(seed, sizes) != (public, private) or any(
                other.sign(private, digest, *rest, sizes[2]) != made
                for rest, made in [((b"", bytes(32)), deterministic), ((context, random), hedged)]):
            sys.exit("the two implementations differ")
    print(f"# HashML-DSA-{name} with SHA-512, written by subset-hash-ml-dsa.py (README.md)")
    alone("keyGen", 0, {"seed": seed, "pk": public, "sk": private})
    print("\n[sign]")
    key = {"pk": public, "sk": private, "msg": digest}
    case(0, "valid", "Deterministic", {**key, "sig": deterministic})
    case(1, "valid", "", {**key, "ctx": context, "rnd": random, "sig": hedged})
    print("\n[verify]")
    field("pk", public)
    field("sig", hedged)
    case(1, "valid", "", {"msg": digest, "ctx": context})
    case(2, "invalid", "AlteredDigest", {"msg": flipped(digest, -1), "ctx": context})
    case(3, "invalid", "AlteredContext", {"msg": digest, "ctx": flipped(context, 0)})
    case(4, "invalid", "WithoutContext", {"msg": digest})
    # A pure signature of the digest is none of the message [FIPS204, 5.4].
    values = {"pk": public, "msg": digest, "ctx": context}
    alone("verify", 5, {**values, "sig": pure.sign(private, digest, context, deterministic=True)}, "PureSignature")
    alone("verify", 6, {**values, "sig": flipped(hedged, 0)}, "AlteredSignature")


if __name__ == "__main__":
    main()
