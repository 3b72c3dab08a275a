#!/usr/bin/env bash
# The dashboard in a browser (Debian's Chromium), with a real collector behind it.
# With SELO_WEB=site/web the pages come from that folder instead of the program: for writing
# them without building each time.
#
# usage: site/web/tests/run.sh [WORD]   only tests whose name has the word
set -euo pipefail
cd "$(dirname "$0")/../../.."
tools/npm-ci.sh site/web/tests
exec node site/web/tests/run.mjs "$@"
