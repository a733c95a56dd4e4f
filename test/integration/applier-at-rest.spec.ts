import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplierBench } from './applier-support/applier-bench.js';

const V1 = ['harbor-operator.v1.0.0', 'lighthouse-operator.v1.0.0'];
const V1_2 = ['harbor-operator.v1.2.0', 'lighthouse-operator.v1.2.0'];

/** An operator and the one it depends on, each with a CRD, RBAC, a Service and a Deployment. */
describe('how many requests the applier needs', () => {
  let bench: ApplierBench;
  const used = async (work: () => Promise<unknown>): Promise<number> => {
    bench.cluster.requests.clear();
    await work();
    return bench.cluster.requests.length;
  };

  /** Requests by verb, without watches. */
  const counted = (): Record<string, number> => {
    const counts: Record<string, number> = {};
    for (const { verb, resource, subresource } of bench.cluster.requests.filter((one) => one.verb !== 'watch')) {
      const what = resource === 'events' ? 'event' : (subresource ?? verb);
      counts[what] = (counts[what] ?? 0) + 1;
    }
    return counts;
  };
  const expectAtMost = (most: Readonly<Record<string, number>>) => {
    const over = Object.entries(counted()).filter(([what, count]) => count > (most[what] ?? 0));
    expect(over, `more than ${JSON.stringify(most)}`).toEqual([]);
  };

  beforeAll(async () => {
    bench = await ApplierBench.start({ cached: true });
    bench.namespace('harbors');
    bench.subscribe('harbors', 'harbor-operator');
    // The cache of a cluster opens with the first pass (decision 0164), once for all its namespaces.
    bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'first' } });
    await bench.pass('first');
  });
  afterAll(() => bench.stop());

  // OLM: about 106 for one operator without CRD and RBAC, and 150 for its upgrade; here
  // two operators with both.
  it('to install two operators: no more than 145', async () => {
    expect(await used(() => bench.installed('harbors', ...V1))).toBeLessThan(145);
    // Objects are made in their last form (decision 0163): patched ones existed before the plan.
    expectAtMost({ get: 18, list: 3, create: 45, update: 4, status: 32, patch: 20, event: 16 });
  });

  const rest = async () => {
    expect(await bench.pass('harbors')).toEqual({ rounds: 1, againAfterMs: undefined });
    expect(bench.cluster.requests.writes()).toEqual([]);
    return bench.cluster.requests.length;
  };

  // Definitions are no more held in memory than custom resources are.
  it('for a pass over a namespace at rest: no write, and a read for each definition', async () => {
    expect(await used(rest)).toBeLessThanOrEqual(3);
  });

  it('to upgrade both over two hops, which is four upgrades: no more than 200', async () => {
    bench.publishSecondEdition();
    expect(await used(() => bench.installed('harbors', ...V1_2))).toBeLessThan(200);
    // The deletion of a ClusterServiceVersion costs no read (decision 0162), its release two lists of
    // rights. Patched are the older plan, which loses its label, and the ClusterServiceVersion that loses
    // its finalizer. Each of the four waits for its Deployment: one more Event.
    expectAtMost({ get: 26, list: 14, create: 36, update: 18, status: 50, patch: 8, delete: 12, event: 32 });
  });

  it('for a pass after that: again no write', async () => {
    expect(await used(rest)).toBeLessThanOrEqual(3);
  });

  it('for a namespace with nothing of ours: none', async () => {
    bench.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'empty' } });
    const reads = await used(async () => {
      await bench.pass('empty');
      expect(bench.cluster.requests.writes()).toEqual([]);
    });
    expect(reads).toBe(0);
  });
});
