#!/usr/bin/env bash
# Tests that the checks of formal/run.sh can fail: plants faults in a copy of the models,
# keeps the expected verdicts, and expects formal/run.sh to fail for each fault.
#
# usage: formal/can-fail.sh [--quick]
#   --quick  only that a changed model is run; it needs no Verifpal
set -uo pipefail
here=$(CDPATH='' cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

quick=${1:-}
passed=0 failed=0
# fault MODEL MESSAGE COMMAND: runs COMMAND in the copy to plant the fault. run.sh on
# MODEL (on all models if empty) must then fail, with MESSAGE in its output.
fault() {
    local output status
    rm -rf "${copy:?}"/*
    cp -r "$here"/*.vp "$here/README.md" "$here/verified.txt" "$here/attackers" "$here/broken" "$copy"
    # One session suffices to show the faults, and is fast.
    [ "$quick" = --quick ] || sed -i 's|^attacker\[|// sessions: 1\n&|' "$copy"/join.vp "$copy"/pair.vp
    if ! (cd "$copy" && eval "$3"); then
        failed=$((failed + 1))
        echo "FAILED: could not plant: $3" >&2
        return
    fi
    output=$("$here/run.sh" --folder "$copy" ${quick:+--changed} ${1:+"$1"} 2>&1)
    status=$?
    if [ "$status" -eq 1 ] && grep -qF -- "$2" <<<"$output"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: run.sh did not say \"$2\" after: $3" >&2
        sed 's/^/    | /' <<<"$output" >&2
    fi
}

if [ "$quick" = --quick ]; then
    # This is no Verifpal: whatever is run with it fails.
    export SELO_VERIFPAL=false
    fault '' '28 models are as verified.txt has them, 4 are run' "sed -i 's/attacker.active./attacker[passive]/' cookie.vp"
    fault join 'did not answer' "sed -i 's/, device_key, nil)/, nil, nil)/' join.vp"
    fault classic 'did not answer' "sed -i 's|// attack: the man in the middle|// holds|' classic.vp"
    fault classic-passive 'could not be written' "sed -i 's/attacker.active./attacker[active] /' classic.vp"
    fault '' 'README.md: the results' "sed -i '/^join (/,/^\`/{/^\`/!d}' README.md"
    fault '' '0 models are as verified.txt' "rm verified.txt"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
fi

# The attack on classic is not found: a passive attacker cannot carry it out.
fault classic 'EXPECTED: attack' "sed -i 's/attacker.active./attacker[passive]/' classic.vp"
# The protocol is broken, but the model expects it to hold.
fault join 'EXPECTED: holds' "sed -i 's/, device_key, nil)/, nil, nil)/' join.vp"
fault join 'EXPECTED: holds' "sed -i 's/DH_KEX([a-z_]*, [a-z_]*), nil)/nil, nil)/' join.vp"
fault cookie 'EXPECTED: holds' "sed -i 's/MAC(secret, CONCAT([a-z]*, id))/MAC(secret, id)/' cookie.vp"
fault pair 'EXPECTED: holds' "sed -i '/ASSERT(digits/d' pair.vp"
fault restore 'EXPECTED: holds' "sed -i 's/HASH(down_[gn], start_[ab])/HASH(nil)/' restore.vp"
# The checks of the script itself.
fault classic 'EXPECTED: unstated' "sed -i 's|// attack: the man in the middle||' classic.vp"
fault classic 'did not answer' "sed -i 's/PUBKEY(e_g)/PUBLICKEY(e_g)/' classic.vp"
fault classic 'did not answer' "sed -i '/^queries/,\$d' classic.vp"
fault classic-passive 'could not be written' "sed -i 's/attacker.active./attacker[active] /' classic.vp"
# The README shows results that differ from those of the run.
fault '' 'README.md: the results' \
    "rm -r join.vp pair*.vp restore.vp attackers broken; sed -i '/^join (/,/^\`/{/^\`/!d}; s/attack  equi/holds   equi/' README.md"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
