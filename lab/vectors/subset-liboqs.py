#!/usr/bin/env python3
"""Writes the vectors of which liboqs has only digests: MAYO, CROSS and UOV (round 2 of NIST's additional
signatures), which stand in onramp/, and SPHINCS+ (round 3), which stands in sphincs/.

usage: subset-liboqs.py check SET LIBOQS    compares 100 known answers with their published digest
       subset-liboqs.py kat SET LIBOQS      the first known answer
       subset-liboqs.py altered SET LIBOQS  its signature, altered: each must be refused

SET is mayo-1, cross-rsdp-128-small, uov-ip-pkc-skc, sphincs-sha2-128f-simple and so on. LIBOQS is the
folder liboqs of the crate oqs-sys. liboqs publishes only the digests of the known answers (tests/KATs/sig/kats.json). So this compiles
the scheme, gives it random bytes as NIST's program does, and writes nothing if the digest of what it made
differs.
"""

import ctypes
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from drbg import Generator
from rsp import alone, flipped

HEADERS = pathlib.Path(__file__).resolve().parent.parent / "libraries" / "liboqs"
COMMON = [
    "common.c", "sha2/sha2.c", "sha2/sha2_impl.c", "sha2/sha2_c.c", "aes/aes.c", "aes/aes_impl.c", "aes/aes_c.c", "sha3/sha3.c", "sha3/xkcp_sha3.c",
    "sha3/xkcp_low/KeccakP-1600/plain-64bits/KeccakP-1600-opt64.c",
]

# The scheme's random source is a function of this program. CROSS's parts of a signature are in the order of
# its structure.
DRIVER = """
#include <stddef.h>
#include <stdint.h>
void (*lab_draw)(uint8_t *out, size_t size);
void OQS_randombytes(uint8_t *out, size_t size) { lab_draw(out, size); }
#ifdef LAB_CROSS
#include "CROSS.h"
const size_t lab_parts[] = {offsetof(CROSS_sig_t, path), offsetof(CROSS_sig_t, proof),
                            offsetof(CROSS_sig_t, resp_1), offsetof(CROSS_sig_t, resp_0)};
#endif
"""

# The sets with all alterations. The other sets of CROSS differ in their numbers only, and the public key of
# UOV is large: these have a few.
FULL = ["mayo-1", "mayo-2", "mayo-3", "mayo-5", "cross-rsdpg-128-fast", "cross-rsdp-128-small"]
FEW = [
    "AlteredMessage", "AlteredKey", "ShortSignature", "AlteredChallenge", "AlteredResponse",
    "AlteredElement", "AlteredLastByteOfSalt", "AlteredRandomiser", "AlteredLastNode",
]
# Signatures of CROSS at 192 and 256 bits have 20 to 75 KB, and the public key of UOV-Is 67 KB: these sets
# have one.
LARGE = re.compile("cross-.*-(192|256)-|uov-is-")
ONE = ["AlteredResponse", "AlteredElement"]

# The numbers of UOV's sets, as its sources name them.
UOV = {"is": ("Is", "_OV16_160_64"), "ip": ("Ip", "_OV256_112_44")}


class Form:
    """What differs between the families: names, definitions, and the order of a signed message."""

    def __init__(self, name):
        self.family, _, number = name.partition("-")
        if self.family == "mayo":
            self.title, self.folder = f"MAYO-{number}", f"mayo/pqmayo_{name}_opt"
            self.prefix = f"pqmayo_MAYO_{number}_opt_crypto_sign_"
            self.defines = [f"MAYO_VARIANT=MAYO_{number}", "MAYO_BUILD_TYPE_OPT", "HAVE_RANDOMBYTES_NORETVAL"]
        elif self.family == "cross":
            self.title, self.folder = name, f"cross/upcross_{name}_clean"
            self.prefix = f"PQCLEAN_{name.replace('-', '').upper()}_CLEAN_crypto_sign_"
            self.defines = ["LAB_CROSS"]
        elif self.family == "sphincs":
            words = number.split("-")
            self.title = f"SPHINCS+-{words[0].upper()}-{words[1]}-{words[2]}"
            self.folder = f"sphincs/pqclean_{name}_clean"
            self.prefix = f"PQCLEAN_{name.replace('-', '').upper()}_CLEAN_crypto_sign_"
            self.defines = []
        else:
            of, form = number.split("-", 1)
            level, numbers = UOV[of]
            self.title = f"OV-{level}-{form}"
            words = self.title[3:].replace("-", "_")
            self.folder, self.prefix = f"uov/pqov_ov_{words}_ref", f"pqov_uov_{words}_ref_"
            self.defines = [numbers, "_OV_PKC_SKC", "_UTILS_OQS_"]

    def signed(self, message, signature):
        return signature + message if self.family in ["mayo", "sphincs"] else message + signature


class Scheme:
    """A scheme of liboqs, compiled and loaded."""

    def __init__(self, form, liboqs, folder):
        self.form = form
        common, sources = liboqs / "src" / "common", liboqs / "src" / "sig" / form.folder
        include = [sources, HEADERS, liboqs / "src", common / "pqclean_shims"]
        library = folder / "scheme.so"
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", library, *(f"-D{define}" for define in form.defines),
             *(f"-I{path}" for path in include), "-x", "c", "-", *(common / file for file in COMMON),
             *sorted(sources.glob("*.c"))],
            input=DRIVER.encode(), check=True)
        self.library = ctypes.CDLL(library)
        header = liboqs / "src" / "sig" / form.family / f"sig_{form.family}.h"
        self.sizes = [self.size(header, what) for what in ["public_key", "secret_key", "signature"]]

    def size(self, header, what):
        name = "uov_" * (self.form.family == "uov") + self.form.title.lower().replace("+", "").replace("-", "_")
        found = re.search(rf"define OQS_SIG_{name}_length_{what} (\d+)", header.read_text(), re.IGNORECASE)
        return int(found.group(1))

    def call(self, name, *arguments):
        return getattr(self.library, f"{self.form.prefix}{name}")(*arguments)

    def draw_from(self, generator):
        """Gives the list of what the scheme draws from now on."""
        drawn = []

        def draw(out, size):
            drawn.append(generator.draw(size))
            ctypes.memmove(out, drawn[-1], size)

        self.callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t)(draw)
        ctypes.c_void_p.in_dll(self.library, "lab_draw").value = ctypes.cast(
            self.callback, ctypes.c_void_p).value
        return drawn

    def answer(self, seed, message):
        """Key pair and signature, with what each of them draws."""
        public, private, signature = (ctypes.create_string_buffer(size) for size in self.sizes)
        generator = Generator(seed)
        of_key_pair = self.draw_from(generator)
        assert self.call("keypair", public, private) == 0
        of_signature = self.draw_from(generator)
        size = ctypes.c_size_t()
        length = ctypes.c_size_t(len(message))
        assert self.call("signature", signature, ctypes.byref(size), message, length, private) == 0
        assert size.value == self.sizes[2]
        return {
            "seed": b"".join(of_key_pair), "rnd": b"".join(of_signature), "msg": message,
            "pk": public.raw, "sk": private.raw, "sig": signature.raw,
        }

    def parts(self):
        return list((ctypes.c_size_t * 4).in_dll(self.library, "lab_parts"))


def answers(scheme, count):
    """The first known answers, with the text of NIST's program."""
    generator = Generator(bytes(range(48)))
    for number in range(count):
        seed = generator.draw(48)
        message = generator.draw(33 * (number + 1))
        answer = scheme.answer(seed, message)
        signed = scheme.form.signed(message, answer["sig"])
        lines = [
            f"count = {number}", f"seed = {seed.hex().upper()}", f"mlen = {len(message)}",
            f"msg = {message.hex().upper()}", f"pk = {answer['pk'].hex().upper()}",
            f"sk = {answer['sk'].hex().upper()}", f"smlen = {len(signed)}", f"sm = {signed.hex().upper()}",
        ]
        yield answer, "\n".join(lines) + "\n"


def proven(scheme, liboqs, which, count):
    """The known answers, if their text has the published digest."""
    made = list(answers(scheme, count))
    text = "\n".join(text for _, text in made)
    published = json.loads((liboqs / "tests/KATs/sig/kats.json").read_text())[scheme.form.title][which]
    if hashlib.sha256(text.encode()).hexdigest() != published:
        sys.exit(f"{scheme.form.title}: this is not the published known answer")
    return [answer for answer, _ in made]


def kat(scheme, answer):
    alone("keyGen", 0, {key: answer[key] for key in ["seed", "pk", "sk"]})
    alone("sign", 0, {key: answer[key] for key in ["pk", "sk", "msg", "rnd", "sig"]})


def places(name, scheme, signature):
    """Bits of a signature that are flipped, by their part."""
    if scheme.form.family == "sphincs":
        # A randomiser of 16 bytes, the trees of FORS, and the layers of XMSS.
        return {"AlteredRandomiser": 0, "AlteredSecret": 16, "AlteredElement": len(signature) // 2,
                "AlteredLastNode": -1}
    if scheme.form.family != "cross":
        # A salt is as long as MAYO's private key, and has 16 bytes in UOV.
        salt = len(signature) - (16 if scheme.form.family == "uov" else scheme.sizes[1])
        return {
            "AlteredFirstElement": 0, "AlteredElement": salt // 2, "AlteredLastElement": salt - 1,
            "AlteredSalt": salt, "AlteredLastByteOfSalt": -1,
        }
    path, proof, hashes, vectors = scheme.parts()
    found = {
        "AlteredSalt": 0, "AlteredCommitment": 32, "AlteredChallenge": 64, "AlteredPath": path,
        "AlteredProof": proof, "AlteredHash": hashes, "AlteredResponse": vectors,
        "AlteredLastResponse": -1,
    }
    # The paths of most challenges are shorter than their fields, and the rest must be zero.
    if signature[proof - 1] == 0:
        found["AlteredRestOfPath"] = proof - 1
    if signature[hashes - 1] == 0:
        found["AlteredRestOfProof"] = hashes - 1
    return found


def altered(name, scheme, answer):
    values = {key: answer[key] for key in ["pk", "msg", "sig"]}
    public, message, signature = values.values()
    changes = {
        "AlteredMessage": {"msg": flipped(message, 0)},
        "ShortMessage": {"msg": message[:-1]},
        "LongMessage": {"msg": message + b"\0"},
        "EmptyMessage": {"msg": b""},
        "AlteredSeedOfKey": {"pk": flipped(public, 0)},
        "AlteredKey": {"pk": flipped(public, -2)},
        "ShortSignature": {"sig": signature[:-1]},
    }
    if scheme.form.family == "cross":
        # The last byte of a public key has bits that no element takes.
        changes["AlteredPaddingOfKey"] = {"pk": flipped(public, -1, 0x80)}
    for flag, place in places(name, scheme, signature).items():
        changes[flag] = {"sig": flipped(signature, place)}
    if name not in FULL:
        kept = ONE if LARGE.match(name) else FEW
        changes = {flag: change for flag, change in changes.items() if flag in kept}
    alone("verify", 1, values)
    for number, (flag, change) in enumerate(changes.items(), 2):
        alone("verify", number, {**values, **change}, flag)


def main():
    task, name, liboqs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        scheme = Scheme(Form(name), liboqs, pathlib.Path(folder))
        if task == "check":
            proven(scheme, liboqs, "all", 100)
            print(f"{scheme.form.title}: 100 known answers have the published digest")
            return
        [answer] = proven(scheme, liboqs, "single", 1)
    round_ = 3 if scheme.form.family == "sphincs" else 2
    print(f"# {scheme.form.title} (round {round_}), written by subset-liboqs.py (README.md)")
    if task == "kat":
        kat(scheme, answer)
    else:
        altered(name, scheme, answer)


if __name__ == "__main__":
    main()
