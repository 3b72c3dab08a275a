#!/usr/bin/env python3
"""Writes the vectors of SLH-DSA that stand in slh-dsa/, from the files in which ACVP's are published.

usage: subset-slh-dsa.py acvp SET FOLDER     an excerpt of key pairs, signatures and verifications
       subset-slh-dsa.py altered SET FOLDER  a signature of ACVP, altered: each must be refused
       subset-slh-dsa.py hashed SET FOLDER   signatures of HashSLH-DSA with SHA-256, and one altered

SET is sha2-128s, sha2-128f, shake-128s or shake-128f. FOLDER has keyGen_*, sigGen_* and verify_*.json.gz.
Of ACVP's signatures those of whole messages by the external functions are kept, with the shortest
messages: a small board has no room for others. ACVP gives a deterministic signature no random bytes;
here they are PK.seed, with which the hedged functions make the same signature [FIPS205, 9.2]. The message of
HashSLH-DSA is given as its digest, which is what the functions for it take.
"""

import gzip
import hashlib
import json
import pathlib
import sys

from rsp import case, field

N = 16
KEY_PAIRS = 3
SIGNATURES = {"s": 2, "f": 1}  # deterministic, and as many with random bytes
REFUSED = {"s": 3, "f": 2}

# Of FIPS 205's table 2: height of a tree, FORS trees, their height.
SHAPES = {"s": (9, 14, 12), "f": (3, 33, 6)}


def tests(folder, mode, name, kind="pure"):
    """The tests of a parameter set, each with its answer and what its group has."""
    prompt, answer = (json.loads(gzip.open(folder / f"{mode}_{part}.json.gz").read())
                      for part in ("prompt", "results"))
    answers = {test["tcId"]: test for group in answer["testGroups"] for test in group["tests"]}
    wanted = f"slh-dsa-{name}"
    for group in prompt["testGroups"]:
        external = group.get("signatureInterface") in (None, "external")
        if group["parameterSet"].lower() == wanted and external and group.get("preHash") in (None, kind):
            for test in group["tests"]:
                yield {**group, **test, **answers[test["tcId"]]}


def shortest(found, count):
    return sorted(found, key=lambda test: len(test["message"]))[:count]


def signed(folder, name):
    """The signatures that are kept."""
    found = list(tests(folder, "sigGen", name))
    for deterministic in (True, False):
        kept = [test for test in found if test["deterministic"] == deterministic]
        yield from shortest(kept, SIGNATURES[name[-1]])


def message(test):
    values = {"msg": test["message"], "ctx": test.get("context", "")}
    return {name: value for name, value in values.items() if value}


def acvp(name, folder):
    print("\n[keyGen]")
    for test in list(tests(folder, "keyGen", name))[:KEY_PAIRS]:
        seed = test["skSeed"] + test["skPrf"] + test["pkSeed"]
        case(test["tcId"], "valid", "", {"seed": seed, "pk": test["pk"], "sk": test["sk"]})
    print("\n[sign]")
    for test in signed(folder, name):
        key = test["sk"]
        random = test.get("additionalRandomness", key[4 * N:6 * N])
        values = {"pk": key[4 * N:], "sk": key, **message(test), "rnd": random, "sig": test["signature"]}
        case(test["tcId"], "valid", "Deterministic" if test["deterministic"] else "", values)
    print("\n[verify]")
    found = [test for test in tests(folder, "verify", name)
             if len(test["signature"]) <= 2 * size(name)]
    kept = shortest((test for test in found if test["testPassed"]), 1)
    kept += shortest((test for test in found if not test["testPassed"]), REFUSED[name[-1]])
    for test in kept:
        result = "valid" if test["testPassed"] else "invalid"
        flags = "" if test["testPassed"] else "Published"
        case(test["tcId"], result, flags, {"pk": test["pk"], **message(test), "sig": test["signature"]})


def digested(test):
    """The test with the SHA-256 of its message in the message's place."""
    digest = hashlib.sha256(bytes.fromhex(test["message"])).hexdigest()
    return {**test, "message": digest}


def hashed(name, folder):
    print("\n[keyGen]")
    for test in list(tests(folder, "keyGen", name))[:KEY_PAIRS]:
        seed = test["skSeed"] + test["skPrf"] + test["pkSeed"]
        case(test["tcId"], "valid", "", {"seed": seed, "pk": test["pk"], "sk": test["sk"]})
    signatures = [digested(test) for test in tests(folder, "sigGen", name, "preHash")
                  if test["hashAlg"] == "SHA2-256"]
    print("\n[sign]")
    for test in signatures:
        key = test["sk"]
        random = test.get("additionalRandomness", key[4 * N:6 * N])
        values = {"pk": key[4 * N:], "sk": key, **message(test), "rnd": random, "sig": test["signature"]}
        case(test["tcId"], "valid", "Deterministic" if test["deterministic"] else "", values)
    test, key = signatures[0], signatures[0]["sk"][4 * N:]
    text = message(test)
    print("\n[verify]")
    field("pk", key)
    field("sig", test["signature"])
    case(1, "valid", "", text)
    case(2, "invalid", "AlteredDigest", {**text, "msg": flipped(text["msg"], 31)})
    case(3, "invalid", "AlteredContext", {**text, "ctx": flipped(text["ctx"], 0)})
    case(4, "invalid", "WithoutContext", {"msg": text["msg"]})
    # The pure signature of a message is none of its digest [FIPS205, 10.2.2].
    pure = digested(next(test for test in signed(folder, name) if test.get("context")))
    values = {"pk": pure["sk"][4 * N:], **message(pure), "sig": pure["signature"]}
    print("\n[verify]")
    case(5, "invalid", "PureSignature", values)


def size(name):
    height, trees, leaves = SHAPES[name[-1]]
    layers = 63 // height if name.endswith("s") else 66 // height
    return N * (1 + trees * (1 + leaves) + layers * (35 + height))


def flipped(text, byte):
    """The text with one bit of a byte changed."""
    return f"{text[:2 * byte]}{int(text[2 * byte:2 * byte + 2], 16) ^ 1:02x}{text[2 * byte + 2:]}"


def altered(name, folder):
    test = next(test for test in signed(folder, name) if test.get("context"))
    height, trees, leaves = SHAPES[name[-1]]
    fors = N * (1 + trees * (1 + leaves))
    signature, text = test["signature"].lower(), message(test)
    context, without = text["ctx"], {"msg": text["msg"]}
    places = {
        "AlteredRandomiser": 0, "AlteredForsSecret": N, "AlteredForsPath": 2 * N,
        "AlteredOneTimeSignature": fors, "AlteredTreePath": fors + 35 * N,
        "AlteredLastByte": size(name) - 1,
    }
    key = test["sk"][4 * N:]
    print("\n[verify]")
    field("pk", key)
    field("sig", signature)
    case(1, "valid", "", text)
    case(2, "invalid", "AlteredMessage", {**text, "msg": flipped(text["msg"], 0)})
    case(3, "invalid", "AlteredContext", {**text, "ctx": flipped(context, len(context) // 2 - 1)})
    case(4, "invalid", "WithoutContext", without)
    case(5, "invalid", "ContextInMessage", {"msg": context + text["msg"]})
    print("\n[verify]")
    field("pk", key)
    for number, (flag, place) in enumerate(places.items(), 6):
        case(number, "invalid", flag, {**text, "sig": flipped(signature, place)})
    case(12, "invalid", "ShortSignature", {**text, "sig": signature[:-2]})
    print("\n[verify]")
    case(13, "invalid", "AlteredRoot", {"pk": flipped(key, 2 * N - 1), **text, "sig": signature})


def main():
    source, name, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    title = f"SLH-DSA-{name.replace('sha', 'SHA')}"
    title = f"Hash{title} with SHA-256" if source == "hashed" else title
    print(f"# {title}, written by subset-slh-dsa.py (README.md)")
    {"acvp": acvp, "altered": altered, "hashed": hashed}[source](name, folder)


if __name__ == "__main__":
    main()
