import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { oddMonitor, SERVICE_MONITORS } from '#lifecycle/classic/install-plans/service-monitors.fixture';
import { PATIENCE } from '#testing/patience';
import { ApplierBench } from './applier-support/applier-bench.js';

describe('what the applier reports of its work', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
    bench.namespace('lights');
    bench.subscribe('lights', 'lighthouse-operator');
    await bench.installed('lights', 'lighthouse-operator.v1.0.0');
  });
  afterAll(() => bench.stop());

  const moves = (message: string) =>
    bench.logged
      .filter((line) => line.message === message)
      .map(({ fields }) => `${fields['from']} → ${fields['phase']}`);

  it('logs every phase of a ClusterServiceVersion, with cluster, namespace and name', () => {
    const phases = moves('ClusterServiceVersion moved').filter((move, index, all) => move !== all[index - 1]);
    expect(phases.filter((move) => new Set(move.split(' → ')).size > 1)).toEqual([
      ' → Pending',
      'Pending → InstallReady',
      'InstallReady → Installing',
      'Installing → Succeeded',
    ]);
    const where = { cluster: 'east', namespace: 'lights', name: 'lighthouse-operator.v1.0.0' };
    for (const { fields } of bench.logged.filter(({ message }) => message === 'ClusterServiceVersion moved')) {
      expect(fields).toMatchObject(where);
    }
  });

  it('logs every phase of an InstallPlan', () => {
    expect(moves('InstallPlan moved')).toEqual(['Installing → Complete']);
  });

  it('logs why nothing can be resolved, once', async () => {
    bench.namespace('lost');
    bench.subscribe('lost', 'ghost-operator');
    for (const _ of [1, 2, 3]) {
      await bench.observe('lost');
      await bench.pass('lost');
    }
    const reported = bench.logged.filter(({ message }) => message === 'resolution failed');
    expect(reported.map(({ fields }) => fields)).toEqual([
      {
        cluster: 'east',
        namespace: 'lost',
        change: expect.stringMatching(/^[0-9a-f]{32}$/),
        message: expect.stringContaining('no operators found in package ghost-operator'),
      },
    ]);
  });

  it('counts the steps that the API server warned of, and says of what in an Event', async () => {
    bench.namespace('warned');
    const plan = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan', name: 'odd', namespace: 'warned' };
    const { apiVersion, kind, name, namespace } = plan;
    const resource = {
      ...{ group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor', name: 'gear' },
      ...{ sourceName: 'samples', sourceNamespace: 'olm', manifest: JSON.stringify(oddMonitor(namespace)) },
    };
    bench.cluster.create(SERVICE_MONITORS);
    const install = { strategy: 'deployment', spec: { deployments: [] } };
    const csv = { apiVersion, kind: 'ClusterServiceVersion', metadata: { name: 'gear.v1', namespace } };
    bench.cluster.create({ ...csv, spec: { displayName: 'Gear', version: '1.0.0', install } });
    const monitors = () =>
      bench.cluster.list({ apiVersion: 'monitoring.coreos.com/v1', kind: 'ServiceMonitor', namespace });
    await expect.poll(monitors, PATIENCE).toEqual([]);
    const spec = { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['gear.v1'], generation: 1 };
    bench.cluster.create({ apiVersion, kind, metadata: { name, namespace }, spec });
    const steps = [{ resolving: 'gear.v1', status: 'Unknown', resource }];
    const status = { phase: 'Installing', catalogSources: [], plan: steps };
    bench.cluster.edit(plan, (object) => Object.assign(object, { status }), 'status');
    await bench.pass('warned');
    const metric = await bench.metrics.registry.getSingleMetric('installplan_warnings_total')?.get();
    expect(metric?.values).toEqual([{ labels: { cluster: 'east' }, value: 1 }]);
    const events = bench.cluster.list({ apiVersion: 'v1', kind: 'Event', namespace });
    expect(events.map((event) => `${event['reason']}: ${event['message']}`)).toContainEqual(
      expect.stringMatching(
        /^AppliedWithWarnings: 1 warning\(s\) .*ServiceMonitor "gear".*unknown field "spec\.oddity"/,
      ),
    );
  });
});
