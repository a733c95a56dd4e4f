import { afterAll, beforeAll, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { RolloutController } from '../rollout-controller.js';
import { PlayedFleet } from '../rollouts.fixture.js';
import { type FleetSource, listedFrom } from '../state/fleet-state.js';

let fleet: PlayedFleet;
beforeAll(async () => {
  fleet = await PlayedFleet.begin(['lab-1'], () => ({}));
});
afterAll(() => fleet.stop());

it('a decision about a rollout that is not there has no effect after a minute, with a word in the log', async () => {
  const spec = { rollout: 'kafka-9', action: 'Pause', reason: 'incident', by: { user: 'anna', groups: [] } };
  await fleet.apply('FleetDecision', 'lost', spec);
  const { client } = fleet.hub;
  const ref = { apiVersion: FLEET_API, kind: 'FleetDecision', name: 'lost', namespace: 'platform' };
  const warnings: string[] = [];
  const log = { warn: (_: unknown, text: string) => void warnings.push(text), info: () => undefined };
  const createdAt = `${fleet.clock.now().toISOString().slice(0, 19)}Z`;
  const dated = (object: KubernetesObject) =>
    object.kind === 'FleetDecision'
      ? { ...object, metadata: { ...object.metadata, creationTimestamp: createdAt } }
      : object;
  const source: FleetSource = async (kind) =>
    (await listedFrom(client)(kind)).map((one) => ({ ...one, open: () => dated(one.open()) }));
  const controller = new RolloutController(client, fleet.clock, log as never, source);
  const next = await controller.pass();
  expect(next).toBeLessThanOrEqual(60_000);
  expect((await client.get(ref))?.['status']).toBeUndefined();
  await fleet.clock.advance(60_000);
  // An answer that the hub API refuses holds up nothing else, and is given later.
  fleet.hub.cluster.failNext({ verb: 'update', resource: 'fleetdecisions' }, 422, 'Invalid', 'refused');
  expect(await controller.pass()).toBeLessThanOrEqual(60_000);
  expect((await client.get(ref))?.['status']).toBeUndefined();
  await fleet.clock.advance(60_000);
  await controller.pass();
  expect((await client.get(ref))?.['status']).toMatchObject({ effective: false, reason: 'UnknownRollout' });
  await controller.pass();
  expect(warnings).toEqual([
    'could not write the outcome of a decision; retrying in a minute',
    'found a decision about a rollout that does not exist',
  ]);
});
