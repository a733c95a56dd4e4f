import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BundleError } from '#core/catalog/bundle/bundle.error';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { validateBundle } from '#core/catalog/bundle/validate-bundle';
import type { BundleFile } from '#core/catalog/model/bundle-file';
import { LONGEST_VERDICT } from '#core/kernel/verdict/verdict-line';
import { buildImage } from '#platform/registry/image-builder';
import { ApplierBench } from './applier-support/applier-bench.js';

const PREFIX = 'operators.operatorframework.io.bundle.';
type Files = Readonly<Record<string, string>>;

/** A good bundle without Deployments; `spec` and `metadata` are lines of YAML for its CSV. */
const csv = (name: string, { metadata = '', spec = '' } = {}) => `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: ${name}.v1.0.0
${metadata}
spec:
  version: 1.0.0
  displayName: ${name}
  installModes: [{type: OwnNamespace, supported: true}]
  install:
    strategy: deployment
    spec:
      deployments: []
      permissions: [{serviceAccountName: ${name}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}]
${spec}
`;
const settings = (metadata: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, ${metadata}}\n`;
const LONG = 'l'.repeat(70);

/** `at`: the object of the user with the reason. Nothing of such a bundle is applied. */
type Bad = Readonly<{ name: string; files: Files; says: string; at: 'Subscription' | 'InstallPlan'; csvName?: string }>;
const BAD: readonly Bad[] = [
  {
    name: 'bool',
    files: { 'manifests/csv.yaml': csv('bool', { metadata: '  annotations: {certified: true}' }) },
    says: 'manifests/csv.yaml: ClusterServiceVersion bool.v1.0.0: metadata.annotations.certified is the boolean true',
    at: 'Subscription',
  },
  {
    name: 'number',
    files: { 'manifests/csv.yaml': csv('number'), 'manifests/cm.yaml': settings('labels: {port: 8443}') },
    says: 'manifests/cm.yaml: ConfigMap settings: metadata.labels.port is the number 8443; a text is expected: quote it',
    at: 'Subscription',
  },
  {
    name: 'modes',
    files: { 'manifests/csv.yaml': csv('modes').replace('[{type: OwnNamespace, supported: true}]', 'all') },
    says: 'spec.installModes is a text; a list is expected',
    at: 'Subscription',
  },
  {
    name: 'yaml',
    files: { 'manifests/csv.yaml': 'kind: [\n' },
    says: 'no bundle objects found: manifests/csv.yaml:',
    at: 'Subscription',
  },
  {
    name: 'owner',
    files: {
      'manifests/csv.yaml': csv('owner', {
        spec: '  customresourcedefinitions: {owned: [{name: figs.a.test, version: v1, kind: Fig}]}',
      }),
      'manifests/fig.yaml': 'kind: [\n',
    },
    says: "couldn't find a.test/v1/Fig (figs) in bundle: manifests/fig.yaml:",
    at: 'Subscription',
  },
  {
    name: 'long',
    files: { 'manifests/csv.yaml': csv('long').replace('long.v1.0.0', LONG) },
    says: 'metadata.name has 70 characters: OLM writes it into labels of at most 63',
    at: 'InstallPlan',
    csvName: LONG,
  },
  {
    name: 'named',
    files: {
      'manifests/csv.yaml': csv('named'),
      'manifests/cm.yaml': settings('namespace: x').replace('name: settings', 'name: Bad_Name'),
    },
    says: 'metadata.name "Bad_Name" is not a DNS name',
    at: 'InstallPlan',
  },
  {
    name: 'keyed',
    files: { 'manifests/csv.yaml': csv('keyed'), 'manifests/cm.yaml': settings('labels: {"a b": c}') },
    says: 'metadata.labels: "a b" is not a label key',
    at: 'InstallPlan',
  },
];
/** Changes of kiwi; null is absent. */
const KIWI: Files = {
  'manifests/csv.yaml': csv('kiwi', {
    metadata: '  labels:\n  annotations: {createdAt: }',
    spec: '  replaces:\n  skips:',
  }),
  'manifests/cm.yaml': settings('labels: , annotations: '),
  'manifests/README.md': '# Kiwi\n',
};

const bytes = (text: string) => new TextEncoder().encode(text);
const filesOf = (name: string, files: Files): BundleFile[] => [
  ...Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) })),
  {
    path: 'metadata/annotations.yaml',
    bytes: bytes(`annotations: {${PREFIX}package.v1: ${name}, ${PREFIX}channels.v1: stable}\n`),
  },
];

function validated(name: string, files: Files): readonly string[] {
  try {
    return validateBundle(readBundle(filesOf(name, files)));
  } catch (error) {
    if (error instanceof BundleError) return [error.message];
    throw error;
  }
}

let bench: ApplierBench;
async function offer(name: string, files: Files, csvName = `${name}.v1.0.0`): Promise<void> {
  const labels = { [`${PREFIX}mediatype.v1`]: 'registry+v1', [`${PREFIX}package.v1`]: name };
  await bench.registry.put(`made/${name}:1`, await buildImage({ files: filesOf(name, files), labels }));
  const blobs = [
    { schema: 'olm.package', name, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: name, name: 'stable', entries: [{ name: csvName }] },
    {
      ...{ schema: 'olm.bundle', package: name, name: csvName, image: `${bench.registry.host}/made/${name}:1` },
      properties: [{ type: 'olm.package', value: { packageName: name, version: '1.0.0' } }],
    },
  ];
  const catalog = blobs.map((blob) => JSON.stringify(blob)).join('\n');
  bench.offered.push({ path: `${name}/catalog.json`, bytes: bytes(catalog) });
}

beforeAll(async () => {
  bench = await ApplierBench.start();
  for (const { name, files, csvName } of BAD) await offer(name, files, csvName);
  await offer('kiwi', KIWI);
  bench.namespace('shop');
  for (const name of ['kiwi', ...BAD.map((one) => one.name)]) bench.subscribe('shop', name);
});
afterAll(() => bench.stop());

const conditionsOf = (name: string) =>
  bench.subscriptions('shop').find(({ metadata }) => metadata.name === name)?.status?.conditions ?? [];
const plans = () =>
  bench.cluster.list({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', namespace: 'shop' });

/** The condition of the Subscription that says so. */
const said = (name: string) =>
  conditionsOf(name).find(
    ({ type, status }) => status === 'True' && /^(?:BundleUnpackFailed|InstallPlanFailed)$/.test(type),
  );

describe('a namespace with bundles that cannot be installed', () => {
  it('installs the good one with all of its objects, and names what it left out', async () => {
    await bench.installed('shop', 'kiwi.v1.0.0');
    // The pause after a failed fetch: the next steps are for the others.
    bench.later(20_000);
    await bench.settle('shop', () => BAD.every(({ name }) => said(name) !== undefined));
    expect(bench.describe('shop')).toBe('kiwi.v1.0.0 Succeeded');
    const settingsOf = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', namespace: 'shop' };
    expect(bench.cluster.get(settingsOf)).toBeDefined();
    expect(conditionsOf('kiwi').find(({ type }) => type === 'BundleIncomplete')?.message).toMatch(
      /^kiwi\.v1\.0\.0: manifests\/README\.md: skipped: /,
    );
  });

  it.each(BAD)('$name: validate and the install say the same, in one line', ({ name, files, says, at }) => {
    const [line = '', ...others] = validated(name, files);
    expect(others).toEqual([]);
    expect(line).toContain(says);
    expect(line.length).toBeLessThanOrEqual(LONGEST_VERDICT);
    const condition = said(name);
    expect(condition?.type).toBe(at === 'Subscription' ? 'BundleUnpackFailed' : 'InstallPlanFailed');
    const plan = plans().find(({ metadata }) => metadata.labels?.[`operators.coreos.com/${name}.shop`] !== undefined);
    const words = at === 'Subscription' ? condition?.message : String(Object(plan?.['status']).message);
    expect(words).toContain(says);
    expect(words?.length).toBeLessThanOrEqual(LONGEST_VERDICT);
    if (at === 'InstallPlan') expect(words).toMatch(/\. Nothing was applied$/);
    expect(bench.cluster.get({ apiVersion: 'v1', kind: 'ServiceAccount', name, namespace: 'shop' })).toBeUndefined();
  });
});
