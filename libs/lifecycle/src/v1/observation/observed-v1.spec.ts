import { afterEach, describe, expect, it } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { MemoryContentStore } from '#platform/content/memory-content-store';
import { type KindRef, KubeApiError, type KubeClient, type WatchEvent } from '#platform/kube/client/kube-client.port';
import { ReadBudget } from '#platform/kube/limits/read-budget';
import { silentLog } from '#platform/telemetry/log.port';
import { type CatalogJsonl, NoCatalogContent } from '../../catalogs/cluster-catalogs/catalog-jsonl.js';
import { SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import { CatalogPackages } from './catalog-packages.js';
import { ObservedV1 } from './observed-v1.js';

const CATALOG = {
  ...CLUSTER_CATALOG_API,
  metadata: {
    name: 'main',
    uid: 'uid-main',
    resourceVersion: '5',
    labels: { 'olm.operatorframework.io/metadata.name': 'main' },
  },
  spec: { source: { type: 'Image', image: { ref: 'registry.example/main:latest' } } },
};
const EXTENSION = {
  ...CLUSTER_EXTENSION_API,
  metadata: { name: 'lamp', uid: 'uid-lamp', resourceVersion: '6', generation: 1 },
  spec: {
    namespace: 'lamps',
    serviceAccount: { name: 'lamp' },
    source: { sourceType: 'Catalog', catalog: { packageName: 'lamp' } },
  },
};
const observed: ObservedV1[] = [];
afterEach(async () => {
  await Promise.all(observed.splice(0).map((v1) => v1.stop()));
});

/** A client of a cluster with a ClusterCatalog and a ClusterExtension; `push` gives events to its watches. */
function clusterWatched(refused: string | undefined) {
  const events: WatchEvent<KubernetesObject>[] = [];
  let wake = (): void => undefined;
  const client = {
    cluster: 'harbour',
    budget: new ReadBudget('harbour'),
    list: async ({ kind }: KindRef) => {
      if (kind === refused) throw new KubeApiError('harbour', 403, 'Forbidden', `${kind} is forbidden`);
      return { items: [CATALOG, EXTENSION].filter((item) => item.kind === kind), resourceVersion: '10' };
    },
    async *watch({ kind }: KindRef, { signal, onOpen }: Parameters<KubeClient['watch']>[1]) {
      onOpen?.();
      while (!signal.aborted) {
        const next = events.findIndex((event) => event.type !== 'BOOKMARK' && event.object.kind === kind);
        if (next >= 0) yield* events.splice(next, 1);
        else
          await new Promise<void>((resolve) => {
            const before = wake;
            wake = () => {
              before();
              resolve();
            };
            signal.addEventListener('abort', () => resolve());
          });
      }
    },
    get: async () => CATALOG,
    updateStatus: async () => undefined,
    patch: async () => undefined,
  } as unknown as KubeClient;
  const push = (sent: readonly WatchEvent<KubernetesObject>[]) => {
    events.push(...sent);
    wake();
  };
  return { client, push };
}

/** A cluster with one ClusterCatalog, whose pull lasts until it fails, and one ClusterExtension. */
function harbour({ refused }: Readonly<{ refused?: string }> = {}) {
  const clock = new ManualClock();
  const published: string[] = [];
  const measured: string[] = [];
  const pull = Promise.withResolvers<CatalogJsonl>();
  const { client, push } = clusterWatched(refused);
  const metas = new SharedMetas(new MemoryContentStore(), new Promise<never>(() => undefined));
  const v1 = new ObservedV1({
    catalogs: {
      ...{ client, clock, log: silentLog, metas, random: () => 0.5, contentUrl: 'http://hub.example' },
      load: () => pull.promise,
    },
    extensions: {
      ...{ client, clock, log: silentLog, packages: new CatalogPackages(), gates: {} },
      metrics: {
        noted: (_: string, { name }: { name: string }) => measured.push(name),
        gone: (_: string, name: string) => measured.push(`${name} gone`),
      } as never,
      publish: async (subject, problem) => {
        const name = 'extension' in subject ? subject.extension : subject.objectSet;
        const faults = problem?.problem.catalogs.map((slice) => ('error' in slice ? slice.error : 'content'));
        published.push(`${name}: ${faults?.join() ?? 'no problem yet'}`);
      },
    },
  });
  observed.push(v1);
  const failPull = async () => {
    const ref = CATALOG.spec.source.image.ref;
    pull.reject(new NoCatalogContent(ref, { kind: 'store', why: 'the registry is away' }));
    await clock.advance(100);
  };
  const send = async (...sent: WatchEvent<KubernetesObject>[]) => {
    push(sent);
    await clock.advance(100);
  };
  return { v1, clock, failPull, send, measured, taken: () => published.splice(0) };
}

describe('OLM v1 in a cluster', () => {
  it('has its extensions observed again once a catalog has news', async () => {
    const { v1, clock, failPull, send, taken } = harbour();
    await v1.start();
    await clock.advance(100);
    expect(taken().at(-1), 'before the first pull of the catalog has ended').toBe('lamp: no problem yet');
    await failPull();
    expect(taken()).toEqual(['lamp: catalog "main" is not being served']);
    await send({ type: 'DELETED', object: CATALOG });
    expect(taken()).toEqual(['lamp: ']);
  });

  it.each(['touchAll', 'resync'] as const)('has every extension observed again at %s', async (call) => {
    const { v1, clock, taken } = harbour();
    await v1.start();
    await clock.advance(100);
    taken();
    if (call === 'touchAll') v1.touchAll();
    else for (const { run } of v1.resyncs()) run();
    await clock.advance(100);
    expect(taken()).toEqual(['lamp: no problem yet']);
  });

  it('is fresh once both kinds have been listed; else it says which kind is refused', async () => {
    const { v1, clock } = harbour();
    expect(v1.freshness().synced).toBe(false);
    await v1.start();
    await clock.advance(100);
    expect(v1.freshness()).toMatchObject({ synced: true, problems: [] });
    for (const refused of ['ClusterCatalog', 'ClusterExtension']) {
      const other = harbour({ refused });
      await other.v1.start();
      await other.clock.advance(100);
      expect(other.v1.freshness(), refused).toMatchObject({
        synced: false,
        problems: [expect.stringContaining(`${refused} is forbidden`)],
      });
    }
  });

  it('has no metrics, and publishes nothing, after the cluster has left', async () => {
    const { v1, clock, measured, taken } = harbour();
    await v1.start();
    await clock.advance(100);
    taken();
    expect(measured).toEqual(['lamp']);
    await v1.leave();
    expect(measured).toEqual(['lamp', 'lamp gone']);
    v1.touchAll();
    await clock.advance(60_000);
    expect(taken()).toEqual([]);
    expect(v1.catalogs.all()).toEqual([]);
  });
});
