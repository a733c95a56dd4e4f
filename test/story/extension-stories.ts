import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { NEVER_READY } from '#testing/cluster/controllers/deployments.controller';
import { PATIENCE } from '#testing/patience';
import { catalogImage } from './bad-input-fixture.js';
import { describeConfigured } from './configured-stories.js';
import { describeDeadlines } from './deadline-stories.js';
import { describeDepartures } from './departure-stories.js';
import {
  type BundleContents,
  bundleImage,
  ExtensionFixture,
  type ImageStore,
  NEVER_READY_CONFIG,
  packageBlobs,
} from './extension-fixture.js';
import { describeInstalls } from './install-stories.js';
import { describeObjectSets } from './object-set-stories.js';
import { describeRepairs } from './repair-stories.js';
import { describeUnavailableApi } from './unavailable-api-stories.js';

/** A watched cluster with OLM's kinds, and the registry for images. */
export type ExtensionEnvironment = Readonly<{
  client: KubeClient;
  registry: ImageStore;
  /** Waits until every service runs: on a busy machine that takes longer than the patience for an answer. */
  running: () => Promise<unknown>;
  /** The applier makes a pass over an extension as at that time. */
  passLater: (extension: string, at: Date) => Promise<void>;
  stop: () => Promise<unknown>;
}>;

/**
 * Behaviour of ClusterExtensions in a cluster, simulated or real (spec: v1-scenarios.md). `all`: with further
 * installs, configurations, service accounts and hand-made ClusterObjectSets, too.
 */
export function describeExtensions(
  startEnvironment: () => Promise<ExtensionEnvironment>,
  { all }: Readonly<{ all: boolean }>,
): void {
  let registry: ImageStore;
  let environment: ExtensionEnvironment;
  let east: ExtensionFixture;

  beforeAll(async () => {
    environment = await startEnvironment();
    registry = environment.registry;
    east = new ExtensionFixture(environment.client);
    await environment.running();
  });
  // Every catalog that appears or changes makes work for each extension that may choose from it.
  afterEach(() => east?.deleteExtensions());
  afterAll(() => environment?.stop());

  /** Puts a bundle into the registry and answers its image by digest. */
  async function bundle(contents: BundleContents): Promise<string> {
    const digest = registry.put(`bundles/${contents.name}:v${contents.version}`, await bundleImage(contents));
    return `${registry.host}/bundles/${contents.name}@${digest}`;
  }
  async function putCatalog(tag: string, blobs: readonly unknown[]): Promise<string> {
    const text = blobs.map((blob) => JSON.stringify(blob)).join('\n');
    registry.put(`shelf/${tag}:latest`, await catalogImage({ 'catalog.json': text }));
    return `${registry.host}/shelf/${tag}:latest`;
  }

  it('scenarios 1 and 11: installs the newest version, and says so with the properties of its bundle', async () => {
    const properties = [{ type: 'lamp.example.com/light', value: { watts: 5 } }];
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'lamp', version: '1.0.0' }) },
      { version: '1.2.0', image: await bundle({ name: 'lamp', version: '1.2.0', properties }) },
    ];
    await east.catalog('lamps', await putCatalog('lamps', packageBlobs('lamp', images)));
    await east.namespace('lights');
    await east.extension('lamp', 'lights', { packageName: 'lamp' });
    await expect.poll(() => east.installState('lamp'), PATIENCE).toBe('1.2.0 True Succeeded');
    expect(await east.get('v1', 'ConfigMap', 'lamp-settings', 'lights')).toMatchObject({ data: { text: 'steady' } });
    expect(await east.get('apps/v1', 'Deployment', 'lamp-operator', 'lights')).toBeDefined();
    expect(await east.condition('lamp', 'Installed')).toBe(
      `True Succeeded: Installed bundle ${images[1]?.image} successfully`,
    );
    expect(await east.condition('lamp', 'Available')).toBe(
      'True ProbesSucceeded: Objects are available and pass all probes.',
    );
    const [revision] = await east.revisions('lamp');
    expect(JSON.parse(revision?.metadata.annotations?.['olm.properties'] ?? 'null')).toEqual(properties);
  });

  it('scenario 34: says when what is installed stops being ready, and when it is ready again', async () => {
    const images = [{ version: '1.0.0', image: await bundle({ name: 'blink', version: '1.0.0' }) }];
    await east.catalog('blinks', await putCatalog('blinks', packageBlobs('blink', images)));
    await east.namespace('blinks');
    await east.extension('blink', 'blinks', { packageName: 'blink' });
    await expect.poll(() => east.installState('blink'), PATIENCE).toBe('1.0.0 True Succeeded');
    // The bundle says nothing of either field, so they stay as another writer sets them.
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'blink-operator', namespace: 'blinks' };
    const hold = (annotation: string | null, nodeSelector: object | null) =>
      east.client.patch(deployment, {
        metadata: { annotations: { [NEVER_READY]: annotation } },
        spec: { template: { spec: { nodeSelector } } },
      });
    await hold('true', { nowhere: 'true' });
    await expect
      .poll(() => east.condition('blink', 'Available'), PATIENCE)
      .toMatch(/^False ProbeFailure: Object Deployment.apps\/v1 blinks\/blink-operator: /);
    expect(await east.installState('blink')).toBe('1.0.0 True Succeeded');
    await hold(null, null);
    await expect
      .poll(() => east.condition('blink', 'Available'), PATIENCE)
      .toBe('True ProbesSucceeded: Objects are available and pass all probes.');
  });

  it('scenarios 17, 19 and 22: goes to another version where the edges lead, and anywhere when it certifies so itself', async () => {
    const versions = ['1.0.0', '1.1.0', '1.2.0'];
    const images = await Promise.all(
      versions.map(async (version) => ({ version, image: await bundle({ name: 'torch', version }) })),
    );
    await east.catalog('torches', await putCatalog('torches', packageBlobs('torch', images)));
    await east.namespace('torches');
    await east.extension('torch', 'torches', { packageName: 'torch', version: '1.0.0' });
    await expect.poll(() => east.installState('torch'), PATIENCE).toBe('1.0.0 True Succeeded');
    const pin = (version: string, more = {}) =>
      east.change('torch', { source: { sourceType: 'Catalog', catalog: { packageName: 'torch', version, ...more } } });
    await pin('1.2.0');
    await expect
      .poll(() => east.condition('torch', 'Progressing'), PATIENCE)
      .toBe(
        'True Retrying: error upgrading from currently installed version "1.0.0": no bundles found for package "torch" matching version "1.2.0"',
      );
    await pin('1.1.0');
    await expect.poll(() => east.installState('torch'), PATIENCE).toBe('1.1.0 True Succeeded');
    await pin('1.0.0', { upgradeConstraintPolicy: 'SelfCertified' });
    await expect.poll(() => east.installState('torch'), PATIENCE).toBe('1.0.0 True Succeeded');
    await pin('1.2.0', { upgradeConstraintPolicy: 'SelfCertified' });
    await expect.poll(() => east.installState('torch'), PATIENCE).toBe('1.2.0 True Succeeded');
    // The same content four times is four revisions: the version is part of every object.
    await expect
      .poll(() => east.lifecycles('torch'), PATIENCE)
      .toEqual(['1 Archived', '2 Archived', '3 Archived', '4 Active']);
    expect(await east.events('torch')).toEqual(
      expect.arrayContaining([expect.stringMatching(/^RevisionCreated: Revision torch-2 for bundle torch.v1.1.0/)]),
    );
  });

  it('scenarios 20 and 44: follows its catalog, repairs what users change or delete, and keeps what others add', async () => {
    const first = { version: '1.0.0', image: await bundle({ name: 'flare', version: '1.0.0' }) };
    await east.catalog('flares', await putCatalog('flares-1', packageBlobs('flare', [first])));
    await east.namespace('flares');
    await east.extension('flare', 'flares', { packageName: 'flare' });
    await expect.poll(() => east.installState('flare'), PATIENCE).toBe('1.0.0 True Succeeded');
    const second = { version: '1.1.0', image: await bundle({ name: 'flare', version: '1.1.0', text: 'brighter' }) };
    const image = await putCatalog('flares-2', packageBlobs('flare', [first, second]));
    await east.client.patch(
      { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'flares' },
      { spec: { source: { image: { ref: image } } } },
    );
    await expect.poll(() => east.installState('flare'), PATIENCE).toBe('1.1.0 True Succeeded');
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', name: 'flare-settings', namespace: 'flares' };
    const text = async () => Object((await east.client.get(settings))?.['data']).text;
    expect(await text()).toBe('brighter');
    const mine = { annotations: { mine: 'stays' }, labels: { mine: 'too' } };
    await east.client.patch(settings, { data: { text: 'dark' }, metadata: mine });
    await expect.poll(text, PATIENCE).toBe('brighter');
    expect((await east.client.get(settings))?.metadata).toMatchObject({
      annotations: { ...mine.annotations, 'olm.operatorframework.io/bundle-version': '1.1.0' },
      labels: { ...mine.labels, 'olm.operatorframework.io/owner-name': 'flare' },
    });
    await east.client.delete(settings);
    await expect.poll(text, PATIENCE).toBe('brighter');
  });

  it('scenarios 28 and 29: waits for its namespace, and stops at an object of another owner', async () => {
    const images = [{ version: '1.0.0', image: await bundle({ name: 'beam', version: '1.0.0' }) }];
    await east.catalog('beams', await putCatalog('beams', packageBlobs('beam', images)));
    await east.extension('beam', 'beams', { packageName: 'beam' });
    await expect
      .poll(() => east.condition('beam', 'Progressing'), PATIENCE)
      .toMatch(/^True Retrying: phase 0 validation error: phase "policies": .*namespaces "beams" not found/);
    expect(await east.condition('beam', 'Installed')).toBe('False Failed: No bundle installed');
    const foreign = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'beam-operator', namespace: 'beams' };
    const { name, namespace, ...kind } = foreign;
    const labels = { app: 'foreign' };
    const container = { name: 'foreign', image: 'registry.example/foreign:1' };
    const template = { metadata: { labels }, spec: { containers: [container] } };
    await east.namespace('beams');
    await east.client.create({
      ...kind,
      metadata: { name, namespace },
      spec: { selector: { matchLabels: labels }, template },
    });
    await expect
      .poll(() => east.condition('beam', 'Progressing'), PATIENCE)
      .toMatch(
        /^True Retrying: revision object collisions in phase \d\nObject Deployment.apps\/v1 beams\/beam-operator\nAction: "Collision"\n/,
      );
    expect(await east.condition('beam', 'Installed')).toBe('False Failed: No bundle installed');
    expect(await east.get('apps/v1', 'Deployment', name, namespace)).toMatchObject({
      spec: { template: { spec: { containers: [container] } } },
    });
    await east.client.delete(foreign);
    await expect.poll(() => east.installState('beam'), PATIENCE).toBe('1.0.0 True Succeeded');
  });

  it('scenarios 31 and 32: is kept without its catalog, and takes all of its objects along when it goes', async () => {
    const images = [{ version: '1.0.0', image: await bundle({ name: 'wick', version: '1.0.0' }) }];
    await east.catalog('wicks', await putCatalog('wicks', packageBlobs('wick', images)), { shelf: 'wicks' });
    await east.namespace('wicks');
    const selector = { matchLabels: { shelf: 'wicks' } };
    await east.extension('wick', 'wicks', { packageName: 'wick', selector });
    await expect.poll(() => east.installState('wick'), PATIENCE).toBe('1.0.0 True Succeeded');
    await east.client.delete({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'wicks' });
    await east.change('wick', { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } });
    const observed = async () =>
      (await east.statusOf('wick'))?.conditions?.find(({ type }) => type === 'Progressing')?.observedGeneration;
    await expect.poll(observed, PATIENCE).toBe(2);
    await expect.poll(() => east.installState('wick'), PATIENCE).toBe('1.0.0 True Succeeded');
    const env = [{ name: 'TRIMMED', value: 'yes' }];
    await east.change('wick', { config: { configType: 'Inline', inline: { deploymentConfig: { env } } } });
    await expect
      .poll(() => east.get('apps/v1', 'Deployment', 'wick-operator', 'wicks'), PATIENCE)
      .toMatchObject({ spec: { template: { spec: { containers: [{ env }] } } } });
    await expect.poll(() => east.lifecycles('wick'), PATIENCE).toEqual(['1 Archived', '2 Active']);
    await expect.poll(() => east.installState('wick'), PATIENCE).toBe('1.0.0 True Succeeded');
    await east.client.delete({ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterExtension', name: 'wick' });
    const left = async () => [
      ...(await east.lifecycles('wick')),
      (await east.get('v1', 'ConfigMap', 'wick-settings', 'wicks')) !== undefined,
      (await east.get('apps/v1', 'Deployment', 'wick-operator', 'wicks')) !== undefined,
    ];
    await expect.poll(left, PATIENCE).toEqual([false, false]);
  });

  it('scenario 23: never lets two extensions have one object, however often the second one tries', async () => {
    const versions = ['1.0.0', '1.1.0'];
    const images = await Promise.all(
      versions.map(async (version) => ({ version, image: await bundle({ name: 'spark', version }) })),
    );
    await east.catalog('sparks', await putCatalog('sparks', packageBlobs('spark', images)));
    await east.namespace('sparks');
    const catalog = { packageName: 'spark', version: '1.0.0' };
    await east.extension('spark', 'sparks', catalog);
    await expect.poll(() => east.installState('spark'), PATIENCE).toBe('1.0.0 True Succeeded');
    await east.change('spark', { source: { sourceType: 'Catalog', catalog: { ...catalog, version: '1.1.0' } } });
    await expect.poll(() => east.installState('spark'), PATIENCE).toBe('1.1.0 True Succeeded');
    await east.extension('spark-too', 'sparks', { ...catalog, version: '1.1.0' });
    const collides = () =>
      expect
        .poll(() => east.condition('spark-too', 'Progressing'), PATIENCE)
        .toMatch(
          /^True Retrying: revision object collisions in phase 0[\s\S]*Conflicting Owner: ClusterObjectSet\.\S+ "spark-2"/,
        );
    await collides();
    const inline = { deploymentConfig: { env: [{ name: 'WHICH', value: 'the second' }] } };
    await east.change('spark-too', { config: { configType: 'Inline', inline } });
    await expect.poll(() => east.lifecycles('spark-too'), PATIENCE).toEqual(['1 Active', '2 Active']);
    await collides();
    expect(await east.condition('spark-too', 'Installed')).toBe('False Failed: No bundle installed');
    expect(await east.condition('spark', 'Installed')).toMatch(/^True Succeeded/);
    expect(await east.installState('spark')).toBe('1.1.0 True Succeeded');
  });

  it('makes a revision of other content under the same version, and names both digests', async () => {
    const image = await bundle({ name: 'glow', version: '1.0.0' });
    await east.catalog('glows', await putCatalog('glows-1', packageBlobs('glow', [{ version: '1.0.0', image }])));
    await east.namespace('glows');
    await east.extension('glow', 'glows', { packageName: 'glow' });
    await expect.poll(() => east.installState('glow'), PATIENCE).toBe('1.0.0 True Succeeded');
    const other = await bundle({ name: 'glow', version: '1.0.0', text: 'redone' });
    const ref = await putCatalog('glows-2', packageBlobs('glow', [{ version: '1.0.0', image: other }]));
    const catalog = { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', name: 'glows' };
    await east.client.patch(catalog, { spec: { source: { image: { ref } } } });
    await expect.poll(() => east.lifecycles('glow'), PATIENCE).toEqual(['1 Archived', '2 Active']);
    const [was, is] = [image, other].map((one) => one.split('@')[1]);
    await expect
      .poll(() => east.events('glow'), PATIENCE)
      .toEqual(expect.arrayContaining([expect.stringMatching(`^BundleContentChanged: .*it was ${was}, it is ${is}$`)]));
  });

  it('scenario 25: keeps the old revision while the new one does not get ready, and goes back when its version is set', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'fuse', version: '1.0.0' }) },
      { version: '1.1.0', image: await bundle({ name: 'fuse', version: '1.1.0' }) },
    ];
    await east.catalog('fuses', await putCatalog('fuses', packageBlobs('fuse', images)));
    await east.namespace('fuses');
    const source = (version: string, more = {}) => ({
      sourceType: 'Catalog',
      catalog: { packageName: 'fuse', version, ...more },
    });
    await east.extension('fuse', 'fuses', { packageName: 'fuse', version: '1.0.0' });
    await expect.poll(() => east.installState('fuse'), PATIENCE).toBe('1.0.0 True Succeeded');
    await east.change('fuse', { source: source('1.1.0'), config: NEVER_READY_CONFIG });
    const active = async () =>
      ((await east.statusOf('fuse'))?.activeRevisions ?? []).map(({ name, conditions = [] }) =>
        [name, ...conditions.map(({ reason }) => reason)].join(' '),
      );
    await expect.poll(active, PATIENCE).toEqual(['fuse-1', 'fuse-2 ProbeFailure RollingOut']);
    expect(await east.installState('fuse')).toBe('1.0.0 True RollingOut');
    await east.change('fuse', { source: source('1.0.0', { upgradeConstraintPolicy: 'SelfCertified' }), config: null });
    await expect.poll(() => east.installState('fuse'), PATIENCE).toBe('1.0.0 True Succeeded');
    await expect.poll(() => east.lifecycles('fuse'), PATIENCE).toEqual(['1 Archived', '2 Archived', '3 Active']);
  });

  it('refuses a CRD that would lose data, unless the check is turned off', async () => {
    const images = [
      { version: '1.0.0', image: await bundle({ name: 'prism', version: '1.0.0' }) },
      { version: '1.1.0', image: await bundle({ name: 'prism', version: '1.1.0', fieldType: 'integer' }) },
    ];
    await east.catalog('prisms', await putCatalog('prisms', packageBlobs('prism', images)));
    await east.namespace('prisms');
    const source = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: 'prism', version } });
    await east.extension('prism', 'prisms', { packageName: 'prism', version: '1.0.0' });
    await expect.poll(() => east.installState('prism'), PATIENCE).toBe('1.0.0 True Succeeded');
    await east.change('prism', { source: source('1.1.0') });
    await expect
      .poll(() => east.condition('prism', 'Progressing'), PATIENCE)
      .toBe(
        'True Retrying: error for resolved bundle "prism.v1.1.0" with version "1.1.0": validating upgrade for CRD "prisms.lamps.example.com": v1: ^.spec.light: type: type changed : "string" -> "integer"',
      );
    expect(await east.lifecycles('prism')).toEqual(['1 Active']);
    await east.change('prism', { install: { preflight: { crdUpgradeSafety: { enforcement: 'None' } } } });
    await expect.poll(() => east.installState('prism'), PATIENCE).toBe('1.1.0 True Succeeded');
  });

  describe('where OLM v1 does less', () => describeDepartures(() => east, { bundle, putCatalog }));
  describe('in the long run', () =>
    describeRepairs(
      () => east,
      { bundle, putCatalog },
      (extension, at) => environment.passLater(extension, at),
    ));
  if (!all) return;
  describe('on its way in', () => describeInstalls(() => east, { bundle, putCatalog }));
  describe('an aggregated API that does not answer', () => describeUnavailableApi(() => east));
  describe('with a configuration or a service account', () => describeConfigured(() => east, { bundle, putCatalog }));
  describe('a ClusterObjectSet that a user makes by hand', () => describeObjectSets(() => east));
  describe('with a deadline', () => describeDeadlines(() => east, { bundle, putCatalog }));
}
