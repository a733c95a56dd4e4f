import {
  all,
  decide,
  FAILS,
  fault,
  GATE,
  HOPS,
  KAFKA,
  NIGHT,
  type Story,
  script,
  targets,
  window,
} from './story-parts.fixture.js';

/** Stories about clusters, decisions and windows. */
export const CLUSTER_STORIES: readonly Story[] = [
  { name: 'one wave', strategy: all() },
  {
    name: 'two waves with a soak',
    strategy: {
      waves: [
        { name: 'one', count: 1, soak: '5m' },
        { name: 'two', maxConcurrent: 2 },
      ],
    },
  },
  {
    name: 'three waves by labels',
    clusters: 6,
    strategy: {
      waves: ['lab', 'canary'].map((tier) => ({ name: tier, clusters: { selector: { matchLabels: { tier } } } })),
    },
  },
  {
    name: 'a wave that is promoted',
    strategy: {
      waves: [
        { name: 'one', count: 1 },
        { name: 'two', promotion: 'Manual' },
      ],
    },
    file: script({ at: '10m', decide: decide('Promote', { wave: 'two' }) }),
  },
  { name: 'a path of three hops', isFirst: true, strategy: all(), file: HOPS },
  {
    name: 'an approval',
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: script({ at: '10m', decide: decide('Approve', { class: 'only' }) }),
  },
  {
    name: 'a rejected class',
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: { ...script({ at: '10m', decide: decide('Reject', { class: 'only' }) }), until: '2h' },
  },
  {
    name: 'a failure over the threshold',
    strategy: all({}, { onFailure: 'Halt' }),
    file: { faults: [fault(FAILS)], until: '2h' },
  },
  {
    name: 'a failure within the threshold',
    strategy: all({ failureThreshold: 1 }, { onFailure: 'Halt' }),
    file: { faults: [fault(FAILS)] },
  },
  {
    name: 'a failure that takes all back',
    isFirst: true,
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { faults: [fault(FAILS)] },
  },
  {
    name: 'a failure that takes a wave back',
    strategy: {
      waves: [
        { name: 'one', count: 1 },
        { name: 'two', maxConcurrent: '100%' },
      ],
      onFailure: 'RollBackWave',
    },
    file: { faults: [fault(FAILS)] },
  },
  {
    name: 'a failure that takes its cluster back',
    strategy: all({ failureThreshold: 2 }, { onClusterFailure: 'RollBack' }),
    file: { faults: [fault(FAILS)] },
  },
  {
    name: 'a return that fails',
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { faults: [fault(FAILS), fault({ returnFails: {} }, ['c-0003'])], until: '6h' },
  },
  {
    name: 'a return that is blocked',
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { ...targets({ returnBlocked: 'StoredVersionRemoved' }), faults: [fault(FAILS)], until: '6h' },
  },
  {
    name: 'a deadline that passes',
    strategy: all({ progressDeadline: '2m' }, { onFailure: 'Halt' }),
    file: { faults: [fault({ applyHangs: {} })], until: '2h' },
  },
  {
    name: 'a retry of a failure',
    isFirst: true,
    strategy: all({}, { onFailure: 'Halt' }),
    file: {
      ...script({ at: '30m', decide: decide('Retry', { clusters: ['c-0002'] }) }),
      faults: [fault({ attempts: 1, ...FAILS })],
    },
  },
  {
    name: 'a resume after a failure',
    strategy: { waves: [{ name: 'one', count: 2, maxConcurrent: '100%' }], onFailure: 'Halt' },
    file: { ...script({ at: '30m', decide: decide('Resume') }), faults: [fault(FAILS, ['c-0001', 'c-0002'])] },
  },
  {
    name: 'a skipped cluster',
    strategy: all({ promotion: 'Manual' }),
    file: script(
      { at: '5m', decide: decide('Skip', { clusters: ['c-0003'] }) },
      { at: '10m', decide: decide('Promote', { wave: 'all' }) },
    ),
  },
  {
    name: 'a pause',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: script({ at: '10s', decide: decide('Pause') }, { at: '1h', decide: decide('Resume') }),
  },
  {
    name: 'an abort',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: script({ at: '10s', decide: decide('Abort') }),
  },
  {
    name: 'an abort and a retry',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: script({ at: '10s', decide: decide('Abort') }, { at: '1h', decide: decide('Retry') }),
  },
  { name: 'a rollback by decision', strategy: all(), file: script({ at: '1h', decide: decide('Rollback') }) },
  {
    name: 'a rollback of one cluster',
    strategy: all(),
    file: script({ at: '1h', decide: decide('Rollback', { clusters: ['c-0003'] }) }),
  },
  {
    name: 'a rollback and a retry',
    strategy: all(),
    file: script({ at: '1h', decide: decide('Rollback') }, { at: '2h', decide: decide('Retry') }),
  },
  {
    name: 'health that is lost',
    strategy: all({ soak: '30m' }, { onFailure: 'Halt' }),
    file: { faults: [fault({ unhealthy: { after: '3m' } })], until: '2h' },
  },
  {
    name: 'a plan that changes',
    strategy: all(),
    file: {
      ...targets({ classes: [{ name: 'only' }, { name: 'wide', changes: ['RBACGrowth'], clusters: { names: [] } }] }),
      faults: [fault({ planChanges: { class: 'wide' } })],
    },
  },
  {
    name: 'a cluster that is offline, and skipped',
    strategy: all({ offline: 'Skip', offlineGrace: '5m' }),
    file: { faults: [fault({ offline: { for: '1h' } })] },
  },
  {
    name: 'a cluster that is offline, and waited for',
    strategy: all({ offline: 'Wait', offlineGrace: '5m' }),
    file: { faults: [fault({ offline: { for: '1h' } })] },
  },
  {
    name: 'a cluster that is offline, and fails',
    strategy: all({ offline: 'Fail', offlineGrace: '5m' }, { onFailure: 'Halt' }),
    file: { faults: [fault({ offline: {} })], until: '2h' },
  },
  {
    name: 'contact that is lost on the way',
    isFirst: true,
    strategy: all({ offline: 'Skip', offlineGrace: '5m' }),
    file: { faults: [fault({ from: '10s', offline: { for: '1h' } })] },
  },
  {
    name: 'a gate that is red',
    strategy: all({ gates: [{ ...GATE, scope: 'Cluster' }] }, { onFailure: 'Halt' }),
    file: { faults: [fault({ gate: { name: 'errors', answer: 'red' } })], until: '2h' },
  },
  {
    name: 'a gate that does not answer',
    strategy: all({ gates: [{ ...GATE, scope: 'Cluster', timeout: '4m' }] }, { onFailure: 'Halt' }),
    file: { faults: [fault({ gate: { name: 'errors', answer: 'none' } })], until: '2h' },
  },
  {
    name: 'a gate of a wave',
    strategy: all({ soak: '2m', gates: [{ ...GATE, scope: 'Wave' }] }, { onFailure: 'Halt' }),
  },
  { name: 'a freeze', strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] }, others: [window(NIGHT)] },
  {
    name: 'a freeze between hops',
    isFirst: true,
    strategy: all({ progressDeadline: '5m' }),
    others: [window(NIGHT)],
    file: HOPS,
  },
  {
    name: 'a freeze that is lifted',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    others: [window({ ...NIGHT, breakGlassGroups: ['sre'] })],
    file: script({
      at: '1h',
      decide: { ...decide('BreakGlass', { for: '1h' }), by: { user: 'anna', groups: ['sre'] } },
    }),
  },
  {
    name: 'an Allow over a change of clocks',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    others: [window({ type: 'Allow', schedule: { cron: '30 2 * * *', duration: '1m', timeZone: 'Europe/Berlin' } })],
    file: { start: '2026-03-28T20:00:00Z' },
  },
  {
    name: 'a cluster that joins',
    isFirst: true,
    strategy: all({ soak: '10m' }),
    file: script({ at: '2m', join: { name: 'late', labels: { tier: 'prod' } } }),
  },
  {
    name: 'a cluster that joins afterwards',
    strategy: all(),
    file: script({ at: '1h', join: { name: 'late', labels: { tier: 'prod' } } }),
  },
  {
    name: 'a cluster that leaves',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: script({ at: '10s', leave: 'c-0002' }),
  },
  {
    name: 'a cluster that is relabelled',
    clusters: 6,
    strategy: { waves: [{ name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } }, soak: '10m' }] },
    file: script({ at: '2m', label: { cluster: 'c-0004', labels: { tier: 'lab' } } }),
  },
  {
    name: 'a cluster that is paused',
    strategy: all(),
    file: script({ at: '0s', pause: 'c-0002' }, { at: '1h', unpause: 'c-0002' }),
  },
  {
    name: 'a cluster that is another one',
    strategy: all({ soak: '30m' }),
    file: { ...script({ at: '1h', accept: 'c-0002' }), faults: [fault({ from: '10m', clusterReplaced: {} })] },
  },
  {
    name: 'a target that is withdrawn',
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: { ...script({ at: '10s', withdraw: { subject: KAFKA, to: 'kafka-operator.next' } }), until: '2h' },
  },
  {
    name: 'a cluster that goes ahead',
    isFirst: true,
    strategy: { waves: [{ name: 'all', maxConcurrent: 1 }] },
    file: {
      ...targets({}),
      ...script({ at: '10s', install: { cluster: 'c-0004', subject: KAFKA, bundle: 'kafka-operator.v3.0.0' } }),
    },
  },
  {
    name: 'a next target',
    strategy: all(),
    file: script({ at: '1h', release: { subject: KAFKA, to: 'kafka-operator.v9' } }),
  },
  {
    name: 'a next target after a halt',
    isFirst: true,
    strategy: all({}, { onFailure: 'Halt' }),
    file: {
      ...script({ at: '1h', release: { subject: KAFKA, to: 'kafka-operator.v9' } }),
      faults: [fault({ bundle: 'kafka-operator.next', ...FAILS })],
    },
  },
];
