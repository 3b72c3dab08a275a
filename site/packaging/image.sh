#!/usr/bin/env bash
# Builds an OCI image of the static command `selo`, and the repository of the add-on for Home
# Assistant. Needs no daemon and no network: the image is made from nothing, by buildah.
#
# usage: site/packaging/image.sh oci [FOLDER]             writes FOLDER/selo-image.tar (OCI archive)
#        site/packaging/image.sh home-assistant [FOLDER]  writes the folder FOLDER/home-assistant
#        (default: out/packaging; site/packaging/build.sh static makes the commands there)
# environment: SELO_STATIC  the static command for this machine's processor, for `oci`
set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(realpath -m "${2:-out/packaging}")
authorities=/etc/ssl/certs/ca-certificates.crt
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
[ -s "$authorities" ] || { echo "image: no $authorities; install it: apt-get install ca-certificates" >&2; exit 3; }

# The folders that a program expects, in the folder $1/root. They belong to whom the image names.
skeleton() {
    mkdir -p "$1/root/state" "$1/root/tmp"
    chmod 0700 "$1/root/state"
    chmod 1777 "$1/root/tmp"
    cp "$authorities" "$1/ca-certificates.crt"
}

needs() { # FILE: a command that `build.sh static` makes
    [ -x "$1" ] || { echo "image: no $1; site/packaging/build.sh static makes it" >&2; exit 3; }
}

oci() {
    local program=${SELO_STATIC:-$out/selo-$(uname -m)-unknown-linux-musl}
    needs "$program"
    command -v buildah >/dev/null || { echo "image: buildah is missing; install it: apt-get install buildah" >&2; exit 3; }
    skeleton "$scratch"
    install -m 0755 "$program" "$scratch/selo"
    cp site/packaging/image/Containerfile "$scratch/Containerfile"
    mkdir -p "$out"
    rm -f "$out/selo-image.tar"
    # vfs needs no rights on the file system; its folders are removed with the rest.
    buildah --root "$scratch/containers" --runroot "$scratch/run" --storage-driver vfs \
        build --quiet --isolation chroot --timestamp 0 --tag "selo:$version" "$scratch" >/dev/null
    buildah --root "$scratch/containers" --runroot "$scratch/run" --storage-driver vfs \
        push --quiet "selo:$version" "oci-archive:$out/selo-image.tar:selo:$version"
    echo "$out/selo-image.tar"
}

home_assistant() {
    local folder=$out/home-assistant architecture target
    rm -rf "$folder"
    mkdir -p "$folder"
    cp -R site/packaging/home-assistant/. "$folder"
    sed -i "s/@VERSION@/$version/" "$folder/selo/config.yaml"
    for architecture in $(sed -n 's/^arch: \[\(.*\)\]$/\1/p' "$folder/selo/config.yaml" | tr -d ','); do
        case $architecture in
        amd64) target=x86_64-unknown-linux-musl ;;
        aarch64) target=aarch64-unknown-linux-musl ;;
        armv7) target=armv7-unknown-linux-gnueabihf ;;
        *) echo "image: no static command is known for $architecture" >&2; exit 1 ;;
        esac
        needs "$out/selo-$target"
        install -m 0755 "$out/selo-$target" "$folder/selo/selo-$architecture"
    done
    skeleton "$folder/selo"
    # Git keeps no empty folders, and this folder is given away as a repository.
    touch "$folder/selo/root/state/.keep" "$folder/selo/root/tmp/.keep"
    cp CHANGELOG.md "$folder/selo/CHANGELOG.md"
    echo "$folder"
}

case ${1:-} in
oci) oci ;;
home-assistant) home_assistant ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; exit 2 ;;
esac
