#!/usr/bin/env bash
# Usage: scripts/needs.sh test. Says within a second all that `make test` lacks on this machine, and how to get it.
# Exit code 2 when the tests cannot run at all; what they can do without is one line each.
set -uo pipefail
cd "$(dirname "$0")/.."

missing=()
need() { missing+=("$1"); }
say() { printf 'needs: %s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

node_of() { [ -x .tools/bin/node ] && echo .tools/bin/node || command -v node; }
node=$(node_of)
if [ -z "$node" ] || ! has npm; then
  need "Node.js 20 or newer with npm: https://nodejs.org/en/download, or your system's package (apt-get, dnf, apk or brew install nodejs npm)"
else
  major=$("$node" --version | sed 's/^v\([0-9]*\).*/\1/')
  [ "$major" -ge 20 ] || need "Node.js 20 or newer; $node is $("$node" --version): https://nodejs.org/en/download"
fi
has git || need "git: your system's package (apt-get, dnf, apk or brew install git)"
[ -w . ] || need "a checkout that this user can write: $PWD"
temporary=${TMPDIR:-/tmp}
[ -w "$temporary" ] || need "a temporary folder that this user can write: set TMPDIR ($temporary is read-only)"
for folder in . "$temporary"; do
  free=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
  [ "${free:-1024}" -ge 1024 ] || need "1 GiB of disk at $folder; $free MiB are free"
done

if [ "${#missing[@]}" -gt 0 ]; then
  printf 'needs: %s\n' "${missing[@]}" >&2
  exit 2
fi

# macOS has no `timeout`; an engine there answers at once, or its socket is missing.
engine_answers() {
  has docker || return 1
  if has timeout; then timeout 1 docker version --format '{{.Server.Version}}'; else docker version --format '{{.Server.Version}}'; fi >/dev/null 2>&1
}
if has redis-server || has valkey-server || engine_answers; then exit 0; fi
if [ "$(id -u)" = 0 ] && has apt-get && [ -e /etc/debian_version ]; then
  say "no Redis here yet: it is installed with apt-get install redis-server (once)"
  exit 0
fi
say "no Redis: what needs one is not run. Install redis-server or valkey-server (apt-get, dnf, apk or brew), or start a Docker engine"
exit 3
