import type { FleetRolloutRow } from '#core/view/rows/rollout-row';

type Wave = FleetRolloutRow['waves'][number];

const GATE: Wave['gates'][number] = {
  ...{ name: 'error-rate', when: 'After', scope: 'Wave', check: 'prometheus', limit: 'at most 0.01' },
  ...{ interval: '30s', times: 3, green: 1, red: 0, unknown: 0, askedAt: '2026-11-26T10:30:00Z', sample: [] },
};
const LAB: Wave = {
  ...{ name: 'lab', phase: 'Soaking', members: 12, done: 12, underWay: 0, waiting: 0, skipped: 0, failed: 0 },
  ...{ note: 'soak', openedAt: '2026-11-26T10:00:00Z', completedAt: '2026-11-26T10:25:00Z', soakUntil: '' },
  ...{ deadline: '30m', code: 'Soak', limit: 4, accepted: 1, soak: '2h', gates: [GATE] },
};
const REST: Wave = {
  ...{ name: 'rest', phase: 'Pending', members: 88, done: 0, underWay: 0, waiting: 87, skipped: 0, failed: 1 },
  ...{ note: 'not its turn', openedAt: '', completedAt: '', soakUntil: '', deadline: '30m' },
  ...{ code: 'NotItsTurn', limit: 9, accepted: 4, soak: '0s', gates: [] },
};

const NOBODY = { clusters: 0, sample: [] };

const WITHDRAWN: FleetRolloutRow = {
  ...{ id: 'fleet/lamp-2', package: 'lamp', target: 'lamp.v1.1.0', phase: 'Progressing', reason: '', code: '' },
  ...{ startedAt: '2026-11-26T10:00:00Z', finishedAt: '', message: 'wave 1 of 1 (all)', withdrawn: true },
  waves: [
    {
      ...{ name: 'all', phase: 'Open', members: 3, done: 0, underWay: 0, waiting: 2, skipped: 2, failed: 1 },
      ...{ note: 'not enough successes · 2 skipped', openedAt: '2026-11-26T10:00:00Z', completedAt: '' },
      ...{ soakUntil: '', deadline: '30m', code: 'NotEnoughSuccesses', soak: '0s', gates: [] },
    },
  ],
  failures: [{ reason: 'resolution failed', cause: 'no plan', clusters: 1, sample: ['east'] }],
  classes: [{ hash: '3f9c', clusters: 2, changes: ['Minor', 'CRDChange'] }],
  decisions: [],
  moreDecisions: 0,
};

/** Rollouts whose target was withdrawn: one that cannot go on, and one that was aborted. */
export const withdrawnRollout = {
  open: WITHDRAWN,
  ended: { ...WITHDRAWN, id: 'fleet/lamp-1', phase: 'Aborted', finishedAt: '2026-11-26T11:00:00Z', classes: [] },
};

/** A rollout of the fleet that soaks for another ninety minutes, with a failure in this cluster. */
export const harborRollout = (cluster: string): FleetRolloutRow => ({
  ...{
    id: 'fleet/harbor-3',
    package: 'harbor',
    target: 'harbor.v1.1.0',
    phase: 'Progressing',
    reason: '',
    code: 'Planned',
  },
  ...{ startedAt: '2026-11-26T10:00:00Z', finishedAt: '', message: 'wave 1 of 2 (lab): soak' },
  waves: [{ ...LAB, soakUntil: new Date(Date.now() + 90 * 60_000).toISOString() }, REST],
  failures: [{ reason: 'deadline exceeded', cause: 'no image', clusters: 7, sample: [cluster] }],
  classes: [{ hash: '3f9c', clusters: 88, changes: ['Minor'] }],
  paths: {
    classes: [
      {
        ...{ hash: '3f9c', clusters: 88 },
        steps: [
          {
            ...{ from: 'harbor.v1.0.0', to: 'harbor.v1.0.5' },
            underWay: { clusters: 7, sample: ['eu-11', 'eu-12', 'eu-13', 'eu-14', 'eu-15'] },
            failed: { clusters: 1, sample: [cluster] },
          },
          { from: 'harbor.v1.0.5', to: 'harbor.v1.1.0', underWay: { clusters: 1, sample: ['eu-10'] }, failed: NOBODY },
        ],
      },
      {
        ...{ hash: '77ab', clusters: 12 },
        steps: [{ from: '', to: 'harbor.v1.1.0', underWay: NOBODY, failed: NOBODY }],
      },
    ],
    more: 2,
  },
  decisions: [
    {
      ...{ at: '2026-11-26T10:05:00Z', by: 'jane@example.com', action: 'Promote', about: 'wave lab' },
      ...{ reason: 'CHG-7', outcome: 'effective' },
    },
    {
      ...{ at: '2026-11-26T10:01:00Z', by: 'otto', action: 'Skip', about: 'eu-09' },
      ...{ reason: '<b>no</b>', outcome: 'not allowed' },
    },
  ],
  moreDecisions: 3,
});
