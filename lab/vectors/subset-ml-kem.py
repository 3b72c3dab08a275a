#!/usr/bin/env python3
"""Writes the vectors of ML-KEM that stand in ml-kem/, from the files in which they are published.

usage: subset-ml-kem.py acvp BITS FOLDER        FOLDER has ML-KEM-keyGen-FIPS203/ and
                                                ML-KEM-encapDecap-FIPS203/ of ACVP, as *.json.gz
       subset-ml-kem.py wycheproof BITS FOLDER  FOLDER has mlkem_BITS_*test.json

Of ACVP all cases are kept. Of Wycheproof: all cases that others have contributed, and every 12th of
Wycheproof's own.
"""

import gzip
import json
import pathlib
import sys

FIELDS = ("seed", "d", "z", "m", "ek", "dk", "c", "k")


def section(name):
    print(f"\n[{name}]")


def case(number, result, values):
    print(f"\ncount = {number}\nresult = {result}")
    for field in FIELDS:
        if field in values:
            print(f"{field} = {values[field].lower()}")


def acvp(bits, folder):
    for mode in ("keyGen", "encapDecap"):
        prompts, answers = (
            json.loads(gzip.open(folder / f"ML-KEM-{mode}-FIPS203" / f"{name}.json.gz").read())
            for name in ("prompt", "expectedResults"))
        for prompt, answer in zip(prompts["testGroups"], answers["testGroups"]):
            if prompt["parameterSet"] != f"ML-KEM-{bits}":
                continue
            section(prompt.get("function", mode))
            found = {test["tcId"]: test for test in answer["tests"]}
            for test in prompt["tests"]:
                of_group = {"dk": prompt["dk"]} if "dk" in prompt else {}
                case(test["tcId"], "valid", {**of_group, **test, **found[test["tcId"]]})


def kept(test, source):
    return source != "FIPS 203" or test["tcId"] % 12 == 1


def wycheproof(bits, folder):
    for name, file in (("keyGen", "keygen_seed_"), ("encapsulation", "encaps_"),
                       ("decapsulation", "semi_expanded_decaps_"), ("seed", "")):
        section(name)
        groups = json.loads((folder / f"mlkem_{bits}_{file}test.json").read_text())["testGroups"]
        for group in groups:
            for test in group["tests"]:
                if kept(test, group["source"]["name"]):
                    values = {key.lower(): value for key, value in test.items()}
                    case(test["tcId"], test["result"], values)


def main():
    source, bits, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    print(f"# ML-KEM-{bits}, written by subset-ml-kem.py (README.md)")
    {"acvp": acvp, "wycheproof": wycheproof}[source](bits, folder)


if __name__ == "__main__":
    main()
