#!/usr/bin/env bash
# Gives a fresh machine what the build needs: Node 24 (taken from npm's own package where the machine's is older) and the
# packages of the lock file. Does nothing, at once, when both are there.
set -euo pipefail
cd "$(dirname "$0")/.."

want=24.21.0
export NPM_CONFIG_UPDATE_NOTIFIER=false
# npm keeps its cache in the home, which may be read-only.
if [ ! -w "${HOME:-/}" ]; then export NPM_CONFIG_CACHE="$PWD/.tools/npm-cache"; fi
say() { printf 'setup: %s\n' "$*" >&2; }

major() { "$1" --version 2>/dev/null | sed 's/^v\([0-9]*\).*/\1/'; }

ensure_node() {
  if [ -x .tools/bin/node ] && [ "$(major .tools/bin/node)" -ge 24 ]; then return; fi
  mkdir -p .tools/bin
  local own
  own=$(command -v node || true)
  if [ -n "$own" ] && [ "$(major "$own")" -ge 24 ]; then
    ln -sf "$own" .tools/bin/node
    return
  fi
  if ! command -v npm >/dev/null; then
    say "npm is needed and was not found: install Node.js (20 or newer) with npm, then run this again"
    exit 2
  fi
  local os arch
  os=$(uname -s | tr '[:upper:]' '[:lower:]')
  case "$(uname -m)" in x86_64 | amd64) arch=x64 ;; aarch64 | arm64) arch=arm64 ;; *) arch=$(uname -m) ;; esac
  say "this machine has ${own:+node }$([ -n "$own" ] && "$own" --version || echo 'no node'); taking Node $want from npm (once)"
  npm install --prefix .tools/node --ignore-scripts --no-save --no-audit --no-fund --loglevel=error "node-$os-$arch@$want" >&2
  ln -sf "../node/node_modules/node-$os-$arch/bin/node" .tools/bin/node
}

ensure_packages() {
  if [ -f node_modules/.flotilla-lock ] && cmp -s package-lock.json node_modules/.flotilla-lock; then return; fi
  say "installing the packages of package-lock.json (once)"
  # No install scripts: nothing here needs them, and they are other people's code running as you.
  PATH="$PWD/.tools/bin:$PATH" npm ci --no-audit --no-fund --loglevel=error --ignore-scripts >&2
  cp package-lock.json node_modules/.flotilla-lock
}

ensure_node
ensure_packages
