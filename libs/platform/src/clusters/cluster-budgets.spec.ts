import { describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import { ReadBudget } from '../kube/limits/read-budget.js';
import { silentLog } from '../telemetry/log.port.js';
import { Metrics } from '../telemetry/metrics/metrics.js';
import { ClusterBudgets } from './cluster-budgets.js';

describe('the health of clusters that send too much', () => {
  it('has one part for each cluster, however many kinds are too large', async () => {
    const [west, north] = [new ReadBudget('west'), new ReadBudget('north')];
    for (const kind of ['Secret', 'Role', 'Pod', 'Node', 'Job', 'Event', 'Lease']) west.exceed(kind, kind, 'objects');
    west.exceed('Service', 'Service', 'endless');
    north.exceed('Pod', 'Pod', 'endless');
    const clients = [west, north, new ReadBudget('east')].map((budget) => ({ cluster: budget.cluster, budget }));
    const metrics = new Metrics({ processMetrics: false });
    const budgets = new ClusterBudgets({ clients: () => clients, clock: new ManualClock(), log: silentLog, metrics });
    const endless =
      'the list does not end, its continue tokens repeat or its pages are almost empty; check the API server';
    expect(await budgets.check.check()).toEqual({
      up: true,
      degraded: true,
      detail:
        'cluster west: too large: Event, Job, Lease, Node, Pod and 2 more: more than 200000 objects; delete some, or raise ' +
        `FLOTILLA_KUBE_MAX_OBJECTS. Service: ${endless}; cluster north: too large: Pod: ${endless}`,
    });
  });
});
