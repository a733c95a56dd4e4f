import {
  all,
  CATALOG,
  CURATED,
  decide,
  FAILS,
  fault,
  GATE,
  HOPS,
  KAFKA,
  killed,
  operatorOf,
  SCHEMA,
  type Story,
  script,
  targets,
} from './story-parts.fixture.js';

/** Stories about newer targets, lost objects and absent controllers. */
export const HUB_STORIES: readonly Story[] = [
  ...Object.entries({
    'an open wave': { waves: [{ name: 'one', count: 3, maxConcurrent: 1 }], onFailure: 'Halt' },
    'an open wave, at once': { waves: [{ name: 'one', count: 3, maxConcurrent: 1 }], supersede: 'Immediately' },
    'an open wave, in its turn': { waves: [{ name: 'one', count: 3, maxConcurrent: 1 }], supersede: 'Queue' },
    'a soaking wave': { waves: [{ name: 'one', count: 1, soak: '1h' }] },
  }).map(([of, strategy], at) => ({
    name: `a next target during ${of}`,
    isFirst: at === 0,
    isQueued: true,
    strategy,
    file: script({ at: '50s', release: { subject: KAFKA, to: 'kafka-operator.v9' } }),
  })),
  {
    name: 'assignments that are lost on the way',
    isFirst: true,
    strategy: all({ soak: '30m' }),
    file: { faults: [{ from: '10s', assignmentsLost: {} }] },
  },
  {
    name: 'assignments that are lost between two waves',
    isFirst: true,
    strategy: {
      waves: [
        { name: 'one', count: 2, soak: '10m' },
        { name: 'two', maxConcurrent: '100%' },
      ],
    },
    file: { faults: [{ from: '5m', assignmentsLost: {} }] },
  },
  {
    name: 'assignments that are lost after a failure',
    isKilled: true,
    strategy: all({ failureThreshold: 1 }, { onFailure: 'Halt' }),
    file: { faults: [fault(FAILS), { from: '1h', assignmentsLost: {} }] },
  },
  {
    name: 'assignments that are lost after a halt, and a retry',
    strategy: all({}, { onFailure: 'Halt' }),
    file: {
      ...script({ at: '2h', decide: decide('Retry', { clusters: ['c-0002'] }) }),
      faults: [fault({ attempts: 1, ...FAILS }), { from: '1h', assignmentsLost: {} }],
    },
  },
  {
    name: 'assignments that are lost after a rollback',
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { faults: [fault(FAILS), { from: '1h', assignmentsLost: {} }], until: '6h' },
  },
  {
    name: 'assignments that are lost after a Skip',
    isKilled: true,
    strategy: all({ promotion: 'Manual' }),
    file: {
      ...script(
        { at: '5m', decide: decide('Skip', { clusters: ['c-0003'] }) },
        { at: '10m', decide: decide('Promote', { wave: 'all' }) },
      ),
      faults: [{ from: '7m', assignmentsLost: {} }],
    },
  },
  {
    name: 'a gate that answers at the end of its time',
    strategy: all(
      { gates: [{ ...GATE, scope: 'Cluster', times: 3, interval: '1m', timeout: '2m' }] },
      { onFailure: 'Halt' },
    ),
    file: { until: '2h' },
  },
  {
    name: 'a gate of a wave that answers at the end of its time',
    strategy: all(
      { soak: '0s', gates: [{ ...GATE, scope: 'Wave', times: 3, interval: '1m', timeout: '2m' }] },
      { onFailure: 'Halt' },
    ),
    file: { until: '2h' },
  },
  {
    name: 'a plan that moves a neighbour, too',
    others: [operatorOf('schema', { name: 'c', namespace: 'olm' })],
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: {
      until: '2h',
      ...targets({ classes: [{ name: 'only', changes: ['NeighbourMove'], neighbours: [SCHEMA] }] }),
      ...script(
        { at: '0s', release: { subject: SCHEMA } },
        { at: '5m', decide: decide('Approve', { class: 'only' }) },
        { at: '10m', decide: decide('Approve', { class: 'only', rollout: 'platform/schema-1' }) },
      ),
    },
  },
  {
    name: 'an operator of a Staged catalog',
    others: [CURATED, operatorOf('schema', { fleetCatalog: 'curated' })],
    strategy: all({ soak: '5m' }),
    file: {
      targets: [{ subject: SCHEMA, to: 'schema-operator.v2', needs: { subject: CATALOG, to: 'sha256:next' } }],
      script: [
        { at: '0s', release: { subject: CATALOG } },
        { at: '0s', release: { subject: SCHEMA } },
      ],
    },
  },
  ...['1s', '11m', '3h'].map((down) => ({
    name: `no controller for ${down} on the way`,
    strategy: all({ soak: '1m', gates: [{ ...GATE, scope: 'Wave' }] }),
    file: { faults: [killed('10s', down)] },
  })),
  ...['1s', '11m', '3h'].map((down) => ({
    name: `no controller for ${down} between hops`,
    isFirst: down === '11m',
    strategy: all({ progressDeadline: '5m' }),
    file: { ...HOPS, faults: [killed('20s', down)] },
  })),
  ...[1, 2, 3].map((everyWrites) => ({
    isKilled: true,
    isFirst: everyWrites === 2,
    name: `a controller that is killed after every ${everyWrites} writes`,
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { faults: [fault(FAILS), { controllerKilled: { everyWrites, down: '1s' } }] },
  })),
];
