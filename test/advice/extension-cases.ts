import { expect } from 'vitest';
import { type MadeVersion, madeCrd } from '../integration/applier-support/made-operator.js';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, type AdviceCase, until } from './advice-bench.js';

const V1 = 'olm.operatorframework.io/v1';
const CSV = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' } as const;
const SUBSCRIPTION = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' } as const;
const CRD = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;
const ALL = [{ type: 'AllNamespaces', supported: true }];
const OWN = [{ type: 'OwnNamespace', supported: true }];
const BOTH = [{ type: 'OwnNamespace', supported: true }, ...ALL];

const crdOf = (name: string, properties = {}) =>
  madeCrd({ kind: 'Sail', group: `${name}.example.com` }, [{ name: 'v1', storage: true, properties }]);
const crdName = (name: string) => `sails.${name}.example.com`;
const version = (name: string, properties = {}): MadeVersion => ({
  version: '1.0.0',
  objects: [crdOf(name, properties)],
  spec: { installModes: BOTH },
});
const about = (name: string) => [name, 'extension', name] as const;
const EXTENSION = { apiVersion: V1, kind: 'ClusterExtension' } as const;

/** Its bundles of these versions are published, and the extension asks for one of them. */
async function wants(bench: AdviceBench, name: string, versions: readonly MadeVersion[], version: string) {
  const ref = await bench.catalog(name, versions);
  const source = { type: 'Image', image: { ref } };
  await bench.client.patch({ apiVersion: V1, kind: 'ClusterCatalog', name }, { spec: { source } });
  await bench.client.patch({ ...EXTENSION, name }, { spec: { source: { catalog: { version } } } });
}

const installedVersion = ({ client }: AdviceBench, name: string, version: string) =>
  until(async () => Object((await client.get({ ...EXTENSION, name }))?.['status']).install?.bundle?.version, version);
const NEXT = { version: '2.0.0', replaces: '1.0.0' } as const;

async function extend({ client }: AdviceBench, name: string, image: string, namespace = name): Promise<void> {
  const labels = { 'advice.example.com/for': name };
  const source = { type: 'Image', image: { ref: image } };
  await client.create({ apiVersion: V1, kind: 'ClusterCatalog', metadata: { name, labels }, spec: { source } });
  await extension({ client }, name, namespace);
}

async function extension(
  { client }: Pick<AdviceBench, 'client'>,
  name: string,
  namespace = name,
  selector: object = { matchLabels: { 'olm.operatorframework.io/metadata.name': name } },
): Promise<void> {
  await client.create({
    ...EXTENSION,
    metadata: { name },
    spec: {
      namespace,
      source: {
        sourceType: 'Catalog',
        catalog: { packageName: name, selector },
      },
    },
  });
}

const installed = ({ client }: AdviceBench, name: string) =>
  until(async () => {
    const found = await client.get({ apiVersion: V1, kind: 'ClusterExtension', name });
    const conditions: readonly { type: string; status: string }[] = Object(found?.['status']).conditions ?? [];
    return conditions.find(({ type }) => type === 'Installed')?.status;
  }, 'True');

/** Advice of `explain` about ClusterExtensions. */
export const EXTENSION_CASES = {
  'crd-of-subscription': {
    carries: ['keepOwner', 'saveObjects', 'uninstallOwner', 'deleteCrd'],
    play: async (bench, name) => {
      await bench.subscribed(name, [version(name)]);
      await bench.runs(name, `${name}.v1.0.0 Succeeded`);
      const image = await bench.catalog(name, [version(name)]);
      await fixture.createNamespace(bench.client, `${name}-own`, []);
      await extend(bench, name, image, `${name}-own`);
      const csv = `${name}.v1.0.0`;
      const keep = await bench.advised(about(name), 'keepOwner', name);
      await bench.done(keep);
      await bench.runs(name, `${csv} Succeeded`);
      await bench.client.delete({ apiVersion: V1, kind: 'ClusterCatalog', name });
      await extend(bench, name, image, `${name}-own`);
      const save = await bench.advised(about(name), 'saveObjects', crdName(name));
      const uninstall = await bench.advised(about(name), 'uninstallOwner', name, csv);
      const remove = await bench.advised(about(name), 'deleteCrd', crdName(name));
      await bench.done(save, { [`> ${crdName(name)}.yaml`]: '' });
      await bench.client.delete({ ...SUBSCRIPTION, name, namespace: name });
      await bench.done(uninstall);
      await until(() => bench.client.get({ ...CSV, name: csv, namespace: name }), undefined);
      await bench.done(remove);
      await installed(bench, name);
    },
  },
  'crd-left-behind': {
    carries: ['explainExtension', 'saveObjects', 'deleteCrd'],
    play: async (bench, name) => {
      await bench.client.create(crdOf(name, { colour: { type: 'string' } }));
      await fixture.createNamespace(bench.client, name, []);
      await extend(bench, name, await bench.catalog(name, [version(name)]));
      const explain = await bench.advisedByStatus(name, 'explainExtension', name);
      expect(await bench.follow(explain)).toMatchObject({ exit: 1, out: expect.stringContaining('kubectl') });
      await bench.done(await bench.advised(about(name), 'saveObjects', crdName(name)), {
        [`> ${crdName(name)}.yaml`]: '',
      });
      await bench.done(await bench.advised(about(name), 'deleteCrd', crdName(name)));
      await installed(bench, name);
      expect((await bench.client.get({ ...CRD, name: crdName(name) }))?.metadata.ownerReferences).toHaveLength(1);
    },
  },
  'catalog-lacks-package': {
    carries: ['addPackage', 'renamePackage', 'correctExtensionCause'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      await extend(bench, name, await bench.catalog(`${name}-other`, [{ version: '1.0.0', objects: [] }]));
      await bench.advised(about(name), 'addPackage', name);
      const ref = await bench.catalog(name, [version(name)]);
      const source = { type: 'Image', image: { ref } };
      await bench.client.patch({ apiVersion: V1, kind: 'ClusterCatalog', name }, { spec: { source } });
      await installed(bench, name);
      // A second extension with a wrong name.
      const wrong = `${name}-wrong`;
      await extension(bench, wrong, name, { matchLabels: { 'olm.operatorframework.io/metadata.name': name } });
      await bench.done(await bench.advised([name, 'extension', wrong], 'renamePackage', wrong));
      await until(() => bench.client.get({ ...EXTENSION, name: wrong }), undefined);
      await bench.client.patch({ ...EXTENSION, name }, { spec: { source: { catalog: { version: '9.0.0' } } } });
      await bench.advised(about(name), 'correctExtensionCause');
      await bench.client.patch({ ...EXTENSION, name }, { spec: { source: { catalog: { version: '1.0.0' } } } });
      await installedVersion(bench, name, '1.0.0');
    },
  },
  'bundle-unsupported': {
    carries: ['chooseBundle'],
    play: async (bench, name) => {
      const limits = { apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'limits' }, spec: { limits: [] } };
      const next = { ...version(name), ...NEXT, objects: [crdOf(name), limits] };
      await fixture.createNamespace(bench.client, name, []);
      await extend(bench, name, await bench.catalog(name, [version(name), next]));
      await bench.advised(about(name), 'chooseBundle');
      await bench.client.patch({ ...EXTENSION, name }, { spec: { source: { catalog: { version: '1.0.0' } } } });
      await installed(bench, name);
    },
  },
  'catalog-broken': {
    carries: ['correctClusterCatalog'],
    play: async (bench, name) => {
      const bad = `${name}-bad`;
      await fixture.createNamespace(bench.client, name, []);
      const labels = { 'advice.example.com/for': name };
      for (const [catalog, ref] of [
        [name, await bench.catalog(name, [version(name)])],
        [bad, `${bench.registry.host}/advice/missing:1`],
      ] as const) {
        const source = { type: 'Image', image: { ref } };
        const metadata = { name: catalog, labels };
        await bench.client.create({ apiVersion: V1, kind: 'ClusterCatalog', metadata, spec: { source } });
      }
      await extension(bench, name, name, { matchLabels: labels });
      await bench.advisedByStatus(name, 'correctClusterCatalog');
      const availabilityMode = 'Unavailable';
      await bench.client.patch({ apiVersion: V1, kind: 'ClusterCatalog', name: bad }, { spec: { availabilityMode } });
      await installed(bench, name);
    },
  },
  'configuration-wrong': {
    carries: ['setWatchNamespace'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const image = await bench.catalog(name, [{ ...version(name), spec: { installModes: OWN } }]);
      await extend(bench, name, image);
      await bench.advised(about(name), 'setWatchNamespace', name);
      const config = { configType: 'Inline', inline: { watchNamespace: name } };
      await bench.client.patch({ ...EXTENSION, name }, { spec: { config } });
      await installed(bench, name);
    },
  },
  'configuration-unknown': {
    carries: ['correctExtensionConfig', 'removeWatchNamespace'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const image = await bench.catalog(name, [{ ...version(name), spec: { installModes: ALL } }]);
      await extend(bench, name, image);
      await installed(bench, name);
      const configure = (inline: Readonly<Record<string, unknown>>) =>
        bench.client.patch({ ...EXTENSION, name }, { spec: { config: { configType: 'Inline', inline } } });
      await configure({ colour: 'red' });
      await bench.advised(about(name), 'correctExtensionConfig');
      await configure({ colour: null, watchNamespace: name });
      await bench.done(await bench.advised(about(name), 'removeWatchNamespace', name, true));
      const progressing = async () => {
        const found = await bench.client.get({ ...EXTENSION, name });
        const conditions: readonly { type: string; reason: string }[] = Object(found?.['status']).conditions ?? [];
        return conditions.find(({ type }) => type === 'Progressing')?.reason;
      };
      await until(progressing, 'Succeeded');
    },
  },
  'bundle-image-not-a-reference': {
    carries: ['correctExtensionSpec'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const reference = `advice/${name}-wrong:1`;
      const yaml = fixture.packageYaml(name, 'Not/A/Reference');
      bench.registry.put(reference, await fixture.catalogImage({ 'a.yaml': yaml }));
      await extend(bench, name, `${bench.registry.host}/${reference}`);
      await bench.advised(about(name), 'correctExtensionSpec');
      const source = { type: 'Image', image: { ref: await bench.catalog(name, [version(name)]) } };
      await bench.client.patch({ apiVersion: V1, kind: 'ClusterCatalog', name }, { spec: { source } });
      await installed(bench, name);
    },
  },
  'account-of-subscription': {
    carries: ['keepOwner', 'uninstallOwner', 'saveObjects', 'deleteCrd'],
    play: async (bench, name) => {
      await bench.subscribed(name, [version(name)]);
      await bench.runs(name, `${name}.v1.0.0 Succeeded`);
      const image = await bench.catalog(name, [version(name)]);
      await extend(bench, name, image);
      const csv = `${name}.v1.0.0`;
      await bench.advised(about(name), 'keepOwner', name);
      const uninstall = await bench.advised(about(name), 'uninstallOwner', name, csv);
      await bench.client.delete({ ...SUBSCRIPTION, name, namespace: name });
      await bench.done(uninstall);
      const save = await bench.advised(about(name), 'saveObjects', crdName(name));
      await bench.done(save, { [`> ${crdName(name)}.yaml`]: '' });
      await bench.done(await bench.advised(about(name), 'deleteCrd', crdName(name)));
      await installed(bench, name);
    },
  },
  'account-of-user': {
    carries: ['deleteInTheWay'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: name } };
      await bench.client.create(account);
      await extend(bench, name, await bench.catalog(name, [version(name)]));
      await bench.done(await bench.advised(about(name), 'deleteInTheWay', 'serviceaccount', name, name));
      await installed(bench, name);
    },
  },
  'namespace-missing': {
    carries: ['createNamespace'],
    play: async (bench, name) => {
      await extend(bench, name, await bench.catalog(name, [version(name)]));
      await bench.done(await bench.advised(about(name), 'createNamespace', name));
      await installed(bench, name);
    },
  },
  'catalog-switched-off': {
    carries: ['makeCatalogAvailable'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const ref = await bench.catalog(name, [version(name)]);
      const spec = { source: { type: 'Image', image: { ref } }, availabilityMode: 'Unavailable' };
      await bench.client.create({ apiVersion: V1, kind: 'ClusterCatalog', metadata: { name }, spec });
      await bench.advised([name, 'clustercatalog', name], 'makeCatalogAvailable', name);
      await extension(bench, name);
      await bench.done(await bench.advised(about(name), 'makeCatalogAvailable', name));
      await installed(bench, name);
    },
  },
  'way-back': {
    carries: ['allowEarlierVersion', 'holdAtRevision', 'endRollback'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const versions = [version(name), { ...version(name), ...NEXT }];
      await extend(bench, name, await bench.catalog(name, versions.slice(0, 1)));
      await installedVersion(bench, name, '1.0.0');
      await wants(bench, name, versions, '2.0.0');
      await installedVersion(bench, name, '2.0.0');
      await wants(bench, name, versions, '1.0.0');
      const allow = await bench.advised(about(name), 'allowEarlierVersion', name);
      await bench.done(await bench.advised(about(name), 'holdAtRevision', name, 1));
      await installedVersion(bench, name, '1.0.0');
      const annotations = { 'flotilla.dev/rollback-to-revision': '77' };
      await bench.client.patch({ ...EXTENSION, name }, { metadata: { annotations } });
      await wants(bench, name, versions, '2.0.0');
      await bench.done(await bench.advised(about(name), 'endRollback', name));
      await installedVersion(bench, name, '2.0.0');
      await wants(bench, name, versions, '1.0.0');
      await bench.done(allow);
      await installedVersion(bench, name, '1.0.0');
    },
  },
  'crd-loses-field': {
    carries: ['saveBeforeChange', 'allowCrdChange'],
    play: async (bench, name) => {
      await fixture.createNamespace(bench.client, name, []);
      const wide = version(name, { colour: { type: 'string' } });
      await extend(bench, name, await bench.catalog(name, [wide]));
      await installedVersion(bench, name, '1.0.0');
      await wants(bench, name, [wide, { ...version(name), ...NEXT }], '2.0.0');
      const save = await bench.advised(about(name), 'saveBeforeChange', crdName(name));
      await bench.done(save, { [`> ${crdName(name)}.yaml`]: '' });
      await bench.done(await bench.advised(about(name), 'allowCrdChange', name));
      await installedVersion(bench, name, '2.0.0');
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
