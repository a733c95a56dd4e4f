import { describe, expect, it } from 'vitest';
import { BundleError } from '#core/catalog/bundle/bundle.error';
import { catalogBundleOf, withCsvMetadata } from '#core/catalog/bundle/bundle-blob';
import { readInlineManifests } from '#core/catalog/bundle/inline-manifests';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { validateBundle } from '#core/catalog/bundle/validate-bundle';
import { recordsOfGrpc } from '#core/catalog/load/grpc-bundle';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { validateCatalog } from '#core/catalog/validate/validate-catalog';
import { catalogOfConfigMap } from '#core/classic/catalog-source/configmap-catalog';
import { ConfigMapCatalogError } from '#core/classic/catalog-source/configmap-catalog.error';
import { BundleNotInstallable, stepsOfBundle } from '#core/classic/install-plan/creation/bundle-steps';
import { bundleRefusal } from '#core/classic/install-plan/execution/refuse-unsupported';
import { readRegistryBundle } from '#core/v1/bundle-render/bundle/read-registry-bundle';
import { renderBundle } from '#core/v1/bundle-render/render-bundle';
import { ManifestError, parseManifests } from '#platform/files/manifest-text';

const LABELS = { app: 'ant' };
const CSV = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: {
    name: 'ant.v1.0.0',
    namespace: 'any',
    labels: LABELS,
    annotations: { 'olm.skipRange': '<1.0.0', 'olm.properties': '[{"type":"a","value":1}]', 'alm-examples': '[]' },
  },
  spec: {
    ...{
      displayName: 'Ant',
      version: '1.0.0',
      replaces: 'ant.v0.9.0',
      skips: ['ant.v0.8.0'],
      minKubeVersion: '1.20.0',
    },
    ...{
      keywords: ['a'],
      maintainers: [{ name: 'a', email: 'a@b.test' }],
      links: [{ name: 'a', url: 'https://b.test' }],
    },
    ...{ icon: [{ base64data: 'AA==', mediatype: 'image/png' }], provider: { name: 'a' }, maturity: 'alpha' },
    installModes: [
      { type: 'AllNamespaces', supported: true },
      { type: 'OwnNamespace', supported: true },
    ],
    relatedImages: [{ name: 'ant', image: 'registry.example/ant:1' }],
    customresourcedefinitions: {
      owned: [
        { name: 'ants.a.test', version: 'v1', kind: 'Ant', resources: [{ kind: 'Pod', version: 'v1', name: '' }] },
      ],
      required: [{ name: 'bees.a.test', version: 'v1', kind: 'Bee' }],
    },
    apiservicedefinitions: { owned: [], required: [{ name: 'x', group: 'x.test', version: 'v1', kind: 'X' }] },
    webhookdefinitions: [
      {
        ...{ generateName: 'a.a.test', type: 'ValidatingAdmissionWebhook', deploymentName: 'ant', containerPort: 443 },
        ...{ sideEffects: 'None', admissionReviewVersions: ['v1'], webhookPath: '/a', failurePolicy: 'Fail' },
        rules: [{ apiGroups: ['a.test'], apiVersions: ['v1'], resources: ['ants'], operations: ['CREATE'] }],
      },
    ],
    install: {
      strategy: 'deployment',
      spec: {
        permissions: [{ serviceAccountName: 'ant', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
        clusterPermissions: [{ serviceAccountName: 'ant', rules: [{ nonResourceURLs: ['/m'], verbs: ['get'] }] }],
        deployments: [
          {
            name: 'ant',
            label: LABELS,
            spec: {
              replicas: 1,
              selector: { matchLabels: LABELS },
              template: {
                metadata: { labels: LABELS },
                spec: {
                  serviceAccountName: 'ant',
                  containers: [{ name: 'ant', image: 'registry.example/ant:1', env: [{ name: 'A', value: 'b' }] }],
                },
              },
            },
          },
        ],
      },
    },
  },
};
const CRD = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'ants.a.test' },
  spec: {
    ...{ group: 'a.test', scope: 'Namespaced', names: { plural: 'ants', kind: 'Ant', singular: 'ant' } },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
};
const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: LABELS }, data: { a: 'b' } };
const PREFIX = 'operators.operatorframework.io.bundle.';
const METADATA = {
  annotations: {
    [`${PREFIX}package.v1`]: 'ant',
    [`${PREFIX}channels.v1`]: 'a,b',
    [`${PREFIX}mediatype.v1`]: 'registry+v1',
  },
  dependencies: [{ type: 'olm.package', value: { packageName: 'bee', version: '>=1.0.0' } }],
  properties: [{ type: 'olm.gvk', value: { group: 'a.test', version: 'v1', kind: 'Ant' } }],
};
const PACKAGE = { packageName: 'ant', defaultChannel: 'a', channels: [{ name: 'a', currentCSV: 'ant.v1.0.0' }] };
const BLOBS = [
  { schema: 'olm.package', name: 'ant', defaultChannel: 'a', icon: { base64data: 'AA==', mediatype: 'image/png' } },
  {
    schema: 'olm.channel',
    package: 'ant',
    name: 'a',
    entries: [{ name: 'ant.v1.0.0', skips: ['b'], skipRange: '<1.0.0' }],
  },
  {
    ...{ schema: 'olm.bundle', package: 'ant', name: 'ant.v1.0.0', image: 'registry.example/ant:1' },
    properties: [
      { type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } },
      { type: 'olm.constraint', value: { cel: { rule: 'true' }, failureMessage: 'a' } },
      { type: 'olm.bundle.object', value: { data: Buffer.from(JSON.stringify(OTHER)).toString('base64') } },
      { type: 'olm.csv.metadata', value: { displayName: 'a', installModes: [] } },
    ],
    relatedImages: [{ name: 'a', image: 'b' }],
  },
  { schema: 'olm.deprecations', package: 'ant', entries: [{ reference: { schema: 'olm.package' }, message: 'a' }] },
];
const GRPC = {
  ...{
    csvName: 'ant.v1',
    packageName: 'ant',
    channelName: 'a',
    csvJson: JSON.stringify(OTHER),
    object: [],
    version: '1.0.0',
  },
  ...{ bundlePath: '', providedApis: [], requiredApis: [], skipRange: '', replaces: '', skips: [], deprecation: null },
  dependencies: [{ type: 'olm.package', value: '{"packageName":"bee","version":">=1.0.0"}' }],
  properties: [{ type: 'olm.package', value: '{"packageName":"ant","version":"1.0.0"}' }],
};

const ODD: readonly unknown[] = [null, 7, 'text', [null], { a: {} }];

/** The value with each of its parts, and the whole, replaced by each odd one. */
function* bent(value: unknown): Generator<unknown> {
  yield* ODD;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    for (const other of bent(part)) {
      yield Array.isArray(value)
        ? value.map((one, at) => (String(at) === key ? other : one))
        : { ...value, [key]: other };
    }
    if (!Array.isArray(value)) yield Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
  }
}

const file = (path: string, value: unknown) => ({ path, bytes: new TextEncoder().encode(JSON.stringify(value)) });
const bundleFiles = ({ csv, crd, other, metadata }: Readonly<Record<string, unknown>>) => [
  file('manifests/csv.json', csv),
  file('manifests/crd.json', crd),
  file('manifests/other.json', other),
  file('metadata/annotations.yaml', metadata),
];
const GOOD = { csv: CSV, crd: CRD, other: OTHER, metadata: METADATA };

/** Reads as far as every command and the hub read a bundle. */
function readAll(parts: Readonly<Record<string, unknown>>): void {
  const files = bundleFiles(parts);
  const bundle = readBundle(files);
  expect(validateBundle(bundle).every((line) => line.length <= 1_000 && !line.includes('\n'))).toBe(true);
  withCsvMetadata(catalogBundleOf(bundle, 'registry.example/ant:1'));
  bundleRefusal('ant', bundle.objects);
  const catalogSource = { name: 'a', namespace: 'b' };
  stepsOfBundle({ objects: bundle.objects, catalogSource, namespace: 'c', replaces: '', properties: [] });
}

function renderV1(parts: Readonly<Record<string, unknown>>): void {
  const bundle = readRegistryBundle(bundleFiles(parts));
  if (!('error' in bundle)) renderBundle(bundle, { namespace: 'a', name: 'b', gates: {} } as never);
}

type Reader = Readonly<{
  reads: string;
  values: Iterable<unknown>;
  read: (value: unknown) => unknown;
  /** Errors that its owner turns into a verdict. */
  throws: readonly (new (
    ...args: never[]
  ) => Error)[];
}>;

const ofBundle = (part: keyof typeof GOOD, read: (parts: typeof GOOD) => unknown) => (value: unknown) =>
  read({ ...GOOD, [part]: value });

/** Every reader of foreign data, with the errors that its owner expects. */
const READERS: readonly Reader[] = [
  ...(['csv', 'crd', 'other', 'metadata'] as const).flatMap((part): Reader[] => [
    {
      reads: `bundle, ${part}`,
      values: bent(GOOD[part]),
      read: ofBundle(part, readAll),
      throws: [BundleError, BundleNotInstallable],
    },
    { reads: `bundle of OLM v1, ${part}`, values: bent(GOOD[part]), read: ofBundle(part, renderV1), throws: [] },
  ]),
  { reads: 'inline manifests', values: bent([CSV, OTHER]), read: readInlineManifests, throws: [] },
  {
    reads: 'catalog',
    values: bent(BLOBS),
    read: (blobs) =>
      validateCatalog(
        loadCatalog(Array.isArray(blobs) ? blobs.map((blob, at) => file(`${at}.json`, blob)) : [file('a.json', blobs)]),
      ),
    throws: [CatalogLoadError],
  },
  ...(['customResourceDefinitions', 'clusterServiceVersions', 'packages'] as const).map((key): Reader => {
    const csv = { ...CSV, spec: { ...CSV.spec, webhookdefinitions: [], install: { strategy: 'deployment' } } };
    const lists = { customResourceDefinitions: [CRD], clusterServiceVersions: [csv], packages: [PACKAGE] };
    return {
      reads: `ConfigMap, ${key}`,
      values: bent(lists[key]),
      read: (value) =>
        catalogOfConfigMap(
          Object.fromEntries(
            Object.entries({ ...lists, [key]: value }).map(([name, list]) => [name, JSON.stringify(list)]),
          ),
        ),
      throws: [ConfigMapCatalogError],
    };
  }),
  {
    reads: 'bundle of a registry server',
    values: ['', '{', 'null', '[]', '7', '{"metadata":7}', '{"kind":"A","metadata":{"labels":7}}'],
    read: (text) => [
      recordsOfGrpc(
        [{ ...GRPC, csvJson: String(text) }],
        [{ name: 'ant', channels: [], defaultChannelName: '', deprecation: null }],
      ),
      recordsOfGrpc(
        [{ ...GRPC, properties: [{ type: 'a', value: String(text) }] }],
        [{ name: 'ant', channels: [], defaultChannelName: '', deprecation: null }],
      ),
      recordsOfGrpc(
        [{ ...GRPC, dependencies: [{ type: 'olm.package', value: String(text) }] }],
        [{ name: 'ant', channels: [], defaultChannelName: '', deprecation: null }],
      ),
    ],
    throws: [],
  },
  {
    reads: 'manifests of a user',
    values: bent([OTHER]),
    read: (value) => parseManifests('a.yaml', JSON.stringify(value)),
    throws: [ManifestError],
  },
];

/** Returns the first value with an error that the reader's owner does not turn into a verdict. */
function breachOf({ values, read, throws }: Reader): unknown {
  for (const value of values) {
    try {
      read(value);
    } catch (error) {
      if (!throws.some((expected) => error instanceof expected)) return { value, error };
    }
  }
  return undefined;
}

describe('a reader of data that others wrote gives a value or a verdict', () => {
  it.each(READERS.map((reader) => [reader.reads, reader] as const))('%s', (_, reader) => {
    expect(breachOf(reader)).toBeUndefined();
  });

  it('a planted reader that throws is found', () => {
    const read = (value: unknown) => (value as typeof OTHER).metadata.labels.app.length;
    expect(breachOf({ reads: 'planted', values: bent(OTHER), read, throws: [] })).toMatchObject({
      error: expect.any(TypeError),
    });
  });
});
