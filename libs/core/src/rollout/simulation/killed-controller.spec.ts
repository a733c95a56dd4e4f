import { describe, expect, it } from 'vitest';
import type { FleetEvent } from '../controller/record/event-log.js';
import { scenarioFrom } from './kafka-scenario.fixture.js';
import { simulateChecked } from './simulate-checked.js';

const subject = 'FleetOperator/platform/kafka';

function played(file: object, strategy: object = {}) {
  const events: FleetEvent[] = [];
  const scenario = scenarioFrom({ strategy: { supersede: 'Queue', ...strategy }, clusters: 2, file });
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

it('answers a decision about a rollout that is not there once it has started again', () => {
  const { events } = played({ script: [release('0s', 'v2'), pause('10s', 'platform/other-1')], faults: [killed] });
  const decisions = events.filter(({ kind }) => kind === 'decision');
  expect(decisions).toMatchObject([{ t: 25, phase: 'Pause', reason: 'UnknownRollout' }]);
});

it('makes the rollout of a release, and takes decisions about it, once it has started again', () => {
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

it('says once that a cluster has left, also where each write is its last', () => {
  const script = [release('0s', 'v2'), { at: '10m', leave: 'c-0001' }];
  const faults = [{ from: '5m', controllerKilled: { everyWrites: 1, down: '1s' } }];
  const { events } = played({ script, faults });
  expect(events.filter(({ phase }) => phase === 'Removed')).toHaveLength(1);
});

/** How the first cluster ends that starts. */
function endOfFirst(file: object, wave: object): string | undefined {
  const { events } = played(file, { waves: [{ name: 'all', maxConcurrent: 1, failureThreshold: 2, ...wave }] });
  const first = events.find(({ reason }) => reason === 'Started')?.cluster;
  const ends = events.filter(
    ({ kind, cluster, phase }) => kind === 'cluster' && cluster === first && phase !== 'Waiting',
  );
  return ends.map(({ phase, reason }) => `${phase} ${reason}`).find((text) => /^(Done|Failed)/.test(text));
}

describe('a deadline that passes while no controller runs', () => {
  const away = (from: string, down: string) => ({ faults: [{ from, controllerKilled: { down } }] });
  const hops = (count: number) => [{ subject, to: 'v2', classes: [{ name: 'path', hops: count }] }];
  const script = [release('0s', 'v2')];

  it('has passed for a cluster that became ready after it', () => {
    const durations = { hop: '50s', ready: '30s' };
    const end = endOfFirst({ script, durations, ...away('55s', '60s') }, { progressDeadline: '60s' });
    expect(end).toBe('Failed ProgressDeadlineExceeded');
  });

  it('has not passed for one that became ready before it', () => {
    const end = endOfFirst({ script, ...away('35s', '60s') }, { progressDeadline: '50s' });
    expect(end).toBe('Done Healthy');
  });

  it('did not run while a cluster between two hops was not sent on', () => {
    const file = { script, targets: hops(2), ...away('20s', '60s') };
    expect(endOfFirst(file, { progressDeadline: '80s' })).toBe('Done Healthy');
  });

  it('did not run while the gates of a healthy cluster were not asked', () => {
    const gate = { name: 'calm', times: 3, interval: '10s', webhook: { url: 'https://gates.example/' } };
    const end = endOfFirst({ script, ...away('20s', '80s') }, { progressDeadline: '65s', gates: [gate] });
    expect(end).toBe('Done Healthy');
  });

  it('did not run, nor did the time of a gate, while its next question was not asked', () => {
    const gate = {
      name: 'calm',
      times: 3,
      interval: '10s',
      timeout: '30s',
      webhook: { url: 'https://gates.example/' },
    };
    const end = endOfFirst({ script, ...away('45s', '5m') }, { progressDeadline: '70s', gates: [gate] });
    expect(end).toBe('Done Healthy');
  });

  it('nor while the cluster was unreachable', () => {
    const gate = { name: 'calm', times: 3, interval: '10s', timeout: '30s' };
    const gates = [{ ...gate, webhook: { url: 'https://gates.example/' } }];
    const faults = [{ from: '45s', offline: { for: '5m' } }];
    const end = endOfFirst({ script, faults }, { progressDeadline: '80s', offline: 'Wait', gates });
    expect(end).toBe('Done Healthy');
  });

  it('nor did the time of a gate of a wave', () => {
    const gate = { name: 'calm', scope: 'Wave', times: 3, interval: '10s', timeout: '30s' };
    const gates = [{ ...gate, webhook: { url: 'https://gates.example/' } }];
    const { summary } = played({ script, ...away('90s', '5m') }, { waves: [{ name: 'all', gates }] });
    expect(summary.rollouts.map(({ phase }) => phase)).toEqual(['Completed']);
  });

  it('did not run until the order of a start was written', () => {
    const faults = [{ controllerKilled: { everyWrites: 1, down: '20s' } }];
    expect(endOfFirst({ script, faults }, { progressDeadline: '50s' })).toBe('Done Healthy');
  });

  it.each([
    ['40s', 'Failed ProgressDeadlineExceeded'],
    ['43s', 'Done Healthy'],
  ])('runs while an applier has not found an order without its wake-up: %s', (progressDeadline, end) => {
    const faults = [{ wakesLost: {} }];
    expect(endOfFirst({ script, faults }, { progressDeadline })).toBe(end);
  });
});

describe('answers of gates that are lost with a status', () => {
  const gate = { name: 'calm', times: 3, interval: '20s', timeout: '50s', webhook: { url: 'https://gates.example/' } };
  const faults = [{ from: '75s', statusLost: {} }];

  it('are asked for anew, for the whole time of the gate', () => {
    const end = endOfFirst({ script: [release('0s', 'v2')], faults }, { progressDeadline: '90s', gates: [gate] });
    expect(end).toBe('Done Healthy');
  });

  it('also where the gate is one of a wave', () => {
    const waves = [{ name: 'all', maxConcurrent: 2, gates: [{ ...gate, scope: 'Wave' }] }];
    const { summary } = played({ script: [release('0s', 'v2')], faults }, { waves });
    expect(summary.rollouts.map(({ phase }) => phase)).toEqual(['Completed']);
  });
});

describe('a Skip decision', () => {
  const oneByOne = { waves: [{ name: 'all', maxConcurrent: 1, failureThreshold: 1 }] };
  const skip = (at: string, clusters: readonly string[], action = 'Skip') => ({
    at,
    decide: { rollout: 'platform/kafka-1', action, clusters, by: { user: 'anna', groups: [] }, reason: 'CHG-1' },
  });
  const lost = { from: '50s', assignmentsLost: {} };
  const all = ['c-0001', 'c-0002'];
  const ofSkipped = (events: readonly FleetEvent[]) => {
    const name = events.find(({ reason }) => reason === 'ByDecision')?.cluster;
    return events.filter(({ kind, cluster, t }) => kind === 'cluster' && cluster === name && t >= 50);
  };
  const texts = (events: readonly FleetEvent[]) => events.map(({ t, phase, reason }) => `${t} ${phase} ${reason}`);

  it('holds where assignments are lost: the cluster gets nothing', () => {
    const { events, summary } = played({ script: [release('0s', 'v2'), skip('5s', all)], faults: [lost] }, oneByOne);
    expect(texts(ofSkipped(events))).toEqual(['50 Waiting Planning', '50 Skipped ByDecision']);
    expect(summary.rollouts[0]).toMatchObject({ phase: 'Completed', starts: 1 });
  });

  it('holds for a cluster that had failed, whose failure no longer counts', () => {
    const faults = [lost, { clusters: { names: ['c-0001'] }, applyFails: {} }];
    const { events } = played({ script: [release('0s', 'v2'), skip('45s', all)], faults }, oneByOne);
    expect(texts(ofSkipped(events))).toEqual(['50 Failed ApplyFailed', '50 Skipped ByDecision']);
  });

  it('ends with a Retry', () => {
    const script = [release('0s', 'v2'), skip('5s', all), skip('40s', all, 'Retry')];
    const { summary } = played({ script, faults: [lost] }, oneByOne);
    expect(summary.rollouts[0]?.counts).toMatchObject({ done: 2, skipped: 0 });
  });
});

it('starts more clusters at once than a write of the rollout has room for', () => {
  const scenario = scenarioFrom({ strategy: { waves: [{ name: 'all', maxConcurrent: '100%' }] }, clusters: 250 });
  expect(simulateChecked(scenario, () => undefined).invariants.violations).toEqual([]);
});
