#!/usr/bin/env bash
# Runs `npm ci` in a folder, unless its node_modules match the lock file.
#
# usage: tools/npm-ci.sh FOLDER
set -euo pipefail
cd "$1"
stamp=node_modules/.installed-from
if ! cmp -s package-lock.json "$stamp"; then
    npm ci --no-audit --no-fund --loglevel=error
    cp package-lock.json "$stamp"
fi
