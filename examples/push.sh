#!/usr/bin/env bash
# Pushes the bundles of the sample operators, and a catalog that knows their first versions, to a registry that you are logged in to.
set -euo pipefail

registry=${1:?usage: examples/push.sh REGISTRY, for example localhost:5000}
examples=$(cd "$(dirname "$0")" && pwd)
export PATH="$examples/../bin:$PATH"

for bundle in "$examples"/bundles/*/*; do
  package=$(basename "$(dirname "$bundle")")
  flotilla bundle push "$bundle" "$registry/flotilla-samples/$package-bundle:$(basename "$bundle")"
done

catalog=$(mktemp -d)
trap 'rm -r "$catalog"' EXIT
cp -r "$examples"/catalogs/v1/. "$catalog"
sed -i "s#registry.example/#$registry/#" "$catalog"/*/catalog.yaml
flotilla catalog push "$catalog" "$registry/flotilla-samples/catalog:latest"
