import { expect, it } from 'vitest';
import { OWNER_KIND_LABEL, OWNER_NAME_LABEL, REVISION_NAME_LABEL } from '#core/v1/revision/revision-keys';
import { PATIENCE } from '#testing/patience';
import { type ExtensionFixture, type Puts, packageBlobs } from './extension-fixture.js';

/**
 * Effects of the inline configuration, and of existing objects in the cluster (spec: v1-scenarios.md,
 * "install.feature").
 */
export function describeInstalls(fixture: () => ExtensionFixture, { bundle, putCatalog }: Puts): void {
  /** A catalog of one bundle, and a namespace for it. */
  async function offer(name: string, contents: Omit<Parameters<Puts['bundle']>[0], 'name' | 'version'> = {}) {
    const image = await bundle({ name, version: '1.0.0', ...contents });
    await fixture().catalog(`${name}-shelf`, await putCatalog(name, packageBlobs(name, [{ version: '1.0.0', image }])));
    await fixture().namespace(`${name}-home`);
  }
  const install = (name: string, inline?: Readonly<Record<string, unknown>>) => {
    const more = inline === undefined ? {} : { config: { configType: 'Inline', inline } };
    return fixture().extension(name, `${name}-home`, { packageName: name }, more);
  };
  const invalid = (name: string, why: string) =>
    `False InvalidConfiguration: error for resolved bundle "${name}.v1.0.0" with version "1.0.0": invalid ClusterExtension configuration: invalid configuration: ${why}`;

  it('scenario 4: asks for a watchNamespace where the bundle watches one, and has the operator watch it', async () => {
    await offer('lens', { installModes: ['SingleNamespace'] });
    await fixture().namespace('lens-target');
    await install('lens');
    await expect
      .poll(() => fixture().condition('lens', 'Progressing'), PATIENCE)
      .toBe(invalid('lens', 'required field "watchNamespace" is missing'));
    await fixture().change('lens', { config: { configType: 'Inline', inline: { watchNamespace: 'lens-target' } } });
    await expect.poll(() => fixture().installState('lens'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await fixture().watches('lens-operator', 'lens-home')).toBe('lens-target');
  });

  it('watches all namespaces, or the configured one, where the bundle supports both', async () => {
    await offer('mirror', { installModes: ['AllNamespaces', 'SingleNamespace'] });
    await fixture().namespace('mirror-target');
    await install('mirror');
    await expect.poll(() => fixture().installState('mirror'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await fixture().watches('mirror-operator', 'mirror-home')).toBe('');
    await fixture().change('mirror', { config: { configType: 'Inline', inline: { watchNamespace: 'mirror-target' } } });
    await expect.poll(() => fixture().lifecycles('mirror'), PATIENCE).toEqual(['1 Archived', '2 Active']);
    await expect.poll(() => fixture().installState('mirror'), PATIENCE).toBe('1.0.0 True Succeeded');
    expect(await fixture().watches('mirror-operator', 'mirror-home')).toBe('mirror-target');
  });

  it('scenario 8: refuses a watchNamespace for a bundle that watches all of them', async () => {
    await offer('prismatic');
    await install('prismatic', { watchNamespace: 'prismatic-home' });
    await expect
      .poll(() => fixture().condition('prismatic', 'Progressing'), PATIENCE)
      .toBe(invalid('prismatic', 'unknown field "watchNamespace"'));
    expect(await fixture().lifecycles('prismatic')).toEqual([]);
  });

  it('scenario 13: keeps its manifests in immutable Secrets that belong to the revision', async () => {
    await offer('wax');
    await install('wax');
    await expect.poll(() => fixture().installState('wax'), PATIENCE).toBe('1.0.0 True Succeeded');
    const [revision] = await fixture().revisions('wax');
    expect(revision?.metadata.labels).toMatchObject({
      [OWNER_KIND_LABEL]: 'ClusterExtension',
      [OWNER_NAME_LABEL]: 'wax',
    });
    const refs = (revision?.spec.phases ?? []).flatMap(({ objects }) => objects.map(({ ref }) => ref));
    expect(refs.length).toBeGreaterThan(5);
    for (const place of new Set(refs.map((ref) => `${ref?.namespace}/${ref?.name}`))) {
      const [namespace = '', name = ''] = place.split('/');
      expect(namespace).toBe('flotilla-system');
      const secret = await fixture().get('v1', 'Secret', name, namespace);
      expect(secret).toMatchObject({
        immutable: true,
        type: 'olm.operatorframework.io/object-data',
        metadata: {
          labels: { [REVISION_NAME_LABEL]: 'wax-1', [OWNER_NAME_LABEL]: 'wax' },
          ownerReferences: [{ kind: 'ClusterObjectSet', name: 'wax-1', uid: revision?.metadata.uid, controller: true }],
        },
      });
    }
  });

  it('scenario 14: gives the Deployment the nodeSelector of its configuration', async () => {
    await offer('tripod');
    const nodeSelector = { 'kubernetes.io/os': 'linux' };
    await install('tripod', { deploymentConfig: { nodeSelector } });
    await expect.poll(() => fixture().installState('tripod'), PATIENCE).toBe('1.0.0 True Succeeded');
    const deployment = await fixture().get('apps/v1', 'Deployment', 'tripod-operator', 'tripod-home');
    expect(deployment).toMatchObject({ spec: { template: { spec: { nodeSelector } } } });
  });

  it('says which catalogs have the package with the same priority, and goes on once one of them has a higher one', async () => {
    const image = await bundle({ name: 'twin', version: '1.0.0' });
    const ref = await putCatalog('twins', packageBlobs('twin', [{ version: '1.0.0', image }]));
    for (const name of ['twins-b', 'twins-a']) await fixture().catalog(name, ref);
    await fixture().namespace('twin-home');
    await install('twin');
    await expect
      .poll(() => fixture().condition('twin', 'Progressing'), PATIENCE)
      .toBe(
        'True Retrying: found bundles for package "twin" in multiple catalogs with the same priority [twins-a twins-b]',
      );
    const catalog = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'twins-a' };
    await fixture().client.patch(catalog, { spec: { priority: 1 } });
    await expect.poll(() => fixture().installState('twin'), PATIENCE).toBe('1.0.0 True Succeeded');
  });

  it('installs a bundle with more objects of a kind than a phase holds, and a CRD too large for a Secret', async () => {
    const settings = Array.from({ length: 55 }, (_, at) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `swarm-${String(at).padStart(2, '0')}` },
      data: { at: String(at) },
    }));
    await offer('swarm', { more: [...settings, largeCrd('hives')] });
    await install('swarm');
    await expect.poll(() => fixture().installState('swarm'), PATIENCE).toBe('1.0.0 True Succeeded');
    const [revision] = await fixture().revisions('swarm');
    const sizes = (revision?.spec.phases ?? []).map(({ name, objects }) => `${name} ${objects.length}`);
    expect(sizes).toEqual(expect.arrayContaining(['configuration 50', 'configuration-2 6', 'crds 2']));
    expect(await fixture().get('v1', 'ConfigMap', 'swarm-54', 'swarm-home')).toMatchObject({ data: { at: '54' } });
    await fixture().client.delete({ apiVersion: 'v1', kind: 'ConfigMap', name: 'swarm-54', namespace: 'swarm-home' });
    await expect
      .poll(() => fixture().get('v1', 'ConfigMap', 'swarm-54', 'swarm-home'), PATIENCE)
      .toMatchObject({ data: { at: '54' } });
  });

  it('keeps what `kubectl rollout restart` writes, whatever is reconciled afterwards', async () => {
    await offer('comet');
    await install('comet');
    await expect.poll(() => fixture().installState('comet'), PATIENCE).toBe('1.0.0 True Succeeded');
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'comet-operator', namespace: 'comet-home' };
    const annotations = { 'kubectl.kubernetes.io/restartedAt': '2026-01-01T00:00:00Z' };
    await fixture().client.patch(ref, { spec: { template: { metadata: { annotations } } } });
    const live = async () => Object(await fixture().client.get(ref));
    const progressing = async () =>
      (await fixture().statusOf('comet'))?.conditions?.find(({ type }) => type === 'Progressing')?.observedGeneration;
    await fixture().change('comet', { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } });
    await expect.poll(progressing, PATIENCE).toBe(2);
    // A change beside the restart is put back, so the object was compared and written.
    await fixture().client.patch(ref, { spec: { replicas: 3 } });
    await expect.poll(async () => (await live()).spec.replicas, PATIENCE).toBe(1);
    expect((await live()).spec.template.metadata.annotations).toMatchObject(annotations);
  });

  it('without its catalog puts back what is removed, and stays on its version when another is asked for', async () => {
    const versions = await Promise.all(
      ['1.0.0', '1.0.1'].map(async (version) => ({ version, image: await bundle({ name: 'ember', version }) })),
    );
    await fixture().catalog('ember-shelf', await putCatalog('ember', packageBlobs('ember', versions)));
    await fixture().namespace('ember-home');
    const catalog = { packageName: 'ember', version: '1.0.0' };
    await fixture().extension('ember', 'ember-home', catalog);
    await expect.poll(() => fixture().installState('ember'), PATIENCE).toBe('1.0.0 True Succeeded');
    await fixture().client.delete({
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      name: 'ember-shelf',
    });
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ember-settings', namespace: 'ember-home' };
    await fixture().client.delete(settings);
    await expect.poll(() => fixture().client.get(settings), PATIENCE).toBeDefined();
    await fixture().change('ember', { source: { sourceType: 'Catalog', catalog: { ...catalog, version: '1.0.1' } } });
    await expect.poll(() => fixture().condition('ember', 'Progressing'), PATIENCE).toMatch(/^True Retrying: /);
    expect(await fixture().installState('ember')).toBe('1.0.0 True Retrying');
    expect(await fixture().condition('ember', 'Installed')).toMatch(/^True Succeeded/);
  });
}

/** Some 950 KiB of it: server-side apply takes it, a Secret only when it is compressed. */
function largeCrd(plural: string) {
  const field = (at: number) =>
    [`field${at}`, { type: 'string', description: `${at} `.padEnd(1_000, 'large ') }] as const;
  const properties = Object.fromEntries(Array.from({ length: 900 }, (_, at) => field(at)));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.large.example.com` },
    spec: {
      group: 'large.example.com',
      names: { kind: 'Hive', listKind: 'HiveList', plural, singular: 'hive' },
      scope: 'Namespaced',
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
        },
      ],
    },
  };
}
