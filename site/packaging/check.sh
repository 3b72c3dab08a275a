#!/usr/bin/env bash
# Checks site/packaging/ statically: the units are valid and sandboxed, the commands in the
# compose file are valid, `make install` installs every file, and the Debian packages hold what a
# measurement needs (site/packaging/deb-check.sh installs and purges them). Prints "N passed, N failed" at
# the end.
#
# usage: site/packaging/check.sh SELO        the built command; selo-lab lies beside it
set -euo pipefail
selo=$(realpath "$1")
cd "$(dirname "$0")/../.."
. tools/verdict.sh
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export HOME=$scratch XDG_CONFIG_HOME=$scratch

# Install into a scratch folder.
mkdir -p "$scratch/root"
make --no-print-directory -s install SELO="$selo" DESTDIR="$scratch/root" PREFIX=/usr
for file in usr/bin/selo lib/systemd/system/selo.service lib/sysusers.d/selo.conf \
    etc/selo/selo.toml usr/share/bash-completion/completions/selo \
    usr/share/zsh/vendor-completions/_selo usr/share/fish/vendor_completions.d/selo.fish \
    usr/share/man/man1/selo.1 usr/share/man/man1/selo-up.1; do
    verdict "make install" "$([ -s "$scratch/root/$file" ] || echo "no $file")"
done
"$selo" config check "$scratch/root/etc/selo/selo.toml" 2>"$scratch/said" || true
verdict "the installed selo.toml" "$(grep -v 'nothing is wrong' "$scratch/said" || true)"

# Unpack the Debian packages, and measure with the laboratory's, away from this checkout.
if SELO=$selo SELO_LAB=$(dirname "$selo")/selo-lab DEB_LEVEL=1 site/packaging/deb.sh "$scratch/debs" >"$scratch/said" 2>&1; then
    dpkg-deb --ctrl-tarfile "$scratch"/debs/selo_*.deb | tar -t >"$scratch/said"
    for file in conffiles control md5sums postinst postrm prerm; do
        verdict "the package selo" "$(grep -qx "./$file" "$scratch/said" || echo "no $file")"
    done
    dpkg-deb -x "$scratch"/debs/selo-lab_*.deb "$scratch/lab"
    mkdir "$scratch/empty"
    said=$(cd "$scratch/empty" && env -u SELO_PROJECT XDG_DATA_HOME="$scratch/data" "$scratch/lab/usr/bin/selo-lab" \
        run --board uno --library selo --algorithm aes-128 --variant small --json 2>&1) && said=
    verdict "a measurement with the package selo-lab" "$said"
    verdict "files in the working folder" "$(ls -A "$scratch/empty")"
else
    verdict "site/packaging/deb.sh" "$(tail -n 5 "$scratch/said")"
fi

# Limits of memory, tasks and files must be in every unit, and equal in the containers.
verdict "limits" "$(site/packaging/check-limits.py)"

if command -v systemd-analyze >/dev/null; then
    mkdir "$scratch/units"
    for unit in site/packaging/systemd/*.service; do
        name=$(basename "$unit")
        sed "s|@BINDIR@|$(dirname "$selo")|" "$unit" >"$scratch/units/$name"
        said=$(systemd-analyze verify --man=no "$scratch/units/$name" 2>&1 | grep -F "$name" || true)
        verdict "systemd-analyze verify $name" "$said"
        # The exposure scale goes from 0 (closed) to 10 (open); the threshold is in tenths.
        said=$(systemd-analyze security --offline=yes --threshold=20 --no-pager \
            "$scratch/units/$name" 2>&1) && said=
        verdict "systemd-analyze security $name" "$(tail -n 1 <<<"$said")"
    done
elif [ -n "${CI:-}" ]; then
    verdict "systemd-analyze" "missing: apt-get install systemd"
else
    echo "skipped: systemd-analyze is not installed" >&2
fi

# Check the containers' commands with the parser that would read them.
python3 - site/packaging/compose.yaml >"$scratch/commands" <<'PY'
import json, re, sys
service = None
for line in open(sys.argv[1]):
    if match := re.match(r"  (\w+):\s*$", line):
        service = match[1]
    if match := re.match(r"    command: (\[.*\])\s*$", line):
        command = json.loads(match[1])
        if command[0] != "mosquitto":
            print("\t".join([service, *command]))
PY
verdict "compose.yaml" "$([ "$(wc -l <"$scratch/commands")" -eq 3 ] || echo "expected 3 commands of selo")"
while IFS=$'\t' read -r -a words; do
    case ${words[1]} in
    setup) "$selo" setup "$scratch/farm" "${words[@]:3}" >/dev/null 2>"$scratch/said" && : >"$scratch/said" || true ;;
    *) "$selo" config show "${words[1]}" -- "${words[@]:2}" >/dev/null 2>"$scratch/said" || true ;;
    esac
    verdict "compose.yaml, ${words[0]}" "$(cat "$scratch/said")"
done <"$scratch/commands"
for file in site/packaging/postgres/grafana.sh site/packaging/Containerfile site/packaging/grafana/dashboards/selo.json; do
    verdict "compose.yaml" "$([ -s "$file" ] || echo "$file is missing")"
done

echo "packaging: $passed passed, $failed failed"
[ "$failed" -eq 0 ]
