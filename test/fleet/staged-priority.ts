import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { LONG_PATIENCE } from '#testing/patience';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { planOf, type RingsSeen, SOURCE } from './staged-catalog.js';

const ROLLOUT = 'catalog-ringed-3';

/** After the content: another priority of the same content goes through the rings, too. */
export async function promotePriority(fleet: FleetHub): Promise<void> {
  const [lab = '', ...shops] = fleet.names;
  const specIn = async (name: string) => Object((await fleet.client(name).get(SOURCE))?.['spec']);
  const prioritiesIn = (names: readonly string[]) =>
    Promise.all(names.map(async (name) => (await specIn(name)).priority));
  const rollout = async (name = ROLLOUT) => (await fleet.status('FleetRollout', name)) as RingsSeen;
  await expect.poll(async () => (await rollout('catalog-ringed-2')).phase, LONG_PATIENCE).toBe('Completed');
  const { image } = await specIn(lab);

  const catalog = { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'ringed', namespace: PLATFORM };
  await fleet.hub.patch(catalog, { spec: { catalogSource: { name: 'ringed', priority: 7 } } });
  await expect.poll(() => prioritiesIn([lab]), LONG_PATIENCE).toEqual([7]);
  expect((await rollout()).classes).toMatchObject([{ changes: ['ConfigChange'] }]);
  expect(await planOf(fleet, ROLLOUT)).toMatchObject({
    objects: { changed: [expect.stringMatching(/\+ spec\.priority: 7/)] },
  });
  expect(await prioritiesIn(shops)).toEqual(shops.map(() => undefined));
  await expect.poll(async () => (await rollout()).waves?.[1]?.phase, LONG_PATIENCE).toBe('AwaitingPromotion');
  await fleet.apply('FleetDecision', `promote-${ROLLOUT}`, {
    ...{ rollout: ROLLOUT, action: 'Promote', wave: 'shops' },
    ...{ reason: 'CHG-1191', by: { user: 'anna', groups: [] } },
  });
  await expect.poll(async () => (await rollout()).phase, LONG_PATIENCE).toBe('Completed');
  for (const name of fleet.names) expect(await specIn(name)).toMatchObject({ priority: 7, image });
}
