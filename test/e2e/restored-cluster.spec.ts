import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import type { ClusterServiceVersion } from '#core/kernel/api/cluster-service-version';
import { inParallel } from '#platform/fairness/in-parallel';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type ControlPlane, type EtcdData, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE, LONG_PATIENCE_MS } from '#testing/patience';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { SAMPLE_NAMESPACE } from '../../apps/cli/src/commands/demo/scenario.js';
import { catalogImage } from '../story/bad-input-fixture.js';
import { bundleImage, ExtensionFixture, packageBlobs } from '../story/extension-fixture.js';
import { playStory, untilStill } from '../story/play-story.js';
import { startQuickEnvironment } from '../story/quick-environment.js';

const OLM = 'operators.coreos.com/v1alpha1';
const AT_ONCE = 64;
const WENT_BACK = 'went back, as after a restore';

type Dumps = Awaited<ReturnType<typeof untilStill>>;

/**
 * Two clusters over one etcd, each with a hub of its own: one hub runs all the time, and one is stopped while
 * the copy of etcd is put back. Both must end as they ended undisturbed.
 */
describe('clusters whose etcd was put back from a copy', () => {
  let plane: ControlPlane;
  let etcd: EtcdData;
  let registry: InMemoryRegistry;
  let running: ServicesEnvironment;
  let stopped: ServicesEnvironment;
  /** Taken when version v1.0.0 was installed in both clusters, and the catalog had no other. */
  let copy: string;
  let undisturbed: readonly Dumps[];

  beforeAll(async () => {
    plane = await startControlPlane({ clusters: 2, ownProcesses: true });
    if (plane.etcd === undefined) throw new Error('the data of etcd cannot be reached');
    etcd = plane.etcd;
    registry = await startRegistry();
    const environments = plane.clusters.map(({ kubeconfigPath }) =>
      startQuickEnvironment({ kubeconfigs: [kubeconfigPath], registry }),
    );
    [running, stopped] = (await Promise.all(environments)) as [ServicesEnvironment, ServicesEnvironment];
    let atFirst = 0;
    const both = Promise.withResolvers<void>();
    const onStep = async (step: string) => {
      if (step !== 'installed') return;
      atFirst += 1;
      if (atFirst === 2) {
        copy = await etcd.copy();
        both.resolve();
      }
      await both.promise;
    };
    const play = (environment: ServicesEnvironment, name: string) =>
      playStory(environment, { onStep, patienceMs: LONG_PATIENCE_MS, catalogImage: `shelf/${name}:latest` });
    undisturbed = (await Promise.all([play(running, 'running'), play(stopped, 'stopped')])).map(({ dumps }) => dumps);
  });
  afterAll(async () => {
    await Promise.all([running?.stop(), stopped?.stop()]);
    await registry?.stop();
    await plane?.stop();
  });

  const clients = () => [...running.clients, ...stopped.clients];

  /** Puts the copy back, as old as so many writes, and does something before the second hub starts again. */
  async function putBack(from: string, writes: number, then: () => Promise<unknown> = async () => undefined) {
    const [client] = clients();
    if (client === undefined) throw new Error('there are two clusters');
    await write(client, writes);
    await Promise.all(stopped.services.map((service) => service.stop()));
    await etcd.putBack(from);
    await then();
    for (const service of stopped.services) service.start();
  }

  const wentBack = async () => {
    const lines = (await Promise.all(running.services.map((service) => service.logged()))).flat();
    return lines.filter(({ msg }) => String(msg).includes(WENT_BACK)).length;
  };

  it.each([500, 20_000])('%i writes old: every step of the upgrade is taken again, to the same end', async (writes) => {
    const before = await wentBack();
    await putBack(copy, writes);
    const upgraded = async () => (await Promise.all(clients().map(installed))).map((names) => names.join(' '));
    const newest = 'harbor-operator.v1.2.0 lighthouse-operator.v1.2.0';
    await expect.poll(upgraded, LONG_PATIENCE).toEqual([newest, newest]);
    const ended = await Promise.all([untilStill(running), untilStill(stopped)]);
    expect(ended.map((dumps) => Object.values(dumps).map((dump) => Object.keys(dump)))).toEqual(
      undisturbed.map((dumps) => Object.values(dumps).map((dump) => Object.keys(dump))),
    );
    expect(ended).toEqual(undisturbed);
    await expect.poll(wentBack, LONG_PATIENCE).toBeGreaterThan(before);
  });

  it('500 writes old, with a ClusterExtension: every step of its upgrade is taken again, to the same end', async () => {
    const bundles = ['1.0.0', '1.1.0', '1.2.0'];
    const [old, newest] = [await offerLamp(registry, bundles.slice(0, 1)), await offerLamp(registry, bundles)];
    const users = clients().map((client) => new ExtensionFixture(client));
    const follow = () => Promise.all(clients().map((client) => client.patch(LAMPS, sourceOf(newest))));
    const ends = (version: string) =>
      expect
        .poll(() => Promise.all(users.map(lampOf)), LONG_PATIENCE)
        .toEqual(users.map(() => lampAt(version, bundles)));
    for (const user of users) {
      await user.namespace('lights');
      await user.catalog('lamps', old);
      await user.extension('lamp', 'lights', { packageName: 'lamp' });
    }
    await ends('1.0.0');
    const first = await etcd.copy();
    await follow();
    await ends('1.2.0');
    await putBack(first, 500);
    await ends('1.0.0');
    await follow();
    await ends('1.2.0');
  });

  it('one write old: what users change then is carried out, though the cluster has passed the old version', async () => {
    const last = await etcd.copy();
    await putBack(last, 1, () => Promise.all(clients().map(configure)));
    await expect.poll(() => Promise.all(clients().map(environmentOf)), LONG_PATIENCE).toEqual(['later', 'later']);
  });
});

const LAMPS = { ...CLUSTER_CATALOG_API, name: 'lamps' };
const sourceOf = (ref: string) => ({ spec: { source: { type: 'Image', image: { ref } } } });

/** Offers a catalog of these versions of package lamp. Each replaces the one before it. */
async function offerLamp(registry: InMemoryRegistry, versions: readonly string[]): Promise<string> {
  const bundles = await Promise.all(
    versions.map(async (version) => {
      const digest = registry.put(
        `bundles/lamp:v${version}`,
        await bundleImage({ name: 'lamp', version, text: version }),
      );
      return { version, image: `${registry.host}/bundles/lamp@${digest}` };
    }),
  );
  const text = packageBlobs('lamp', bundles).map((blob) => JSON.stringify(blob));
  const reference = `shelf/lamps:${versions.at(-1)}`;
  registry.put(reference, await catalogImage({ 'catalog.json': text.join('\n') }));
  return `${registry.host}/${reference}`;
}

/** Returns the extension as a user sees it: its state, its revisions, and the content of its ConfigMap. */
async function lampOf(user: ExtensionFixture) {
  const [state, revisions, settings] = await Promise.all([
    user.installState('lamp'),
    user.lifecycles('lamp'),
    user.get('v1', 'ConfigMap', 'lamp-settings', 'lights'),
  ]);
  return { state, revisions, text: Object(settings?.['data']).text };
}

/** {@link lampOf} at one of these versions, with one revision for each version before it. */
function lampAt(version: string, versions: readonly string[]): Awaited<ReturnType<typeof lampOf>> {
  const active = versions.indexOf(version) + 1;
  const revisions = versions.slice(0, active).map((_, at) => `${at + 1} ${at + 1 === active ? 'Active' : 'Archived'}`);
  return { state: `${version} True Succeeded`, revisions, text: version };
}

/** Succeeded CSVs; others are named with their phase. */
async function installed(client: KubeClient): Promise<readonly string[]> {
  const found = await client.list<ClusterServiceVersion>(
    { apiVersion: OLM, kind: 'ClusterServiceVersion' },
    { namespace: SAMPLE_NAMESPACE },
  );
  return (found?.items ?? []).map(({ metadata, status }) =>
    status?.phase === 'Succeeded' ? String(metadata.name) : `${metadata.name} ${status?.phase}`,
  );
}

const SUBSCRIPTION = { apiVersion: OLM, kind: 'Subscription', name: 'harbor-operator', namespace: SAMPLE_NAMESPACE };

const configure = (client: KubeClient) =>
  client.patch(SUBSCRIPTION, { spec: { config: { env: [{ name: 'CHANGED', value: 'later' }] } } });

/** The variable that the Subscription sets, as the operator's Deployment has it. */
async function environmentOf(client: KubeClient): Promise<string | undefined> {
  const found = await client.list({ apiVersion: 'apps/v1', kind: 'Deployment' }, { namespace: SAMPLE_NAMESPACE });
  return /"name":"CHANGED","value":"(\w+)"/.exec(JSON.stringify(found?.items ?? []))?.[1];
}

/** Writes that concern no operator, many at a time. */
async function write(client: KubeClient, count: number): Promise<void> {
  const named = (n: number) => ({ name: `noise-${n % AT_ONCE}`, namespace: 'default' });
  const map = { apiVersion: 'v1', kind: 'ConfigMap' };
  await inParallel(
    Array.from({ length: count }, (_, n) => n),
    AT_ONCE,
    (n) => client.apply({ ...map, metadata: named(n), data: { n: String(n) } }),
  );
}
