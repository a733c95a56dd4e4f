import { afterEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PlayedFleet } from './rollouts.fixture.js';
import { storedState } from './stored-rollout.js';

const [OLD, NEW] = ['kafka-operator.v2.3.0', 'kafka-operator.v2.4.0'];
const SUBJECT = 'FleetOperator/platform/kafka';
const NAMES = Array.from({ length: 250 }, (_, at) => `shop-${at}`);

let fleet: PlayedFleet | undefined;
afterEach(() => fleet?.stop());

const PLAN = { planHash: 'a'.repeat(64), hops: ['b'.repeat(64)], planned: NEW, changes: ['Minor'] };
const common = { subject: SUBJECT, healthy: true };

/** A hub API with clusters that answer and plan an update; nothing carries out what is ordered. */
async function planned(): Promise<PlayedFleet> {
  const played = await PlayedFleet.begin([], () => ({}));
  fleet = played;
  const { cluster } = played.hub;
  const conditions = [{ type: 'Reachable', status: 'True', lastTransitionTime: played.clock.now().toISOString() }];
  for (const name of NAMES) {
    const add = (kind: string, spec: object, status: object) => {
      const object = { apiVersion: FLEET_API, kind, metadata: { name }, spec };
      cluster.create(object as KubernetesObject);
      cluster.edit({ apiVersion: FLEET_API, kind, name }, (stored) => Object.assign(stored, { status }), 'status');
    };
    const rows = [{ ...common, ...PLAN, state: 'Planned', bundle: OLD }];
    add('FleetCluster', { access: { context: name } }, { uid: name, conditions });
    add('FleetAssignment', { rows: [{ subject: SUBJECT, order: 'Preview' }] }, { rows });
  }
  const waves = [
    { name: 'first', count: 1 },
    { name: 'others', maxConcurrent: '100%' },
  ];
  await played.apply('FleetStrategy', 's', { waves });
  await played.apply('FleetOperator', 'kafka', {
    ...{ package: 'kafka-operator', namespace: 'kafka-system', catalog: { name: 'c', namespace: 'olm' } },
    ...{ strategyRef: { name: 's' }, adopt: true },
  });
  return played;
}

/** The clusters that are ordered to go, or were. */
const ordered = ({ hub }: PlayedFleet): string[] =>
  hub.cluster
    .list({ apiVersion: FLEET_API, kind: 'FleetAssignment' })
    .filter(({ spec }) => JSON.stringify(spec).includes('"Go"'))
    .map(({ metadata }) => metadata.name);

function succeed({ hub }: PlayedFleet, name: string): void {
  const rows = [{ ...common, rollout: 'platform/kafka-1', attempt: 1, state: 'Ready', hop: 1, bundle: NEW }];
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name };
  hub.cluster.edit(ref, (stored) => Object.assign(stored, { status: { rows } }), 'status');
}

describe('a roll-out that starts many clusters at once', () => {
  it('names at most a hundred of them in its object before it orders them: annotations have 256 KiB', async () => {
    const played = await planned();
    const { controller, hub } = played;
    for (let left = 2; left > 0; left--) await controller.pass();
    const [first = '', ...none] = ordered(played);
    expect(none).toEqual([]);
    succeed(played, first);
    const named: number[] = [];
    const stop = hub.cluster.onChange(({ object }) => {
      if (object.kind === 'FleetRollout') named.push(storedState(object)?.intent.length ?? 0);
    });
    for (let left = 3; left > 0; left--) await controller.pass();
    stop();
    expect(ordered(played)).toHaveLength(NAMES.length - 1);
    expect(Math.max(...named)).toBe(100);
  });
});
