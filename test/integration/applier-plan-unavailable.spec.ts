import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { LONG_PATIENCE_MS } from '#testing/patience';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeCrd, offer } from './applier-support/made-operator.js';

const GROUP = 'monitoring.coreos.com';
const API_SERVICE = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1.${GROUP}` };
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' };

describe('an InstallPlan with a step of an aggregated API that does not answer', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start({ installPlanRetryTimeout: LONG_PATIENCE_MS });
  });
  afterAll(() => bench.stop());

  const plan = () => bench.cluster.list(PLAN).find(({ metadata }) => metadata.namespace === 'watch') as InstallPlan;

  it('stops there and says why, and goes on by itself when the API is back', async () => {
    const { name, ...kind } = API_SERVICE;
    const spec = { group: GROUP, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };
    const service = { name: 'nothing', namespace: 'watch', port: 443 };
    bench.namespace('watch');
    bench.cluster.create({ ...kind, metadata: { name }, spec: { ...spec, service } });
    const rule = { apiVersion: `${GROUP}/v1`, kind: 'PrometheusRule', metadata: { name: 'rules' }, spec: {} };
    await offer(bench, 'gauge', [{ version: '1.0.0', objects: [rule] }]);
    bench.subscribe('watch', 'gauge');
    await bench.settle('watch', () => plan()?.status?.message !== undefined);
    expect(plan().status).toMatchObject({
      phase: 'Installing',
      message: expect.stringContaining(`APIService ${name} is not available`),
    });
    bench.cluster.delete(API_SERVICE);
    bench.cluster.create(madeCrd({ kind: 'PrometheusRule', group: GROUP }, [{ name: 'v1', storage: true }]));
    await bench.installed('watch', 'gauge.v1.0.0');
    expect(plan().status?.phase).toBe('Complete');
    expect(
      bench.cluster.get({ apiVersion: rule.apiVersion, kind: rule.kind, name: 'rules', namespace: 'watch' }),
    ).toBeDefined();
  });
});
