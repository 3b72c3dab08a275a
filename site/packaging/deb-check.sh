#!/usr/bin/env bash
# Installs the Debian packages on a clean root file system, uses them as a new user would, and
# purges them. Prints "N passed, N failed". Needs root, mmdebstrap and Debian's archive.
#
# usage: site/packaging/deb-check.sh FOLDER     the folder with selo_*.deb and selo-lab_*.deb
# environment: SELO_LAB  the built command `selo-lab`, for a virtual node (default: target/release/selo-lab)
set -euo pipefail
debs=$(realpath -m "${1:?the folder with the packages}")
cd "$(dirname "$0")/../.."
. tools/verdict.sh
[ "$(id -u)" = 0 ] || { echo "deb-check: root is needed to make a root file system" >&2; exit 3; }
command -v mmdebstrap >/dev/null || { echo "deb-check: mmdebstrap is missing; install it: apt-get install mmdebstrap" >&2; exit 3; }
for name in selo selo-lab; do
    ls "$debs/${name}"_*.deb >/dev/null 2>&1 || { echo "deb-check: no ${name}_*.deb in $debs; site/packaging/build.sh deb makes it" >&2; exit 3; }
done
scratch=$(mktemp -d)
root=$scratch/root
unmount() {
    local folder
    for folder in proc dev; do
        ! mountpoint -q "$root/$folder" || umount -l "$root/$folder"
    done
}
trap 'unmount; rm -rf --one-file-system "$scratch"' EXIT
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mmdebstrap --quiet --variant=apt "$release" "$root"
cp "$debs"/selo_*.deb "$debs"/selo-lab_*.deb "$root/"
echo "127.0.0.1 localhost" >"$root/etc/hosts"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
inside() { chroot "$root" env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"; }
# holds_inside WHAT COMMAND...: the command succeeds inside.
holds_inside() {
    local what=$1 said
    shift
    said=$(inside "$@" 2>&1) && said=
    verdict "$what" "$(tail -n 5 <<<"$said")"
}

started=$SECONDS
holds_inside "apt installs selo" sh -c 'apt-get -qq -y --no-install-recommends install /selo_*.deb'
holds_inside "selo answers" selo --version
holds_inside "the configuration is valid" selo config check /etc/selo/selo.toml
holds_inside "others cannot read it" sh -c '[ "$(stat -c %a:%U:%G /etc/selo/selo.toml)" = 640:root:selo ]'
holds_inside "no compiler was needed" sh -c '! command -v cc && ! command -v avr-gcc'
# The first page of a site, and the first reading on it: of a virtual node outside, whose key the site
# imports.
selo_lab=${SELO_LAB:-target/release/selo-lab}
"$selo_lab" node --state "$scratch/node" --count 1 --make-registry "$scratch/nodes.json" >/dev/null 2>&1 || true
install -m 0644 "$scratch/nodes.json" "$root/nodes.json" 2>/dev/null || echo "no key of a node" >"$scratch/node.log"
inside bash -c '
    install -d -m 700 -o selo -g selo /var/lib/selo
    as_selo="setpriv --reuid selo --regid selo --clear-groups env SELO_STATE=/var/lib/selo"
    $as_selo selo device import /nodes.json >/tmp/up 2>&1
    $as_selo selo up --http 127.0.0.1:17380 --listen 127.0.0.1:17356 >>/tmp/up 2>&1 &
    while [ ! -e /tmp/stop ] && kill -0 $!; do sleep 0.1; done
    kill $!
    wait $!' 2>/dev/null &
page=http://127.0.0.1:17380
for _ in $(seq 300); do
    [ "$(curl -s -o /dev/null -w '%{http_code}' "$page/" || true)" != 200 ] || break
    sleep 0.1
done
verdict "selo up serves the dashboard" "$(curl -sf -o /dev/null "$page/" || cat "$root/tmp/up")"
echo "from an empty machine to the first page: $((SECONDS - started)) s (wall-clock)" >&2
"$selo_lab" node --state "$scratch/node" --to 127.0.0.1:17356 --readings 1 --confirmed >>"$scratch/node.log" 2>&1 || true
password=$(cat "$root/var/lib/selo/collector/admin-password" 2>/dev/null || true)
curl -sf -o /dev/null -c "$scratch/cookie" -H 'content-type: application/json' \
    -d "{\"user\":\"admin\",\"password\":\"$password\"}" "$page/api/v1/login" || true
shown=
for _ in $(seq 100); do
    shown=$(curl -sf -b "$scratch/cookie" "$page/api/v1/stations" || true)
    [[ $shown != *'"values":{"'* && $shown != *'"rain_total"'* ]] || break
    sleep 0.1
done
verdict "the first reading is on the page" "$([[ $shown == *rain_total* ]] || { echo "$shown"; tail -n 3 "$scratch/node.log" "$root/tmp/up"; })"
echo "from an empty machine to the first reading on the page: $((SECONDS - started)) s (wall-clock)" >&2
touch "$root/tmp/stop"
wait $! || true
holds_inside "what the site knows survives a purge" sh -c 'apt-get -qq -y purge selo && [ -d /var/lib/selo ] && [ ! -e /etc/selo ] && [ ! -e /usr/bin/selo ]'

started=$SECONDS
holds_inside "apt installs selo-lab and a compiler" sh -c 'apt-get -qq update && apt-get -qq -y --no-install-recommends install /selo-lab_*.deb gcc-avr avr-libc git'
holds_inside "a user without a checkout measures the simulated Uno" sh -c '
    useradd -m -d /srv/maker maker && cd /srv/maker &&
    setpriv --reuid maker --regid maker --clear-groups env HOME=/srv/maker \
        selo-lab run --board uno --library selo --algorithm aes-128 --variant small >/tmp/rows 2>&1 &&
    grep -q "3 rows\|1 of 1 units" /tmp/rows || { cat /tmp/rows; exit 1; }'
echo "from an empty machine to the first measurement: $((SECONDS - started)) s (wall-clock)" >&2
holds_inside "a purge leaves nothing" sh -c 'apt-get -qq -y purge selo-lab && [ ! -e /usr/share/selo ] && [ ! -e /usr/lib/selo ]'

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
