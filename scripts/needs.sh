#!/usr/bin/env bash
# Usage: scripts/needs.sh TARGET. Names within a second all that a make target lacks on this machine, each with the command
# that gets it here. Exit code 2 if the target cannot run, 3 if its tests run without Redis.
set -uo pipefail
cd "$(dirname "$0")/.."

target=${1:-}
missing=()
need() { missing+=("$1"); }
say() { printf 'needs: %s\n' "$*" >&2; }
# A program: `time` is also a word of the shell.
has() { type -P "$1" >/dev/null 2>&1; }
is_debian_root() { [ "$(id -u)" = 0 ] && has apt-get && [ -e /etc/debian_version ]; }

# What each system calls a package; the first program that is there names the system.
get() {
  local manager name='' sudo=sudo\ 
  [ "$(id -u)" = 0 ] && sudo=''
  for manager in apt-get dnf apk brew ''; do [ -z "$manager" ] || has "$manager" && break; done
  case "$manager:$1" in
    *:git) name=git ;;
    apt-get:node) name='nodejs npm' ;; dnf:node | apk:node) name='nodejs npm' ;; brew:node) name=node ;;
    apt-get:redis) name=redis-server ;; *:redis) name=valkey ;;
    brew:chromium) name='--cask chromium' ;; *:chromium) name=chromium ;;
    apt-get:go) name=golang-go ;; dnf:go) name=golang ;; *:go) name=go ;;
    apt-get:docker) name=docker.io ;; dnf:docker) name=moby-engine ;; apk:docker) name=docker ;; brew:docker) name='--cask docker' ;;
    brew:time) name=gnu-time ;; *:time) name=time ;;
  esac
  case "$manager" in
    apt-get | dnf) echo "${sudo}$manager install $name" ;;
    apk) echo "${sudo}apk add $name" ;;
    brew) echo "brew install $name" ;;
    *) echo "your system's package" ;;
  esac
}

base() {
  local node major folder free temporary=${TMPDIR:-/tmp}
  if [ -x .tools/bin/node ]; then node=.tools/bin/node; else node=$(command -v node); fi
  if [ -z "$node" ] || ! has npm; then
    need "Node.js 20 or newer with npm: https://nodejs.org/en/download, or $(get node)"
  else
    major=$("$node" --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/')
    # A program of that name that does not run has no version.
    [ "${major:-0}" -ge 20 ] 2>/dev/null ||
      need "Node.js 20 or newer; $node is $("$node" --version 2>/dev/null || echo broken): https://nodejs.org/en/download, or $(get node)"
  fi
  [ -w . ] || need "a checkout that this user can write: $PWD"
  [ -w "$temporary" ] || need "a temporary folder that this user can write: set TMPDIR ($temporary is read-only)"
  for folder in . "$temporary"; do
    free=$(df -Pk "$folder" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')
    [ "${free:-1024}" -ge 1024 ] || need "1 GiB of disk at $folder; $free MiB are free"
  done
}

# Caches outlive the checkout, and lie in the home if no variable names another place.
cache() {
  local folder=${FLOTILLA_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/}/.cache}} place
  place=$folder
  while [ ! -e "$place" ] && [ "$place" != / ] && [ "$place" != . ]; do place=$(dirname "$place"); done
  { [ -d "$place" ] && [ -w "$place" ]; } || need "a folder for caches that this user can write: set FLOTILLA_CACHE_DIR ($folder cannot be written)"
}

# macOS has no `timeout`; an engine there answers at once, or its socket is missing.
engine_answers() {
  has docker || return 1
  if has timeout; then timeout 1 docker version --format '{{.Server.Version}}'; else docker version --format '{{.Server.Version}}'; fi >/dev/null 2>&1
}
redis_ways() { echo "$(get redis), or start a Docker engine, or set FLOTILLA_REDIS_URL to a Redis that you have"; }
has_redis() { has redis-server || has valkey-server || engine_answers; }
redis_is_installed() {
  is_debian_root || return 1
  say 'no Redis here yet: it is installed with apt-get install redis-server (once)'
}

redis() { has_redis || redis_is_installed || need "Redis 7.0 or newer, or Valkey: $(redis_ways)"; }
# Tests flush and kill a Redis of their own; the demo and benches also take one that is named.
named_redis() { [ -n "${FLOTILLA_REDIS_URL:-${REDIS_URL:-}}" ] || redis; }
redis_of_tests() {
  has_redis || redis_is_installed || {
    say "no Redis: what needs one is not run. For all tests: $(get redis), or start a Docker engine"
    exit 3
  }
}

chromium() {
  if [ -n "${FLOTILLA_CHROMIUM:-}" ]; then
    [ -x "$FLOTILLA_CHROMIUM" ] || need "Chromium: FLOTILLA_CHROMIUM names no program ($FLOTILLA_CHROMIUM)"
    return
  fi
  if has chromium || { [ -n "${CI:-}" ] && is_debian_root; }; then return; fi
  local other
  for other in chromium-browser google-chrome google-chrome-stable; do
    has "$other" && { need "Chromium under its name: set FLOTILLA_CHROMIUM=$(command -v "$other")"; return; }
  done
  need "Chromium: $(get chromium), or set FLOTILLA_CHROMIUM to its program"
}

control_plane() {
  local cached=${FLOTILLA_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/}/.cache}/flotilla} file
  [ -n "${FLOTILLA_TEST_KUBECONFIG:-}" ] && return
  for file in "${KUBEBUILDER_ASSETS:-}/kube-apiserver" "$cached"/control-plane/kubernetes-*/kube-apiserver; do [ -x "$file" ] && return; done
  if has kube-apiserver || engine_answers; then return; fi
  has go || need "a control plane: $(get go) (it is built once, in about twelve minutes), or start a Docker engine, or set FLOTILLA_TEST_KUBECONFIG or KUBEBUILDER_ASSETS"
}

docker_engine() {
  if engine_answers; then return; fi
  [[ "$OSTYPE" = linux* ]] && is_debian_root && return
  need "a Docker engine: $(get docker), and start it"
}

# What is started here listens at 127.0.0.1.
loopback() {
  local said sudo=sudo\ 
  [ "$(id -u)" = 0 ] && sudo=''
  said=$({ LC_ALL=C exec 3<>/dev/tcp/127.0.0.1/9; } 2>&1)
  case "$said" in *unreachable* | *"assign requested"*) need "a loopback interface that is up: ${sudo}ip link set lo up" ;; esac
}

# The program that listens at a port, if this user may see it.
owner() {
  if has ss; then
    ss -Hltnp "sport = :$1" 2>/dev/null | sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1, pid \2/p' | { read -r first && echo "$first"; }
  elif has lsof; then
    lsof -nP -iTCP:"$1" -sTCP:LISTEN -Fpc 2>/dev/null | awk '/^p/ { pid = substr($0, 2) } /^c/ { print substr($0, 2) ", pid " pid; exit }'
  fi
}

# ports SETTING FIRST-LAST COUNT: so many ports of a range are free. All else takes free ports of its own choice.
ports() {
  local range=${!1:-$2} port first last free=0 taken='' by
  first=${range%-*} last=${range#*-}
  if ! [[ "$range" =~ ^[1-9][0-9]{0,4}-[1-9][0-9]{0,4}$ ]] || [ "$first" -gt "$last" ] || [ "$last" -gt 65535 ] || [ $((last - first)) -ge 1000 ]; then
    need "a range of ports in $1, such as $2; it is $range"
    return
  fi
  for ((port = first; port <= last; port++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then taken=${taken:-$port}; else free=$((free + 1)); fi
  done
  [ "$free" -ge "$3" ] && return
  by=$(owner "$taken")
  need "$3 free ports of $range; $free are free, and $taken is taken${by:+ by $by}: set $1=FIRST-LAST"
}

gnu_time() { has time || has gtime || need "GNU time: $(get time)"; }

base
case "$target" in
  test | test-all | mutants | dist | release | bench-report | bench-baseline) has git || need "git: $(get git)" ;;
esac
case "$target" in
  demo) [ -z "${REDIS:-}" ] || named_redis ;;
  bench | bench-catalogs | bench-up | bench-trust | bench-hostile | bench-fleet | bench-isolation) named_redis ;;
  chaos | mutants) redis ;;
  e2e | bench-lifecycle) redis; control_plane; cache ;;
  bench-report) named_redis; control_plane; cache; gnu_time ;;
  bench-compare) gnu_time ;;
  bench-baseline) named_redis; gnu_time ;;
  console-test | screenshots) chromium ;;
  bench-console) named_redis; chromium ;;
  compose-test)
    docker_engine
    cache
    ports FLOTILLA_TEST_POLLER_PORTS 28080-28099 2
    ports FLOTILLA_TEST_APPLIER_PORTS 28100-28119 2
    ;;
esac
case "$target" in
  demo | test | test-all | mutants | e2e | console-test | screenshots | compose-test | chaos | corpus | bench*) loopback ;;
esac

if [ "${#missing[@]}" -gt 0 ]; then
  printf 'needs: %s\n' "${missing[@]}" >&2
  exit 2
fi
if [ -n "${HOME:-}" ] && [ ! -w "$HOME" ]; then say "the home $HOME cannot be written: npm's cache goes to .tools/npm-cache"; fi
case "$target" in test | test-all) redis_of_tests ;; esac
exit 0
