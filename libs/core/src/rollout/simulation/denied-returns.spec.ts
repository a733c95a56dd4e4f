import { describe, expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetEvent } from '../controller/record/event-log.js';
import { readScenario } from './read-scenario.js';
import { simulateChecked } from './simulate-checked.js';

const DENIED = { default: 'Auto', rules: [{ changes: ['Rollback'], action: 'Deny' }] };
const subject = 'FleetOperator/platform/kafka';
const by = { user: 'anna', groups: [] };

/** Three waves of a cluster each, of which the second one fails. */
function played(strategy: object, script: readonly object[] = []) {
  const metadata = { name: 'kafka', namespace: 'platform' };
  const catalog = { name: 'c', namespace: 'olm' };
  const spec = { package: 'kafka-operator', namespace: 'kafka', catalog, strategyRef: { name: 's' } };
  const waves = [
    { name: 'a', count: 1 },
    { name: 'b', count: 1 },
    { name: 'c', count: 1 },
  ];
  const objects = [
    { apiVersion: FLEET_API, kind: 'FleetOperator', metadata, spec },
    {
      apiVersion: FLEET_API,
      kind: 'FleetStrategy',
      metadata: { ...metadata, name: 's' },
      spec: { waves, ...strategy },
    },
  ];
  const clusters = [1, 2, 3].map((at) => ({ name: `c-${at}` }));
  const released = { at: '0s', release: { subject, to: 'kafka-operator.next' } };
  const failing = {
    clusters: { names: ['c-1', 'c-2', 'c-3'] },
    from: '30s',
    until: '120s',
    applyFails: { cause: 'no image' },
  };
  const scenario = readScenario({
    manifests: objects.map((value) => ({ value, where: 'test' })),
    clusters: { value: { clusters }, where: (path) => path.join('.') },
    faults: {
      value: { until: '24h', script: [released, ...script], faults: [failing] },
      where: (path) => path.join('.'),
    },
    seed: '1',
    until: undefined,
  });
  const events: FleetEvent[] = [];
  const summary = simulateChecked(scenario, (event) => events.push(event));
  expect(summary.invariants.violations).toEqual([]);
  const [rollout] = summary.rollouts;
  const rows = summary.clusters
    .flatMap((cluster) => cluster.rows.map(({ phase, reason }) => `${phase} ${reason}`))
    .sort();
  return { events, rollout, rows };
}

const decide = (action: string) => ({ at: '1h', decide: { rollout: 'platform/kafka-1', action, by, reason: 'CHG-1' } });

describe('a strategy whose rule denies Rollback', () => {
  it.each([
    ['RollBackAll', 2],
    ['RollBackWave', 1],
  ])('ends %s at once: nothing goes back, and nothing waits', (onFailure, clusters) => {
    const { rollout, rows, events } = played({ onFailure, approval: DENIED });
    expect(rollout).toMatchObject({ phase: 'Halted', reason: 'RollbackIncomplete', returns: 0 });
    expect(rollout?.classes).toContainEqual({
      name: 'rollback',
      clusters,
      changes: ['Rollback'],
      approval: 'Denied',
    });
    expect(rows).toEqual(['Done Healthy', 'Failed ApplyFailed', 'Waiting Halted']);
    const phases = events.filter(({ kind }) => kind === 'rollout').map(({ phase, reason }) => `${phase} ${reason}`);
    expect(phases.slice(-2)).toEqual(['RollingBack ThresholdExceeded', 'Halted RollbackIncomplete']);
  });

  it('is left by Abort, and by a Retry after that, which makes the target anew', () => {
    const retried = { ...decide('Retry'), at: '2h' };
    expect(played({ onFailure: 'RollBackAll', approval: DENIED }, [decide('Abort')]).rollout?.phase).toBe('Aborted');
    const { events } = played({ onFailure: 'RollBackAll', approval: DENIED }, [decide('Abort'), retried]);
    const ends = events.filter(({ kind, rollout }) => kind === 'rollout' && rollout === 'platform/kafka-2');
    expect(ends.at(-1)?.phase).toBe('Completed');
  });

  it('refuses a Rollback decision, and changes nothing by it', () => {
    const { events, rollout } = played({ onFailure: 'Halt', approval: DENIED }, [decide('Rollback')]);
    expect(events.filter(({ kind }) => kind === 'decision').map(({ reason }) => reason)).toEqual(['NotApplicable']);
    expect(rollout).toMatchObject({ phase: 'Halted', reason: 'ThresholdExceeded' });
  });

  it('keeps a failed cluster as it is where it would go back by itself', () => {
    const strategy = { onClusterFailure: 'RollBack', waves: [{ name: 'all', failureThreshold: 3, maxConcurrent: 1 }] };
    const { rollout, rows } = played({ ...strategy, approval: DENIED });
    expect(rollout?.phase).toBe('Completed');
    expect(rows).toEqual(['Done Healthy', 'Failed ApplyFailed', 'Failed ApplyFailed']);
    expect(rollout?.returns).toBe(0);
  });
});
