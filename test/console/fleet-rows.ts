import type { ViewRow } from '#core/view/rows/rows';
import type { MemoryView } from '#platform/view/memory-view';
import { catalogRow, clusterRow, operatorRow, planRow } from '../../apps/console/src/console.fixture.js';
import { reportServices } from './report-services.js';

export const HASH = 'f'.repeat(64);
export const FAILED_HASH = 'e'.repeat(64);
const FLEET_HASH = 'd'.repeat(64);
const CAUSE = {
  code: 'plan-failed',
  kind: 'InstallPlan',
  names: ['harbor'],
  text: 'CRD lamps.example.com refused by v2',
};

const AWAY = { code: 'cluster-away', kind: 'Cluster', names: [], text: 'cannot be reached: no route to host' };
const NOT_READY = {
  ...{ code: 'catalog-not-ready', kind: 'CatalogSource', names: ['olm/samples'] },
  text: 'CatalogSource olm/samples is TRANSIENT_FAILURE',
};

export const clusterName = (index: number): string => `eu-${String(index + 1).padStart(2, '0')}`;

/**
 * Forty clusters: three with a failed operator, three with a plan that waits for approval, one
 * away, one with a catalog that failed and blocks an operator, one with a catalog that failed alone.
 */
function rowsOf(index: number): readonly ViewRow[] {
  const cluster = clusterName(index);
  const [failed, waits, isAway] = [index < 3, index >= 3 && index < 6, index === 6];
  const standing = failed ? 'failed' : waits ? 'needs-approval' : 'well';
  const counts = { failed: 0, blocked: 0, 'needs-approval': 0, 'under-way': 0, well: 2 };
  return [
    clusterRow(cluster, {
      ...{ standing: isAway ? 'failed' : standing, reach: isAway ? 'away' : 'fresh', labels: { tier: 'prod' } },
      ...(failed ? { cause: CAUSE } : isAway ? { cause: AWAY } : {}),
      counts: standing === 'well' ? counts : { ...counts, well: 1, [standing]: 1 },
    }),
    operatorRow(cluster, 'harbor', failed ? { standing, cause: CAUSE } : {}),
    ...(failed ? [planRow(cluster, 'harbor', FAILED_HASH, { phase: 'Failed', approved: true })] : []),
    operatorRow(cluster, 'lamp', waits ? { standing, ...WAITS } : {}),
    ...(waits ? [planRow(cluster, 'lamp', HASH, { rbac: true })] : []),
    catalogRow(cluster, `sha256:${'a'.repeat(64)}`),
  ];
}

const WAITS = { next: 'lamp.v1.1.0', plan: 'install-1', planHash: HASH, stillRuns: 'lamp.v1.0.0' } as const;

export function fillFleet(view: MemoryView): void {
  for (let index = 0; index < 40; index += 1)
    view.write({ cluster: clusterName(index), changed: rowsOf(index), removed: [] });
  const [digest, alone] = [`sha256:${'a'.repeat(64)}`, { ...NOT_READY, names: ['olm/alone'] }];
  view.write({
    cluster: clusterName(7),
    changed: [
      operatorRow(clusterName(7), 'lamp', { standing: 'blocked', cause: NOT_READY }),
      catalogRow(clusterName(7), digest, { standing: 'failed', cause: NOT_READY }),
    ],
    removed: [],
  });
  const lonely = catalogRow(clusterName(8), digest, {
    ...{ id: 'source/olm/alone', name: 'alone', standing: 'failed', cause: alone },
  });
  view.write({ cluster: clusterName(8), changed: [lonely], removed: [] });
  // The fleet works this one: its plan stands, and no person approves it here.
  view.write({
    cluster: clusterName(9),
    changed: [
      operatorRow(clusterName(9), 'mill', { plan: 'install-1', planHash: FLEET_HASH, fleet: 'fleets/mill' }),
      planRow(clusterName(9), 'mill', FLEET_HASH, { fleet: 'fleets/mill' }),
    ],
    removed: [],
  });
  reportServices(view, [
    {
      ...{ service: 'applier', instance: 'applier-1', version: '0.1.0', updatedAt: new Date().toISOString() },
      checks: [{ name: 'redis', ok: true, message: 'answers' }],
      queues: [{ queue: 'apply', waiting: 3, active: 1, delayed: 2, failed: 0, oldestSeconds: 4 }],
      slowest: [{ cluster: 'eu-07', milliseconds: 2_100 }],
      sources: [
        {
          ...{ name: 'argo', from: 'ArgoCD', namespace: 'argocd', paused: false, clusters: 12, refused: 1, left: 0 },
          message: 'eu-77 has no server',
        },
      ],
      receivers: [
        {
          ...{ notification: 'on-call', receiver: 'chat', type: 'Slack', delivered: 12, waiting: 3 },
          ...{ lastDeliveredAt: '2026-11-26T10:41:00Z', failure: 'hooks.slack.example answers 500' },
        },
      ],
    },
  ]);
  view.writeHistory([
    {
      ...{ at: '2026-11-26T10:41:00Z', kind: 'approval', cluster: 'eu-09', row: 'plan/harbors/install-1' },
      ...{ namespace: 'harbors', package: 'harbor', from: '', to: 'harbor.v1.0.0', by: 'jane@example.com' },
      comment: 'CHG-4711',
    },
  ]);
}

/** A poller's answer when the plan that waits is reviewed. */
export const REVIEWED = {
  differences: [
    {
      ...{ section: 'permissions', risk: true, sign: '+', what: 'ClusterRole lamp', text: 'gets one permission' },
      lines: ['+ secrets: get, list'],
    },
  ],
  unchanged: 12,
  hash: HASH,
  waits: true,
};

/** A poller's answer about an operator that cannot be resolved. */
export const CONFLICT = {
  because: ['Its namespace could not be resolved.', 'CRD lamps.example.com refused by v2'],
  advice: [{ text: 'Delete the other.', command: 'kubectl --context eu-01 -n harbors delete subscription lamp' }],
  revisions: [
    { revision: 2, bundle: 'lamp.v1.1.0', version: '1.1.0', state: 'active' },
    { revision: 1, bundle: 'lamp.v1.0.0', version: '1.0.0', state: 'archived' },
  ],
  conflict: {
    ...{ text: 'Subscription harbor', role: 'desired', edge: '' },
    children: ['lamp.v1.1.0 is needed', 'lamp.v1.0.0 is installed'].map((text) => ({
      ...{ text, role: 'obstacle', edge: 'but', children: [] },
    })),
  },
};
