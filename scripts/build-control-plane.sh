#!/usr/bin/env bash
# Builds a real control plane (etcd, kube-apiserver, kube-controller-manager, kube-scheduler, kwok, konnectivity) from the Go module proxy
# into the folder named by the first argument. Needs Go only; no C compiler, no Docker.
# About twelve minutes on two cores, once: the folder is a cache that outlives the checkout.
set -euo pipefail

out=${1:?usage: build-control-plane.sh FOLDER}
kubernetes=1.34.4
etcd=3.6.8
kwok=0.7.0
konnectivity=0.34.0

say() { printf 'control plane: %s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'chmod -R u+w "$work" 2>/dev/null; rm -rf "$work"' EXIT
mkdir -p "$out"
# Two builds at once would work on the same files; the second one waits and then finds them there.
if command -v flock >/dev/null; then exec 9>"$out/.lock"; flock 9; fi
export CGO_ENABLED=0 GOFLAGS=-mod=mod GOTOOLCHAIN=${GOTOOLCHAIN:-auto}

# Kubernetes' own go.mod points its staging modules at folders beside it; a module outside has to name
# their published versions instead.
kubernetes_module() {
  local dir=$1 modfile
  mkdir -p "$dir" && cd "$dir"
  cat > go.mod <<MOD
module flotilla.dev/control-plane
go 1.24.0
require k8s.io/kubernetes v$kubernetes
MOD
  modfile=$(go mod download -json "k8s.io/kubernetes@v$kubernetes" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
  sed -n 's#^[[:space:]]*\(k8s.io/[a-z-]*\) => ./staging.*#replace \1 => \1 v0.'"${kubernetes#1.}"'#p' "$modfile" >> go.mod
}

build() {
  local name=$1 package=$2 flags=${3:-}
  if [ -x "$out/$name" ]; then say "$name is there already"; return; fi
  say "building $name …"
  local since=$SECONDS
  # Moved into place when whole: an interrupted build leaves no half binary behind.
  go build -trimpath -ldflags "-s -w $flags" -o "$out/.$name.part" "$package"
  mv "$out/.$name.part" "$out/$name"
  say "$name built in $((SECONDS - since)) s"
}

version=k8s.io/component-base/version
stamp="-X $version.gitVersion=v$kubernetes -X $version.gitMajor=1 -X $version.gitMinor=34 -X $version.gitTreeState=clean"

kubernetes_module "$work/kubernetes"
build kube-apiserver k8s.io/kubernetes/cmd/kube-apiserver "$stamp"
build kube-controller-manager k8s.io/kubernetes/cmd/kube-controller-manager "$stamp"
build kube-scheduler k8s.io/kubernetes/cmd/kube-scheduler "$stamp"

mkdir -p "$work/etcd" && cd "$work/etcd"
printf 'module flotilla.dev/etcd\ngo 1.24.0\nrequire go.etcd.io/etcd/server/v3 v%s\n' "$etcd" > go.mod
build etcd go.etcd.io/etcd/server/v3

mkdir -p "$work/kwok" && cd "$work/kwok"
printf 'module flotilla.dev/kwok\ngo 1.24.0\nrequire sigs.k8s.io/kwok v%s\n' "$kwok" > go.mod
build kwok sigs.k8s.io/kwok/cmd/kwok "-X sigs.k8s.io/kwok/pkg/consts.Version=v$kwok"

# For clusters behind NAT (docs/behind-nat.md). Its own go.mod points the client at a folder beside it, too.
mkdir -p "$work/konnectivity" && cd "$work/konnectivity"
proxy=sigs.k8s.io/apiserver-network-proxy
printf 'module flotilla.dev/konnectivity\ngo 1.24.0\nrequire (\n%s v%s\n%s/konnectivity-client v%s\n)\n' "$proxy" "$konnectivity" "$proxy" "$konnectivity" > go.mod
build konnectivity-server "$proxy/cmd/server"
build konnectivity-agent "$proxy/cmd/agent"

say "ready in $out"
