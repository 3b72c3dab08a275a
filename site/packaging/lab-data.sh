#!/usr/bin/env bash
# Copies the files that the command `selo-lab` reads to a folder: boards, libraries, algorithms,
# vectors, papers, firmware, and the sources of the device library.
#
# usage: site/packaging/lab-data.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
mkdir -p "$1"
git ls-files -z lab/{boards,algorithms,libraries,vectors,papers,firmware} src station/src site/codecs \
    studies/firmware/{node,experiment,exchange,client} |
    xargs -0 cp --parents -t "$1"
