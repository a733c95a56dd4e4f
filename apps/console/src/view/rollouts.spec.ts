import { expect, it } from 'vitest';
import type { FleetRolloutRow } from '#core/fleet/view/rollout-row';
import { operatorRow } from '../console.fixture.js';
import type { Person } from '../sign-in/person.js';
import { FleetOrders } from './fleet-rows.js';
import { rolloutsSeenBy } from './rollouts.js';

const ROW: FleetRolloutRow = {
  ...{ id: 'fleet/lamp-1', package: 'lamp', target: 'lamp.v2', phase: 'Progressing', reason: '' },
  ...{ startedAt: '2026-11-26T10:00:00Z', finishedAt: '', waves: [], message: '', failures: [], classes: [] },
};
const cause = { code: 'plan-failed', kind: 'InstallPlan', names: ['lamp'], text: 'plan failed' };
const { rows } = new FleetOrders([
  operatorRow('east', 'lamp', { next: 'lamp.v2', standing: 'failed', cause }),
  operatorRow('east', 'harbor', { next: 'harbor.v2', standing: 'under-way' }),
]);
const seenWith = (unbounded: boolean, led: readonly FleetRolloutRow[]) =>
  rolloutsSeenBy({
    rows,
    reader: { rollouts: async () => led },
    person: { rights: { unbounded } } as unknown as Person,
  });

it('a roll-out of the fleet takes the place of what follows from the clusters, with its failures', async () => {
  const found = await seenWith(true, [ROW]);
  expect(found.map(({ id, derived }) => [id, derived])).toEqual([
    ['fleet/lamp-1', false],
    ['harbor@harbor.v2', true],
  ]);
  expect(found[0]?.failures).toEqual([{ reason: '', cause: 'plan failed', clusters: 1, examples: ['east'] }]);
});

it('says of failures what the roll-out itself says, where it does', async () => {
  const failure = { reason: 'deadline exceeded', cause: 'no image', clusters: 2, sample: ['east', 'west'] };
  const [found] = await seenWith(true, [{ ...ROW, failures: [failure] }]);
  const { sample: examples, ...same } = failure;
  expect(found?.failures).toEqual([{ ...same, examples }]);
});

it('who sees a part of the fleet sees no counts of all of it', async () => {
  const ids = (await seenWith(false, [ROW])).map(({ id }) => id);
  expect(ids.toSorted()).toEqual(['harbor@harbor.v2', 'lamp@lamp.v2']);
});

it('a plan that waits for a roll-out that went back is no roll-out of its own', async () => {
  const ended = { ...ROW, phase: 'RolledBack', finishedAt: '2026-11-26T11:00:00Z' };
  expect((await seenWith(true, [ended])).map(({ id }) => id)).toEqual(['fleet/lamp-1', 'harbor@harbor.v2']);
});
