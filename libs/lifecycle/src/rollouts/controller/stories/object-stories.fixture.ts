import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { operator } from '#core/rollout/simulation/kafka-scenario.fixture';
import {
  all,
  CATALOG,
  CURATED,
  decide,
  FAILS,
  fault,
  GATE,
  KAFKA,
  NIGHT,
  operatorOf,
  SCHEMA,
  type Story,
  script,
  targets,
  window,
} from './story-parts.fixture.js';

const ONE_BY_ONE = { waves: [{ name: 'all', maxConcurrent: 1 }] };
const NEXT = 'kafka-operator.v9';
const next = (at: string, to = NEXT) => ({ at, release: { subject: KAFKA, to } });
const changed = (spec: object) => ({ ...operator, spec: { ...operator.spec, ...spec } });
const strategy = (spec: object) => ({
  ...{ apiVersion: FLEET_API, kind: 'FleetStrategy', metadata: { name: 's', namespace: 'platform' } },
  spec,
});
/** A FleetCatalog without the object that an operator of OLM Classic needs. */
const UNUSABLE = {
  ...{ apiVersion: FLEET_API, kind: 'FleetCatalog', metadata: { name: 'plain', namespace: 'platform' } },
  spec: { image: 'registry.example/c:1', clusterCatalog: { name: 'plain' } },
};

/** Stories about objects that users change, remove and create while a rollout is on its way. */
export const OBJECT_STORIES: readonly Story[] = [
  {
    name: 'an operator that is removed on the way',
    isFirst: true,
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', remove: KAFKA }),
  },
  {
    name: 'an operator that is removed, created again, and retried',
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', remove: KAFKA }, { at: '1h', apply: operator }, { at: '2h', decide: decide('Retry') }),
  },
  {
    name: 'an operator that is removed while it is rolled back',
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { ...script({ at: '40s', remove: KAFKA }), faults: [fault(FAILS)] },
  },
  {
    name: 'an operator that is removed afterwards',
    strategy: all(),
    file: script({ at: '1h', remove: KAFKA }),
  },
  {
    name: 'an operator that is paused for a while',
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', apply: changed({ paused: true }) }, { at: '1h', apply: operator }),
  },
  {
    name: 'an operator that selects fewer clusters on the way',
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', apply: changed({ clusters: { expression: "cluster.name != 'c-0003'" } }) }),
  },
  {
    name: 'an operator that selects more clusters afterwards',
    strategy: all(),
    others: [],
    file: {
      script: [
        { at: '0s', apply: changed({ clusters: { expression: "cluster.name != 'c-0003'" } }) },
        { at: '0s', release: { subject: KAFKA } },
        { at: '1h', apply: operator },
      ],
    },
  },
  {
    name: 'a cluster that leaves while it waits',
    isFirst: true,
    strategy: all({ promotion: 'Manual' }),
    file: { ...script({ at: '1h', leave: 'c-0002' }), until: '3h' },
  },
  {
    name: 'a cluster that leaves afterwards',
    strategy: all(),
    file: script({ at: '1h', leave: 'c-0002' }),
  },
  {
    name: 'the last cluster that succeeded leaves during the soak',
    strategy: all({ soak: '30m' }),
    file: { ...script({ at: '10m', leave: 'c-0002' }), faults: [fault({ slow: { factor: 9 } })] },
  },
  {
    name: 'a strategy that changes on the way',
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', apply: strategy(all()) }),
  },
  {
    name: 'a strategy that changes while a target waits',
    isFirst: true,
    isQueued: true,
    strategy: { ...ONE_BY_ONE, supersede: 'Queue' },
    file: script(next('50s'), { at: '60s', apply: strategy(all()) }),
  },
  {
    name: 'a window that is created on the way, and removed',
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', apply: window({ type: 'Deny' }) }, { at: '1h', remove: 'FleetWindow/freeze' }),
  },
  {
    name: 'two operators of a namespace after a freeze',
    isFirst: true,
    strategy: all(),
    others: [
      operatorOf('schema', { name: 'c', namespace: 'olm' }),
      window({ ...NIGHT, period: { from: '2026-01-05T00:30:00Z', to: '2026-01-05T06:00:00Z' } }),
    ],
    file: script(next('1h'), { at: '2h', release: { subject: SCHEMA } }),
  },
  {
    name: 'two operators of a namespace at once',
    strategy: all(),
    others: [operatorOf('schema', { name: 'c', namespace: 'olm' })],
    file: script({ at: '0s', release: { subject: SCHEMA } }),
  },
  {
    name: 'an operator of a catalog that it cannot use',
    isFirst: true,
    strategy: all(),
    others: [UNUSABLE, operatorOf('schema', { fleetCatalog: 'plain' })],
    file: script({ at: '0s', release: { subject: SCHEMA } }),
  },
  {
    name: 'an operator of a catalog that it can use later',
    strategy: all(),
    others: [UNUSABLE, operatorOf('schema', { fleetCatalog: 'plain' })],
    file: script(
      { at: '0s', release: { subject: SCHEMA } },
      { at: '1h', apply: { ...UNUSABLE, spec: { ...UNUSABLE.spec, catalogSource: { name: 'plain' } } } },
    ),
  },
  {
    name: 'a catalog that is promoted twice',
    strategy: all({ soak: '5m' }),
    others: [CURATED],
    file: {
      script: [
        { at: '0s', release: { subject: CATALOG } },
        { at: '1h', release: { subject: CATALOG, to: 'sha256:second' } },
      ],
    },
  },
  {
    name: 'an earlier target that comes again after an abort',
    isFirst: true,
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', decide: decide('Abort') }, next('1h'), next('3h', 'kafka-operator.next')),
  },
  {
    name: 'a next target during a rollback',
    isQueued: true,
    strategy: all({}, { onFailure: 'RollBackAll' }),
    file: { ...script(next('40s')), faults: [fault({ ...FAILS, attempts: 1, bundle: 'kafka-operator.next' })] },
  },
  {
    name: 'a next target during a pause',
    isQueued: true,
    strategy: ONE_BY_ONE,
    file: script({ at: '10s', decide: decide('Pause') }, next('1h')),
  },
  {
    name: 'a next target that waits for an approval',
    isQueued: true,
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: script(next('10m'), { at: '20m', decide: decide('Approve', { rollout: 'platform/kafka-2', class: 'only' }) }),
  },
  {
    name: 'statuses that are lost while a gate is asked',
    isLost: true,
    isFirst: true,
    strategy: all(
      { gates: [{ ...GATE, scope: 'Cluster', times: 3, interval: '1m', timeout: '5m' }] },
      { onFailure: 'Halt' },
    ),
    file: { faults: [{ from: '2m', statusLost: {} }] },
  },
  {
    name: 'statuses that are lost while a gate of a wave is asked',
    isLost: true,
    strategy: all(
      { soak: '0s', gates: [{ ...GATE, scope: 'Wave', times: 3, interval: '1m', timeout: '5m' }] },
      { onFailure: 'Halt' },
    ),
    file: { faults: [{ from: '2m', statusLost: {} }] },
  },
  {
    name: 'statuses that are lost after a rollback and a retry of one cluster',
    isLost: true,
    strategy: all({ soak: '30m' }),
    file: {
      ...script(
        { at: '5m', decide: decide('Rollback', { clusters: ['c-0003'] }) },
        { at: '10m', decide: decide('Retry', { clusters: ['c-0003'] }) },
      ),
      faults: [{ from: '20m', statusLost: {} }],
    },
  },
  {
    name: 'statuses that are lost after the end',
    isLost: true,
    strategy: all(),
    file: {
      ...script({ at: '2h', label: { cluster: 'c-0001', labels: { tier: 'lab' } } }),
      faults: [{ from: '1h', statusLost: {} }],
    },
  },
  {
    name: 'a target that is withdrawn before it starts',
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: { ...script({ at: '10m', withdraw: { subject: KAFKA, to: 'kafka-operator.next' } }), until: '2h' },
  },
  {
    name: 'a target that is deprecated while it waits for an approval',
    strategy: all({}, { approval: { default: 'Manual' } }),
    file: {
      ...targets({ classes: [{ name: 'only' }] }),
      ...script(
        { at: '10m', deprecate: { subject: KAFKA, to: 'kafka-operator.v2' } },
        { at: '20m', decide: decide('Approve', { class: 'only' }) },
      ),
    },
  },
];
