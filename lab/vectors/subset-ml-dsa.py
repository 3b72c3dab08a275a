#!/usr/bin/env python3
"""Writes the vectors of ML-DSA that stand in ml-dsa/, from the files in which they are published.

usage: subset-ml-dsa.py acvp LEVEL FOLDER        FOLDER has ML-DSA-keyGen-FIPS204/ of ACVP, as *.json.gz
       subset-ml-dsa.py wycheproof LEVEL FOLDER  FOLDER has mldsa_LEVEL_*_test.json

LEVEL is 44, 65 or 87. Of ACVP the first ten key pairs are kept. ACVP's signatures are those of the
internal functions, which a library need not export. Of Wycheproof an excerpt is kept; README.md says
what is left out.
"""

import gzip
import json
import pathlib
import re
import sys

from rsp import case, field

KEYS = 10

# Of many similar cases, these are kept: numbers of iterations, and every so many of a kind.
ITERATIONS = {1, 2, 7, 20}
SPARSE = {"InfinityNormViolation": 8, "ZeroPublicKey": 6}

# These are not asked of an operation that takes parts of one size, a context of at most 255 bytes,
# and a private key that keygen could have made.
LEFT_OUT = {"Internal", "IncorrectPrivateKeyLength", "IncorrectPublicKeyLength",
            "IncorrectSignatureLength", "InvalidContext"}


def acvp(level, folder):
    prompts, answers = (
        json.loads(gzip.open(folder / "ML-DSA-keyGen-FIPS204" / f"{name}.json.gz").read())
        for name in ("prompt", "expectedResults"))
    for prompt, answer in zip(prompts["testGroups"], answers["testGroups"]):
        if prompt["parameterSet"] != f"ML-DSA-{level}":
            continue
        print("\n[keyGen]")
        found = {test["tcId"]: test for test in answer["tests"]}
        for test in prompt["tests"][:KEYS]:
            made = found[test["tcId"]]
            case(test["tcId"], "valid", [], {"seed": test["seed"], "pk": made["pk"], "sk": made["sk"]})


def kept(test, seen):
    """True if the test is in the excerpt. `seen` counts the tests of each kind so far."""
    flags = set(test["flags"])
    if flags & LEFT_OUT:
        return False
    if test["result"] == "invalid" and "InvalidPrivateKey" in flags:
        return False
    iterations = re.search(r"takes (\d+) iteration", test["comment"])
    if iterations:
        return int(iterations[1]) in ITERATIONS
    for flag, every in SPARSE.items():
        if flag in flags and "index" not in test["comment"].split()[:1] and test["result"] == "invalid":
            seen[flag] = seen.get(flag, -1) + 1
            return seen[flag] % every == 0
    return True


def wycheproof(level, folder):
    signed = set()
    for section, file in (("sign", "sign_noseed"), ("seed", "sign_seed"), ("verify", "verify")):
        groups = json.loads((folder / f"mldsa_{level}_{file}_test.json").read_text())["testGroups"]
        seen = {}
        for group in groups:
            tests = [test for test in group["tests"] if kept(test, seen)]
            # What one section has signed, the next need not repeat.
            tests = [test for test in tests if test["result"] == "invalid" or test["sig"] not in signed]
            if not tests:
                continue
            print(f"\n[{section}]")
            field("pk", group["publicKey"])
            for name, key in (("sk", "privateKey"), ("seed", "privateSeed")):
                if key in group:
                    field(name, group[key])
            for test in tests:
                if test["result"] == "valid":
                    signed.add(test["sig"])
                values = {name: test[name] for name in ("msg", "ctx", "rnd", "sig") if test.get(name)}
                case(test["tcId"], test["result"], test["flags"], {"msg": "", **values})


def main():
    source, level, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    print(f"# ML-DSA-{level}, written by subset-ml-dsa.py (README.md)")
    {"acvp": acvp, "wycheproof": wycheproof}[source](level, folder)


if __name__ == "__main__":
    main()
