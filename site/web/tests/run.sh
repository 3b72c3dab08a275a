#!/usr/bin/env bash
# Tests the dashboard in a browser (Debian's Chromium) with a real collector. With
# SELO_WEB=site/web the pages are served from that folder instead of the program, so that they can
# be edited without a rebuild.
#
# usage: site/web/tests/run.sh [WORD]   runs only the tests whose name contains the word
set -euo pipefail
cd "$(dirname "$0")/../../.."
tools/npm-ci.sh site/web/tests
exec node site/web/tests/run.mjs "$@"
