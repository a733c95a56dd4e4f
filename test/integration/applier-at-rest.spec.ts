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

  beforeAll(async () => {
    bench = await ApplierBench.start({ cached: true });
    bench.namespace('harbors');
    bench.subscribe('harbors', 'harbor-operator');
  });
  afterAll(() => bench.stop());

  // OLM: about 106 for one operator without CRD and RBAC, and 150 for its upgrade; here
  // two operators with both.
  it('to install two operators: no more than 160', async () => {
    expect(await used(() => bench.installed('harbors', ...V1))).toBeLessThan(160);
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

  it('to upgrade both over two hops: no more than 350', async () => {
    bench.publishSecondEdition();
    expect(await used(() => bench.installed('harbors', ...V1_2))).toBeLessThan(350);
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
