#!/bin/sh
# Prints a kubeconfig for the hub, with one context for each context of kubectl that is named, and with a token of an account of
# accounts.yaml:
#   kubeconfig.sh [--lifetime 168h | --endless] poller|applier CONTEXT…
# The token ends after 168h, or after --lifetime, unless the hub renews it (docs/access.md). --endless takes the token of a Secret of
# endless-tokens.yaml, which never ends: for a kubeconfig that the hub cannot write.
set -eu
lifetime=168h
case ${1-} in
  --lifetime) [ $# -lt 2 ] || { lifetime=$2; shift 2; } ;;
  --endless) lifetime=''; shift ;;
esac
[ $# -ge 2 ] || { echo "usage: $0 [--lifetime 168h | --endless] poller|applier CONTEXT…" >&2; exit 2; }
account=$1
shift
clusters='' users='' contexts='' known=''
for context in "$@"; do
  cluster=$(kubectl config view --raw --flatten --minify --context "$context" -o 'jsonpath={.clusters[0].cluster}')
  token=''
  if [ -n "$lifetime" ]; then
    token=$(kubectl --context "$context" -n flotilla-access create token "$account" --duration "$lifetime")
  else
    for _ in 1 2 3 4 5 6 7 8 9 10; do # Kubernetes writes the token within a moment
      token=$(kubectl --context "$context" -n flotilla-access get secret "$account" -o 'jsonpath={.data.token}' --ignore-not-found | base64 -d)
      [ -z "$token" ] || break
      sleep 1
    done
    [ -n "$token" ] || { echo "$context: Secret flotilla-access/$account has no token: kubectl --context $context apply -f k8s/access/endless-tokens.yaml" >&2; exit 1; }
  fi
  # The hub recognises the cluster by it (docs/clusters.md).
  identity=$(kubectl --context "$context" get namespace kube-system -o 'jsonpath={.metadata.uid}')
  case $identity in
    '' | *[!A-Za-z0-9-]*) echo "$context: namespace kube-system has no UID that is one" >&2; exit 1 ;;
  esac
  case $known in
    *" $identity "*) echo "$context gives the same UID of namespace kube-system as another of these contexts ($identity): leave one out" >&2; exit 1 ;;
  esac
  known="$known $identity "
  clusters="$clusters
  - { name: \"$context\", cluster: $cluster }"
  users="$users
  - { name: \"$account-$context\", user: { token: \"$token\" } }"
  contexts="$contexts
  - { name: \"$context\", context: { cluster: \"$context\", user: \"$account-$context\", extensions: [{ name: flotilla, extension: { identity: \"$identity\" } }] } }"
done
cat <<END
apiVersion: v1
kind: Config
clusters:$clusters
users:$users
contexts:$contexts
END
