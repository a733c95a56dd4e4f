import type { ViewRow } from '#core/view/rows/rows';
import type { QuestionAsker } from '#platform/console/question-channel.port';
import type { MemoryView } from '#platform/view/memory-view';
import { catalogRow, operatorRow, planRow } from '../../apps/console/src/console.fixture.js';
import { clusterName, madeCluster } from '../../bench/console/made-rows.js';
import { catalogAnswer, SAMPLES } from './catalog-content.js';
import { CONFLICT, HASH, REVIEWED } from './fleet-rows.js';
import { reportServices } from './report-services.js';

/** Of each cluster, beside the two that the tasks are about. */
const OPERATORS = 30;
const HOUR = 3_600_000;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const CAUSE = { code: 'resolution-failed', kind: 'Subscription', names: ['harbor'], text: 'harbor needs lamps' };

/** A fleet of so many clusters: how many of them wait with the same plan, and how many have drifted. */
export type SizedFleet = Readonly<{ clusters: number; first: string; waiting: number; drifted: number }>;

export const sizedFleet = (clusters: number): SizedFleet => {
  const waiting = Math.min(42, clusters);
  return { clusters, first: clusterName(0), waiting, drifted: waiting > 3 ? 2 : 1 };
};

/** In every twentieth cluster an operator that cannot be resolved; in some a plan that waits for approval. */
function rowsOf(at: number, { waiting }: SizedFleet): readonly ViewRow[] {
  const cluster = clusterName(at);
  const isWaiting = at < waiting;
  const plan = { next: 'lamp.v1.1.0', plan: 'install-1', planHash: HASH, stillRuns: 'lamp.v1.0.0' } as const;
  const waits = { standing: 'needs-approval', ...plan } as const;
  const own = [
    operatorRow(cluster, 'harbor', at % 20 === 0 ? { standing: 'failed', cause: CAUSE } : {}),
    operatorRow(cluster, 'lamp', isWaiting ? waits : {}),
    ...(isWaiting ? [planRow(cluster, 'lamp', HASH, { rbac: true })] : []),
    catalogRow(cluster, DIGEST),
  ];
  const labels = { region: ['eu', 'us', 'ap'][at % 3] ?? '', tier: at % 5 === 0 ? 'lab' : 'prod' };
  const made = madeCluster(at, OPERATORS).map((row) => (row.kind === 'cluster' ? { ...row, labels } : row));
  return [...made, ...own];
}

export function fillSizedFleet(view: MemoryView, fleet: SizedFleet): void {
  for (let at = 0; at < fleet.clusters; at += 1)
    view.write({ cluster: clusterName(at), changed: rowsOf(at, fleet), removed: [] });
  reportServices(view, [
    {
      ...{ service: 'applier', instance: 'applier-1', version: '0.1.0', updatedAt: new Date().toISOString() },
      checks: [{ name: 'redis', ok: true, message: 'answers' }],
      queues: [{ queue: 'apply', waiting: 3, active: 1, delayed: 2, failed: 0, oldestSeconds: 4 }],
      slowest: [{ cluster: fleet.first, milliseconds: 2_100 }],
    },
  ]);
  view.writeHistory([
    {
      ...{ at: new Date(Date.now() - HOUR).toISOString(), kind: 'version', cluster: clusterName(1), by: 'hub' },
      ...{ row: 'subscription/harbors/harbor', namespace: 'harbors', package: 'harbor', comment: '' },
      ...{ from: 'harbor.v0.9.0', to: 'harbor.v1.0.0' },
    },
    {
      ...{ at: '2026-11-26T10:41:00Z', kind: 'approval', cluster: fleet.first, row: 'plan/harbors/install-1' },
      ...{ namespace: 'harbors', package: 'harbor', from: '', to: 'harbor.v1.0.0', by: 'jane@example.com' },
      comment: 'CHG-4711',
    },
  ]);
}

/** Answers as a poller does. The last clusters whose plan waits have drifted: it changes more there. */
export const sizedAsker = ({ waiting, drifted }: SizedFleet): QuestionAsker => {
  const others = new Set(Array.from({ length: drifted }, (_, at) => clusterName(waiting - 1 - at)));
  return {
    ask: async (question) => {
      if ('digest' in question) return catalogAnswer(SAMPLES, question);
      const { ask, cluster } = question;
      if (ask === 'review') return { answer: others.has(cluster) ? { ...REVIEWED, unchanged: 7 } : REVIEWED };
      if (ask === 'explain') return { answer: CONFLICT };
      return { answer: { items: [] } };
    },
  };
};

/** Operators of the fleet, as the page Fleet adds them up. */
export const operatorsOf = ({ clusters }: SizedFleet): number => clusters * (OPERATORS + 2);
