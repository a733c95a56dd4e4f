import { afterEach, describe, expect, it } from 'vitest';
import type { CatalogSource } from '#core/kernel/api/catalog-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import type { KindRef, KubeClient, ListReading } from '#platform/kube/client/kube-client.port';
import { ReadBudget } from '#platform/kube/limits/read-budget';
import { silentLog } from '#platform/telemetry/log.port';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import type { ClusterCatalogs } from '../../catalogs/sources/cluster-catalogs.js';
import { ObservedCluster } from './observed-cluster.js';

const OLM = 'operators.coreos.com';
const TURN_MS = 2_000;
const CATALOG = { apiVersion: `${OLM}/v1alpha1`, kind: 'CatalogSource', metadata: { name: 'all', namespace: 'olm' } };

/** A namespace with an operator that is installed; `phase` is that of its ClusterServiceVersion. */
function operatorIn(namespace: string, phase: string, metadata: object = {}): KubernetesObject[] {
  const named = (name: string) => ({ name, namespace, uid: `${namespace}-${name}`, resourceVersion: '7' });
  const spec = { name: 'harbor', channel: 'stable', source: 'all', sourceNamespace: 'olm' };
  const status = { state: 'AtLatestKnown', currentCSV: 'harbor.v1', installedCSV: 'harbor.v1' };
  return [
    { apiVersion: `${OLM}/v1`, kind: 'OperatorGroup', metadata: named('own'), spec: {} },
    { apiVersion: `${OLM}/v1alpha1`, kind: 'Subscription', metadata: named('harbor'), spec, status },
    {
      apiVersion: `${OLM}/v1alpha1`,
      kind: 'ClusterServiceVersion',
      metadata: { ...named('harbor.v1'), ...metadata },
      spec: {},
      status: { phase },
    },
  ];
}

const endings: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0)) await end();
});

/** A cluster with these objects, watched; `asked` are the passes that were asked for, in order. */
async function watched(...objects: KubernetesObject[]) {
  const clock = new ManualClock();
  const tellOf = new Map<string, (event: object) => void>();
  const client = {
    cluster: 'east',
    budget: new ReadBudget('east'),
    list: async ({ kind }: KindRef, { keep = (item) => item }: ListReading<KubernetesObject>) => ({
      items: objects.filter((object) => object.kind === kind).map(keep),
      resourceVersion: '9',
    }),
    watch: async function* ({ kind }: KindRef, { signal }: { signal: AbortSignal }) {
      while (!signal.aborted) {
        const event = await new Promise<object | undefined>((resolve) => {
          tellOf.set(kind, resolve);
          signal.addEventListener('abort', () => resolve(undefined));
        });
        if (event !== undefined) yield event;
      }
    },
  } as unknown as KubeClient;
  const nothing = () => undefined;
  let catalogChanged: (source: CatalogSource) => void = nothing;
  const catalogs = { prepare: async () => undefined, of: nothing, all: () => [], note: nothing, stop: nothing };
  const asked: string[] = [];
  const cluster = new ObservedCluster({
    client,
    clock,
    log: silentLog,
    metrics: new Metrics(),
    globalCatalogNamespace: 'olm',
    turns: { take: () => TURN_MS },
    catalogs: (onChange) => {
      catalogChanged = onChange;
      return catalogs as unknown as ClusterCatalogs;
    },
    publish: async ({ namespace }, _problem, _seen, ask) => {
      if (namespace !== 'olm') asked.push(`${namespace} ${ask}`);
      return ask === 'now';
    },
  });
  endings.push(() => cluster.stop());
  await cluster.start();
  const passed = async (ms: number) => {
    await clock.advance(ms);
    return asked.splice(0).sort();
  };
  const changed = (object: KubernetesObject, type = 'MODIFIED') => tellOf.get(object.kind)?.({ type, object });
  return { cluster, passed, changed, catalogChanged: () => catalogChanged(CATALOG as unknown as CatalogSource) };
}

const REST = operatorIn('rest', 'Succeeded');

describe('what is published of a cluster at first', () => {
  it('asks for passes at once, but over namespaces at rest in the turn of the cluster', async () => {
    const { passed } = await watched(...REST, ...operatorIn('busy', 'Installing'));
    expect(await passed(100)).toEqual(['busy now', 'rest if-known']);
    expect(await passed(TURN_MS - 200)).toEqual([]);
    expect(await passed(200)).toEqual(['rest now']);
    expect(await passed(60_000)).toEqual([]);
  });

  it('counts a namespace in which something is being deleted as busy', async () => {
    const { passed } = await watched(...operatorIn('busy', 'Succeeded', { deletionTimestamp: '2026-11-24T04:00:00Z' }));
    expect(await passed(100)).toEqual(['busy now']);
  });

  it('publishes what a catalog has changed without a pass, until the turn of the cluster', async () => {
    const { passed, catalogChanged } = await watched(...REST);
    await passed(100);
    catalogChanged();
    expect(await passed(1_500)).toEqual(['rest if-known']);
    expect(await passed(1_000)).toEqual(['rest now']);
    catalogChanged();
    expect(await passed(500)).toEqual(['rest for-news']);
  });

  it('asks for a pass at once where a namespace that waits is touched, and once only', async () => {
    const { cluster, passed } = await watched(...REST);
    await passed(100);
    cluster.touch('rest');
    expect(await passed(200)).toEqual(['rest now']);
    expect(await passed(60_000)).toEqual([]);
  });

  it('is repeated where Redis was emptied', async () => {
    const { cluster, passed } = await watched(...REST);
    await passed(60_000);
    cluster.touchAll();
    expect(await passed(100)).toEqual(['rest if-known']);
    expect(await passed(TURN_MS)).toEqual(['rest now']);
  });
});

it('wakes the operator whose Deployment a user gives to another one', async () => {
  const of = (namespace: string, resourceVersion: string): KubernetesObject => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'harbor', namespace: 'rest', resourceVersion, labels: { 'olm.owner.namespace': namespace } },
  });
  const { passed, changed } = await watched(...REST, ...operatorIn('other', 'Succeeded'), of('rest', '7'));
  await passed(60_000);
  changed(of('other', '10'));
  expect(await passed(2_000)).toEqual(['other now', 'rest now']);
});

it('wakes a global operator when one of its name leaves a place to its copy', async () => {
  const own = operatorIn('own', 'Succeeded').map((one) =>
    one.kind === 'OperatorGroup' ? { ...one, spec: { targetNamespaces: ['own'] } } : one,
  );
  const left = operatorIn('left', 'Succeeded');
  const { passed, changed } = await watched(...operatorIn('global', 'Succeeded'), ...own, ...left);
  await passed(60_000);
  const [csv] = left.filter(({ kind }) => kind === 'ClusterServiceVersion');
  if (csv !== undefined) changed({ ...csv, metadata: { ...csv.metadata, resourceVersion: '12' } }, 'DELETED');
  expect(await passed(2_000)).toEqual(['global now', 'left now']);
});
