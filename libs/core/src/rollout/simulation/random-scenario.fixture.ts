import fc from 'fast-check';
import { ACTIONS } from '../../kernel/api/fleet/fleet-decision.js';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { readScenario } from './read-scenario.js';
import type { FleetScenario } from './scenario.js';

const KAFKA = 'FleetOperator/platform/kafka';
const REDIS = 'FleetOperator/platform/redis';
const CATALOG = 'FleetCatalog/platform/curated';
const tiers = fc.constantFrom('lab', 'canary', 'prod');
const times = fc.constantFrom('0s', '1s', '30s', '41s', '2m', '5m', '20m', '1h', '3h');
const shares = fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom('1%', '25%', '50%', '100%'));

/**
 * Limits of a run. A controller that is down can use up the deadlines of clusters, but not the times of
 * gates.
 */
type Limits = Readonly<{ deadlines: readonly string[]; timeouts: readonly string[] }>;

const gatesWith = ({ timeouts }: Limits) =>
  fc.record(
    {
      name: fc.constant('errors'),
      when: fc.constantFrom('Before', 'After'),
      scope: fc.constantFrom('Cluster', 'Wave'),
      times: fc.integer({ min: 1, max: 3 }),
      interval: fc.constantFrom('30s', '2m'),
      timeout: fc.constantFrom(...timeouts),
      webhook: fc.constant({ url: 'https://gate.example/' }),
    },
    { requiredKeys: ['name', 'webhook'] },
  );

const waveWith = (limits: Limits) =>
  fc.record(
    {
      clusters: fc.record({ selector: fc.record({ matchLabels: fc.record({ tier: tiers }) }) }),
      percent: fc.integer({ min: 1, max: 100 }),
      maxConcurrent: shares,
      soak: fc.constantFrom('0s', '1m', '1h'),
      progressDeadline: fc.constantFrom(...limits.deadlines),
      failureThreshold: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('0%', '50%')),
      requireSuccesses: fc.integer({ min: 0, max: 3 }),
      offline: fc.constantFrom('Skip', 'Wait', 'Fail'),
      offlineGrace: fc.constantFrom('0s', '50s', '5m'),
      promotion: fc.constantFrom('Auto', 'Auto', 'Auto', 'Manual'),
      gates: fc.array(gatesWith(limits), { maxLength: 1 }),
    },
    { requiredKeys: [] },
  );

const changes = fc.array(fc.constantFrom('Minor', 'RBACGrowth', 'Major'), { minLength: 1, maxLength: 2 });
const approval = fc.record(
  {
    default: fc.constantFrom('Auto', 'Auto', 'Manual'),
    rules: fc.array(
      fc.record(
        {
          changes,
          action: fc.constantFrom('Auto', 'Manual', 'Manual', 'Deny'),
          min: fc.integer({ min: 1, max: 2 }),
          validFor: fc.constantFrom('1m', '168h'),
        },
        { requiredKeys: ['changes', 'action'] },
      ),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: [] },
);

const strategyWith = (limits: Limits) =>
  fc.record(
    {
      waves: fc
        .array(waveWith(limits), { maxLength: 3 })
        .map((waves) => waves.map((one, index) => ({ ...one, name: `w${index}` }))),
      onFailure: fc.constantFrom('Halt', 'RollBackWave', 'RollBackAll'),
      onClusterFailure: fc.constantFrom('Keep', 'RollBack'),
      rollbackConcurrency: shares,
      supersede: fc.constantFrom('AfterWave', 'Immediately', 'Queue'),
      approval,
    },
    { requiredKeys: [] },
  );

const window = fc.record({
  type: fc.constantFrom('Allow', 'Deny'),
  schedule: fc.record({
    cron: fc.constantFrom('0 * * * *', '*/10 * * * *', '30 1 * * *'),
    duration: fc.constantFrom('1m', '5m', '30m'),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin'),
  }),
  needs: fc.constantFrom('0s', '40s'),
  breakGlassGroups: fc.constant(['sre']),
});

const cluster = fc.integer({ min: 1, max: 8 }).map((number) => `c-000${number}`);
const clusters = fc.record(
  { names: fc.array(cluster, { minLength: 1, maxLength: 3 }), percent: fc.integer({ min: 0, max: 100 }) },
  { requiredKeys: [] },
);
/** Faults of attempts: the same however often the controller is killed. */
const steadyEffect = fc.oneof(
  fc.record({ applyFails: fc.record({ after: times }) }),
  fc.constant({ applyHangs: {} }),
  fc.record({ slow: fc.record({ factor: fc.integer({ min: 1, max: 5 }) }) }),
  fc.record({ gate: fc.record({ name: fc.constant('errors'), answer: fc.constantFrom('red', 'none', 'green') }) }),
  fc.constant({ returnFails: {} }),
);
const timedEffect = fc.oneof(
  fc.record({ offline: fc.record({ for: times }, { requiredKeys: [] }) }),
  fc.record({ unhealthy: fc.record({ after: times, for: times }, { requiredKeys: ['after'] }) }),
  fc.constant({ planChanges: { class: 'only' } }),
  fc.constant({ clusterReplaced: {} }),
  fc.record({ controllerKilled: fc.record({ down: times }) }),
  fc.record({ controllerKilled: fc.record({ everyWrites: fc.integer({ min: 1, max: 9 }), down: fc.constant('1s') }) }),
  fc.constant({ statusLost: {} }),
  fc.constant({ assignmentsLost: {} }),
  fc.record({ wakesLost: fc.record({ for: times }) }),
  fc.record({ secondLeader: fc.record({ for: times, staleBy: fc.constantFrom('0s', '1s', '30s', '5m') }) }),
);
const steadyFault = fc
  .tuple(
    fc.record(
      { clusters, attempts: fc.integer({ min: 1, max: 2 }), probability: fc.constantFrom(0.5, 1) },
      { requiredKeys: ['clusters'] },
    ),
    steadyEffect,
  )
  .map(([fault, effect]) => ({ ...fault, ...effect }));
const timedFault = fc
  .tuple(fc.record({ clusters, from: times }), timedEffect)
  .map(([fault, effect]) => ({ ...fault, ...effect }));

const decide = fc
  .record({
    action: fc.constantFrom(...ACTIONS),
    number: fc.integer({ min: 1, max: 2 }),
    subject: fc.constantFrom('kafka', 'redis', 'catalog-curated'),
    clusters: fc.option(fc.array(cluster, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    user: fc.constantFrom('anna', 'ben'),
  })
  .map(({ action, number, subject, clusters: names, user }) => ({
    decide: {
      rollout: `platform/${subject}-${number}`,
      action,
      by: { user, groups: ['sre'] },
      reason: 'because',
      ...(names === undefined || action === 'Approve' || action === 'Reject' ? {} : { clusters: names }),
      ...(action === 'Approve' || action === 'Reject' ? { class: 'only' } : {}),
      ...(action === 'BreakGlass' ? { for: '1h' } : {}),
    },
  }));
const object = (kind: string, name: string, spec: object) => ({
  value: {
    apiVersion: FLEET_API,
    kind,
    metadata: kind === 'FleetWindow' ? { name } : { name, namespace: 'platform' },
    spec,
  },
  where: 'test',
});

const operator = (name: string, more: object = {}) =>
  object('FleetOperator', name, {
    ...more,
    package: name,
    namespace: 'shared',
    catalog: { fleetCatalog: 'curated' },
    strategyRef: { name: 'random' },
  });

const scriptAct = fc.oneof(
  { weight: 4, arbitrary: decide },
  { weight: 1, arbitrary: cluster.map((leave) => ({ leave })) },
  { weight: 1, arbitrary: cluster.map((pause) => ({ pause })) },
  { weight: 1, arbitrary: cluster.map((unpause) => ({ unpause })) },
  { weight: 1, arbitrary: cluster.map((accept) => ({ accept })) },
  {
    weight: 1,
    arbitrary: fc.tuple(cluster, tiers).map(([name, tier]) => ({ label: { cluster: name, labels: { tier } } })),
  },
  { weight: 1, arbitrary: tiers.map((tier) => ({ join: { name: 'late-1', labels: { tier } } })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('kafka', 'redis'), fc.boolean())
      .map(([name, paused]) => ({ apply: operator(name, { paused }).value })),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(KAFKA, REDIS).map((subject) => ({ release: { subject, to: 'second.v2' } })),
  },
);
const releases = [KAFKA, REDIS, CATALOG].map((subject) => ({ at: '0s', release: { subject } }));

/** The parts of a random scenario, readable in a failure report. */
export type ScenarioParts = Readonly<{
  strategy: object;
  windows: readonly object[];
  count: number;
  hops: number;
  planChanges: readonly string[];
  needsCatalog: boolean;
  faults: readonly object[];
  script: readonly object[];
  jitter: number;
  until: string;
}>;

const parts = (faults: fc.Arbitrary<object>, acts: number, limits: Limits): fc.Arbitrary<ScenarioParts> =>
  fc.record({
    strategy: strategyWith(limits),
    windows: fc.array(window, { maxLength: acts === 0 ? 0 : 1 }),
    count: fc.integer({ min: 8, max: 14 }),
    hops: fc.integer({ min: 1, max: 3 }),
    planChanges: changes,
    needsCatalog: fc.boolean(),
    faults: fc.array(faults, { maxLength: 4 }),
    script: fc.array(
      fc.tuple(times, scriptAct).map(([at, act]) => ({ at, ...act })),
      { maxLength: acts },
    ),
    jitter: fc.constantFrom(0, 0.5),
    // A scenario that does not depend on time must not be cut off at a time either.
    until: fc.constant(acts === 0 ? '240h' : '12h'),
  });

/** Everything that can happen, at any time. */
export const anyParts = parts(fc.oneof(steadyFault, timedFault), 6, {
  deadlines: ['40s', '2m', '30m'],
  timeouts: ['0s', '2m'],
});
/** Parts without faults or decisions that are bound to times: the result does not depend on time. */
export const steadyParts = parts(steadyFault, 0, { deadlines: ['5h'], timeouts: ['1m', '4m', '10m'] });

/** The scenario of its parts, read as the command does; more faults may be added. */
export function scenarioOf(given: ScenarioParts, more: readonly object[] = []): FleetScenario {
  const classes = [{ name: 'only', changes: given.planChanges, hops: given.hops }];
  const needs = given.needsCatalog ? { needs: { subject: CATALOG, to: 'sha256:next' } } : {};
  const faults = {
    until: given.until,
    durations: { jitter: given.jitter },
    targets: [
      { subject: KAFKA, to: 'kafka.next', classes, ...needs },
      { subject: KAFKA, to: 'second.v2', classes },
      { subject: REDIS, to: 'redis.next', returnBlocked: given.hops === 3 ? 'ContentGone' : undefined },
    ],
    // Each cluster that joins has a name of its own.
    script: [...releases, ...given.script].map((entry, index) =>
      'join' in entry ? { ...entry, join: { ...(entry.join as object), name: `late-${index}` } } : entry,
    ),
    faults: [...given.faults, ...more],
  };
  const catalog = { image: 'registry.example/c:1', catalogSource: { name: 'c' }, promotion: 'Staged' };
  return readScenario({
    manifests: [
      object('FleetCatalog', 'curated', { ...catalog, strategyRef: { name: 'random' } }),
      object('FleetStrategy', 'random', given.strategy),
      operator('kafka'),
      operator('redis'),
      ...given.windows.map((spec, index) => object('FleetWindow', `window-${index}`, spec)),
    ],
    clusters: given.count,
    faults: { value: JSON.parse(JSON.stringify(faults)) as unknown, where: (path) => `faults ${path.join('.')}` },
    seed: '1',
    until: undefined,
  });
}
