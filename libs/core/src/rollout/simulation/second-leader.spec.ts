import { describe, expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import type { FleetEvent } from '../controller/record/event-log.js';
import { readScenario } from './read-scenario.js';
import { simulate } from './simulate.js';
import type { VirtualHub } from './virtual-hub.js';

const operator = {
  apiVersion: FLEET_API,
  kind: 'FleetOperator',
  metadata: { name: 'kafka', namespace: 'platform' },
  spec: { package: 'kafka-operator', namespace: 'kafka', catalog: { name: 'c', namespace: 'olm' } },
};

function played(faults: readonly object[]) {
  const events: FleetEvent[] = [];
  let hub: VirtualHub | undefined;
  const scenario = readScenario({
    manifests: [{ value: operator, where: 'test' }],
    clusters: 30,
    faults: { value: { faults }, where: (path) => path.join('.') },
    seed: '1',
    until: undefined,
  });
  const summary = simulate(
    scenario,
    (event) => events.push(event),
    (run) => ({ hub } = run),
  );
  const lines = events.filter(({ kind }) => kind === 'cluster' || kind === 'wave' || kind === 'write');
  return { summary, hub, lines: lines.map(({ seq: _, ...line }) => line) };
}

describe('a second leader', () => {
  it('makes no step from an old view, and counts each as refused, changes nothing', () => {
    const alone = played([]);
    const disturbed = played([{ secondLeader: { staleBy: '20s' } }]);
    expect(disturbed.hub?.others[0]?.refused).toBeGreaterThan(10);
    expect(disturbed.lines).toEqual(alone.lines);
    expect(disturbed.summary.writes).toEqual(alone.summary.writes);
  });

  it('makes the same steps where its view is that of the leader', () => {
    const disturbed = played([{ secondLeader: { for: '1h' } }]);
    expect(disturbed.hub?.others[0]?.refused).toBe(0);
    expect(disturbed.lines).toEqual(played([]).lines);
  });
});

describe('a controller that is killed after every n-th write', () => {
  const inOrder = (lines: readonly { kind: string; phase: string; cluster: string | null }[]) =>
    lines
      .filter(({ kind, phase }) => kind === 'write' && phase === 'Target')
      .map(({ cluster }) => cluster)
      .sort();

  it.each([1, 2, 3, 5, 7])('%i: gives each order once, and ends the same', (everyWrites) => {
    const alone = played([]);
    const killed = played([{ controllerKilled: { everyWrites, down: '1s' } }]);
    expect(killed.summary.rollouts.map(({ phase, counts, starts }) => ({ phase, counts, starts }))).toEqual(
      alone.summary.rollouts.map(({ phase, counts, starts }) => ({ phase, counts, starts })),
    );
    expect(inOrder(killed.lines)).toEqual(inOrder(alone.lines));
    expect(killed.summary.clusters.map(({ installed }) => installed)).toEqual(
      alone.summary.clusters.map(({ installed }) => installed),
    );
  });
});
