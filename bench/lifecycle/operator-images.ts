import { stringify } from 'yaml';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { type BuiltImage, buildImage } from '#platform/registry/image-builder';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';

/** `plain`: one Deployment. `full`: also a CRD of its own, a service account, a Role and a ClusterRole. */
export type OperatorShape = 'plain' | 'full';

/** Editions of the catalog: each offers a newer version of every package than the one before. */
export type Edition = 1 | 2 | 3;
export const EDITIONS: readonly Edition[] = [1, 2, 3];

export const csvName = (packageName: string, edition: Edition): string => `${packageName}.v${edition}.0.0`;

export const catalogImage = (host: string, edition: Edition): string => `${host}/lifecycle/catalog:v${edition}`;

/** A package; `descriptionBytes` makes its ClusterServiceVersions as large as those of real operators. */
export type OperatorPackage = Readonly<{ name: string; shape: OperatorShape; descriptionBytes?: number }>;

/** Puts all editions of a catalog with these packages into the registry, and every bundle. */
export async function putOperators(registry: InMemoryRegistry, packages: readonly OperatorPackage[]): Promise<void> {
  const catalogs: Record<Edition, object[]> = { 1: [], 2: [], 3: [] };
  for (const operator of packages) {
    const { name, shape } = operator;
    for (const edition of EDITIONS) {
      registry.put(`lifecycle/${name}:v${edition}`, await bundleImage(operator, edition));
      catalogs[edition].push(...packageBlobs(registry.host, name, shape, edition));
    }
  }
  for (const edition of EDITIONS) {
    const files = [file('configs/catalog.json', catalogs[edition].map((blob) => JSON.stringify(blob)).join('\n'))];
    registry.put(`lifecycle/catalog:v${edition}`, await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  }
}

function packageBlobs(host: string, name: string, shape: OperatorShape, newest: Edition): object[] {
  const editions = EDITIONS.filter((edition) => edition <= newest);
  const entries = editions.map((edition) => ({
    name: csvName(name, edition),
    ...replaces(name, edition),
  }));
  return [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries },
    ...editions.map((edition) => ({
      schema: 'olm.bundle',
      package: name,
      name: csvName(name, edition),
      image: `${host}/lifecycle/${name}:v${edition}`,
      properties: [
        { type: 'olm.package', value: { packageName: name, version: `${edition}.0.0` } },
        ...(shape === 'plain'
          ? []
          : [{ type: 'olm.gvk', value: { group: groupOf(name), version: 'v1', kind: 'Ship' } }]),
      ],
    })),
  ];
}

const replaces = (name: string, edition: Edition): Readonly<{ replaces?: string }> =>
  edition === 1 ? {} : { replaces: csvName(name, edition === 2 ? 1 : 2) };

function bundleImage(operator: OperatorPackage, edition: Edition): Promise<BuiltImage> {
  const { name, shape } = operator;
  const annotations = {
    'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
    'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
    'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
    'operators.operatorframework.io.bundle.package.v1': name,
    'operators.operatorframework.io.bundle.channels.v1': 'stable',
  };
  const files = [
    file('metadata/annotations.yaml', stringify({ annotations })),
    file('manifests/csv.yaml', stringify(csv(operator, edition))),
    ...(shape === 'plain' ? [] : [file('manifests/crd.yaml', stringify(crd(name)))]),
  ];
  return buildImage({ files, labels: annotations });
}

const SENTENCE = 'What the operator does, and how its custom resources are written.\n';

const groupOf = (name: string): string => `${name}.example.com`;

function csv({ name, shape, descriptionBytes = 0 }: OperatorPackage, edition: Edition): object {
  const owned = { name: `ships.${groupOf(name)}`, version: 'v1', kind: 'Ship' };
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: csvName(name, edition) },
    spec: {
      displayName: name,
      ...(descriptionBytes === 0 ? {} : { description: SENTENCE.repeat(descriptionBytes / SENTENCE.length) }),
      version: `${edition}.0.0`,
      ...replaces(name, edition),
      installModes: ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'].map((type) => ({
        type,
        supported: true,
      })),
      ...(shape === 'plain' ? {} : { customresourcedefinitions: { owned: [owned] } }),
      install: { strategy: 'deployment', spec: installSpec(name, shape, edition) },
    },
  };
}

function installSpec(name: string, shape: OperatorShape, edition: Edition): object {
  const rule = (apiGroup: string, resource: string) => ({
    apiGroups: [apiGroup],
    resources: [resource],
    verbs: ['get', 'list', 'watch'],
  });
  const rights = {
    permissions: [{ serviceAccountName: name, rules: [rule(groupOf(name), 'ships')] }],
    clusterPermissions: [{ serviceAccountName: name, rules: [rule('', 'nodes')] }],
  };
  return { ...(shape === 'plain' ? {} : rights), deployments: [deployment(name, shape, edition)] };
}

function deployment(name: string, shape: OperatorShape, edition: Edition): object {
  const labels = { app: name };
  const container = { name: 'operator', image: `registry.example/${name}:v${edition}` };
  const spec = { ...(shape === 'plain' ? {} : { serviceAccountName: name }), containers: [container] };
  return {
    name,
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
}

const crd = (name: string): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ships.${groupOf(name)}` },
  spec: {
    group: groupOf(name),
    scope: 'Namespaced',
    names: { plural: 'ships', singular: 'ship', kind: 'Ship', listKind: 'ShipList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
});

const file = (path: string, text: string): BundleFile => ({ path, bytes: new TextEncoder().encode(text) });
