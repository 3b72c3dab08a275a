#!/usr/bin/env bash
# Builds the OCI image and the add-on for Home Assistant, and runs both in containers without a
# daemon: the image by a user without rights. Prints "N passed, N failed". Needs root (it makes the
# user), buildah and podman, and the static commands (site/packaging/build.sh static).
#
# usage: site/packaging/image-check.sh FOLDER     the folder with the static commands
set -euo pipefail
out=$(realpath -m "${1:?the folder with the static commands}")
cd "$(dirname "$0")/../.."
. tools/verdict.sh
[ "$(id -u)" = 0 ] || { echo "image-check: root is needed, to make a user without rights" >&2; exit 3; }
for program in buildah podman; do
    command -v "$program" >/dev/null || { echo "image-check: $program is missing; install it: apt-get install buildah podman uidmap fuse-overlayfs slirp4netns" >&2; exit 3; }
done
scratch=$(mktemp -d)
chmod 0755 "$scratch"
user=selo-image-check
ended() {
    pkill -KILL -u "$user" 2>/dev/null || true
    userdel "$user" 2>/dev/null || true
    chmod -R u+rwX "$scratch" 2>/dev/null || true
    rm -rf "$scratch"
}
trap ended EXIT
useradd --create-home --home-dir "$scratch/home" --shell /bin/bash "$user"

# as COMMAND...: runs it as the user without rights.
as() { (cd "$scratch/home" && setpriv --reuid "$user" --regid "$user" --clear-groups env -i HOME="$scratch/home" PATH="$PATH" XDG_RUNTIME_DIR="$scratch/home/run" "$@"); }
as mkdir -m 0700 "$scratch/home/run"

# answers URL FILE: waits until the page answers with 200, at most 60 s; on failure prints FILE.
answers() {
    local _
    for _ in $(seq 300); do
        [ "$(curl -ks -o /dev/null -w '%{http_code}' "$1" || true)" = 200 ] && return 0
        sleep 0.2
    done
    tail -n 5 "$2"
    return 1
}

# The image, by a user without rights, read-only and without capabilities.
SELO_STATIC=${SELO_STATIC:-$out/selo-$(uname -m)-unknown-linux-musl} \
    site/packaging/image.sh oci "$scratch/built" >"$scratch/said" 2>&1 || true
verdict "the image is built without a daemon" "$([ -s "$scratch/built/selo-image.tar" ] || tail -n 5 "$scratch/said")"
chmod 0644 "$scratch/built/selo-image.tar"
# runc also runs where the kernel has control groups of both versions. The limits are set, because
# podman would otherwise raise them, which a machine may forbid.
pod=(podman --storage-driver vfs --cgroup-manager cgroupfs --runtime runc)
as "${pod[@]}" load --quiet --input "$scratch/built/selo-image.tar" >"$scratch/said" 2>&1 || true
image=$(sed -n 's/^Loaded image: *//p' "$scratch/said" | head -n 1)
verdict "podman loads it without rights" "$([ -n "$image" ] || tail -n 5 "$scratch/said")"
run=("${pod[@]}" run --rm --network host --ulimit nofile=8192:8192 --ulimit nproc=4096:4096 --read-only --cap-drop all
    --security-opt no-new-privileges)
said=$(as "${run[@]}" "$image" --version 2>&1) || true
verdict "it answers --version" "$([[ $said == "selo "* ]] || echo "$said")"
as "${run[@]}" --name site --volume state:/state "$image" \
    up --http 127.0.0.1:17381 --listen 127.0.0.1:0 --broker 127.0.0.1:17382 >"$scratch/log" 2>&1 &
verdict "it serves the dashboard" "$(answers http://127.0.0.1:17381/ "$scratch/log")"
as "${pod[@]}" stop --time 20 site >/dev/null 2>&1 || true
wait $! || true
verdict "it ends when it is told to" "$(grep -q stopping "$scratch/log" || tail -n 5 "$scratch/log")"
said=$(as "${run[@]}" --volume state:/state "$image" device list 2>&1) || true
verdict "its state outlives the container" "$(grep -qi 'no device' <<<"$said" || echo "$said")"

# The add-on: its own Dockerfile, options as the Supervisor writes them, and folders as it mounts them.
site/packaging/image.sh home-assistant "$out" >"$scratch/said" 2>&1 || true
addon=$out/home-assistant/selo
verdict "the add-on is made" "$([ -x "$addon/selo-armv7" ] || tail -n 5 "$scratch/said")"
stored=(--root "$scratch/addon" --runroot "$scratch/addon-run" --storage-driver vfs)
buildah "${stored[@]}" build --quiet --isolation chroot --build-arg BUILD_ARCH=amd64 --tag addon "$addon" \
    >/dev/null 2>"$scratch/said" || true
verdict "the add-on's image is built" "$(buildah "${stored[@]}" images 2>/dev/null | grep -q addon || tail -n 5 "$scratch/said")"
mkdir -p "$scratch/data" "$scratch/config"
python3 - "$addon/config.yaml" >"$scratch/data/options.json" <<'PY'
import json, sys, yaml
print(json.dumps(yaml.safe_load(open(sys.argv[1]))["options"], indent=2))
PY
mapfile -t environment < <(python3 - "$addon/config.yaml" <<'PY'
import sys, yaml
for name, value in yaml.safe_load(open(sys.argv[1]))["environment"].items():
    print(f"--env={name}={value}")
PY
)
hosted=(podman "${stored[@]}" --cgroup-manager cgroupfs --runtime runc run --rm --network host --ulimit nofile=8192:8192 --ulimit nproc=4096:4096 --name addon "${environment[@]}"
    --volume "$scratch/data:/data" --volume "$scratch/config:/config" addon)
command=$(sed -n 's/^CMD \(.*\)$/\1/p' "$addon/Dockerfile" | tr -d '[],"' | sed 's/:7380/:17383/; s/:8883/:17384/')
# shellcheck disable=SC2086 # words of a command
"${hosted[@]}" $command --listen 127.0.0.1:0 >"$scratch/log" 2>&1 &
verdict "the add-on serves the dashboard" "$(answers https://127.0.0.1:17383/ "$scratch/log")"
podman "${stored[@]}" stop --time 20 addon >/dev/null 2>&1 || true
wait $! || true
for file in collector/admin-password broker/ca.pem broker/viewer.password broker/homeassistant.password registry.db; do
    verdict "the add-on's folder" "$([ -s "$scratch/config/selo/$file" ] || echo "no $file")"
done
sed -i 's/"language": "en"/"language": "klingon"/' "$scratch/data/options.json"
# shellcheck disable=SC2086
said=$("${hosted[@]}" $command 2>&1) && said="it started with a faulty option"
verdict "a faulty option is named" "$([[ $said == *"options.json:2: language: 'klingon'"* ]] || echo "$said")"
if command -v qemu-arm >/dev/null; then
    said=$(qemu-arm "$addon/selo-armv7" --version 2>&1) || true
    verdict "the command for armv7 runs" "$([[ $said == "selo "* ]] || echo "$said")"
fi

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
