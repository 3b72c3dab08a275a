#!/usr/bin/env bash
# The excerpt of a GCMVS response file that stands in gcmvs/: every group, and of each
# group the first two vectors; in decryption the first that passes and the first that
# is to fail. The groups go through all sizes of IV, plaintext, AAD and tag.
#
# usage: lab/vectors/subset-gcmvs.sh gcmDecrypt128.rsp > lab/vectors/gcmvs/gcmDecrypt128.rsp
set -euo pipefail

case $(basename "$1") in
gcmDecrypt*) passing=1 ;;
*) passing=2 ;;
esac

tr -d '\r' <"$1" | awk -v passing="$passing" '
    BEGIN { RS = ""; ORS = "\n\n" }
    /^#/ { print $0 "\n# Excerpt: of each group the first vectors (see README.md)"; next }
    /^\[/ { passed = failed = 0; print; next }
    /FAIL/ { if (!failed++) print; next }
    passed++ < passing
'
