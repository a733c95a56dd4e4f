import { expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetEvent } from './event-log.js';
import { readScenario } from './read-scenario.js';
import { simulateChecked } from './simulate-checked.js';

const metadata = { name: 'kafka', namespace: 'platform' };
const subject = 'FleetOperator/platform/kafka';
const manifests = [
  {
    apiVersion: FLEET_API,
    kind: 'FleetOperator',
    metadata,
    spec: {
      package: 'kafka-operator',
      namespace: 'kafka',
      catalog: { name: 'c', namespace: 'olm' },
      strategyRef: { name: 's' },
    },
  },
  {
    apiVersion: FLEET_API,
    kind: 'FleetStrategy',
    metadata: { ...metadata, name: 's' },
    spec: { supersede: 'Queue' },
  },
];

function played(file: object) {
  const events: FleetEvent[] = [];
  const scenario = readScenario({
    manifests: manifests.map((value) => ({ value, where: 'test' })),
    clusters: 2,
    faults: { value: file, where: (path) => path.join('.') },
    seed: '1',
    until: undefined,
  });
  const summary = simulateChecked(scenario, (event) => events.push(event));
  expect(summary.invariants.violations).toEqual([]);
  return { events, summary };
}

const release = (at: string, to: string) => ({ at, release: { subject, to } });
const pause = (at: string, rollout: string) => ({
  at,
  decide: { rollout, action: 'Pause', by: { user: 'anna', groups: [] }, reason: 'CHG-1' },
});
const killed = { from: '5s', controllerKilled: { down: '20s' } };

/** What the log says that only a controller can do, while none runs. */
function saidWhileDown(events: readonly FleetEvent[]): string[] {
  let isDown = false;
  return events.flatMap(({ t, kind, phase, reason }) => {
    if (kind === 'controller' && phase === 'Killed') isDown = true;
    if (kind === 'controller' && phase === 'Started') isDown = false;
    const isOwn = kind !== 'controller' && kind !== 'world' && kind !== 'write';
    return isDown && isOwn ? [`${t} ${kind} ${phase} ${reason}`] : [];
  });
}

it('answers a decision about a roll-out that is not there once it has started again', () => {
  const { events } = played({ script: [release('0s', 'v2'), pause('10s', 'platform/other-1')], faults: [killed] });
  const decisions = events.filter(({ kind }) => kind === 'decision');
  expect(decisions).toMatchObject([{ t: 25, phase: 'Pause', reason: 'UnknownRollout' }]);
});

it('makes the roll-out of a release, and takes decisions about it, once it has started again', () => {
  const script = [release('0s', 'v2'), release('10s', 'v3'), pause('15s', 'platform/kafka-1')];
  const { events, summary } = played({ script, faults: [killed] });
  expect(saidWhileDown(events)).toEqual([]);
  expect(summary.rollouts.map(({ name, startedAt }) => `${name} ${startedAt}`)).toEqual([
    'platform/kafka-1 0',
    'platform/kafka-2 10',
  ]);
  expect(events.filter(({ kind }) => kind === 'decision')).toMatchObject([{ t: 25, reason: 'Effective' }]);
});

it('announces what a release supersedes one after the other, also where each write is its last', () => {
  const script = [release('0s', 'v2'), release('10s', 'v3'), release('10s', 'v4')];
  const { events, summary } = played({ script, faults: [{ controllerKilled: { everyWrites: 1, down: '1s' } }] });
  expect(saidWhileDown(events)).toEqual([]);
  expect(summary.rollouts.map(({ target, phase }) => `${target} ${phase}`)).toEqual([
    'v2 Completed',
    'v3 Superseded',
    'v4 Completed',
  ]);
});

it('makes rows anew once it has started again, where the assignments are lost meanwhile', () => {
  const script = [release('0s', 'v2')];
  const { events, summary } = played({ script, faults: [killed, { from: '15s', assignmentsLost: {} }] });
  expect(saidWhileDown(events)).toEqual([]);
  const anew = events.filter(({ kind, from, t }) => kind === 'cluster' && from === null && t > 0);
  expect(anew.map(({ t, phase }) => `${t} ${phase}`)).toEqual(['25 Waiting', '25 Applying']);
  expect(summary.rollouts[0]?.phase).toBe('Completed');
});
