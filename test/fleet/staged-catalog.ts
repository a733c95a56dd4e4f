import { join } from 'node:path';
import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetPlan } from '#core/kernel/api/fleet/fleet-plan';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE } from '#testing/patience';
import { putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { type FleetHub, PLATFORM } from './fleet-hub.js';

const BEACONS = 'beacons';
const PACKAGE = 'lighthouse-operator';
const [FIRST, LAST] = ['lighthouse-operator.v1.0.0', 'lighthouse-operator.v1.2.0'] as const;
const REPOSITORY = 'fleet/ringed';
/** The CatalogSource in a cluster. */
export const SOURCE = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  name: 'ringed',
  namespace: 'olm',
};

/** The part of a rollout that users see. */
export type RingsSeen = Readonly<{
  phase?: string;
  waves?: readonly Readonly<{ phase: string }>[];
  classes?: readonly Readonly<{ hash: string; changes: readonly string[] }>[];
  conditions?: readonly Readonly<{ type: string; reason: string }>[];
}>;

/**
 * A Staged FleetCatalog has rollouts of its own; those of an operator wait in each cluster until the digest
 * that they need was promoted there.
 */
export async function promoteStagedCatalog(fleet: FleetHub): Promise<void> {
  const [lab = '', ...shops] = fleet.names;
  const digestIn = async (name: string) => {
    const found = (await fleet.client(name).get(SOURCE)) as { spec?: { image?: string } } | undefined;
    return found?.spec?.image?.split('@')[1];
  };
  const installed = (name: string) => fleet.installed(name, PACKAGE, BEACONS);
  const inShops = <T>(of: (name: string) => Promise<T>) => Promise.all(shops.map(of));
  const everyShop = <T>(value: T) => shops.map(() => value);
  const current = async () => (await fleet.status('FleetCatalog', 'ringed'))['current'];
  const rollout = async (name: string) => (await fleet.status('FleetRollout', name)) as RingsSeen;
  const phaseOf = async (name: string) => (await rollout(name)).phase;
  const shopsOf = async (name: string) => (await rollout(name)).waves?.[1]?.phase;
  const waitsFor = async (name: string) =>
    (await rollout(name)).conditions?.find(({ type }) => type === 'Progressing')?.reason;
  const promote = (name: string) =>
    fleet.apply('FleetDecision', `promote-${name}`, {
      ...{ rollout: name, action: 'Promote', wave: 'shops' },
      ...{ reason: 'CHG-1190', by: { user: 'anna', groups: [] } },
    });
  await publish(fleet);

  await expect.poll(() => installed(lab), LONG_PATIENCE).toBe(FIRST);
  expect(await digestIn(lab)).toBe(await current());
  await expect.poll(() => waitsFor('beacon-1'), LONG_PATIENCE).toBe('WaitingCatalog');
  expect(await inShops(digestIn), 'the catalog was not promoted there').toEqual(everyShop(undefined));
  const conditions = async () => {
    const { conditions: all = [] } = (await fleet.status('FleetCatalog', 'ringed')) as RingsSeen;
    // Poller and controller apply them, in any order.
    return all.map(({ type, reason }) => `${type} ${reason}`).sort();
  };
  await expect.poll(conditions, LONG_PATIENCE).toEqual(['Conflict NoConflict', 'Progressing RollingOut', 'Ready Held']);
  expect((await rollout('catalog-ringed-1')).classes).toMatchObject([{ changes: ['CatalogOnly'] }]);
  expect(await planOf(fleet, 'catalog-ringed-1')).toMatchObject({
    path: [{ to: await current() }],
    objects: { created: [expect.stringMatching(/^CatalogSource olm\/ringed .*@sha256:/)] },
  });
  await expect.poll(() => shopsOf('catalog-ringed-1'), LONG_PATIENCE).toBe('AwaitingPromotion');
  await promote('catalog-ringed-1');
  await expect.poll(() => phaseOf('beacon-1'), LONG_PATIENCE).toBe('Completed');
  expect(await inShops(installed)).toEqual(everyShop(FIRST));
  await expect.poll(() => phaseOf('catalog-ringed-1'), LONG_PATIENCE).toBe('Completed');

  const before = await current();
  const catalog = { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'ringed', namespace: PLATFORM };
  await fleet.hub.patch(catalog, { spec: { image: imageOf(fleet, 'v2') } });
  // The second hop follows the first at once.
  await expect.poll(async () => (await installed(lab)) ?? FIRST, LONG_PATIENCE).not.toBe(FIRST);
  expect(await digestIn(lab)).toBe(await current());
  await expect.poll(() => waitsFor('beacon-2'), LONG_PATIENCE).toBe('WaitingCatalog');
  expect([await inShops(digestIn), await inShops(installed)]).toEqual([everyShop(before), everyShop(FIRST)]);
  await expect.poll(() => shopsOf('catalog-ringed-2'), LONG_PATIENCE).toBe('AwaitingPromotion');
  expect(await planOf(fleet, 'catalog-ringed-2')).toMatchObject({
    path: [{ from: before, to: await current() }],
    objects: { changed: [expect.stringContaining(`- spec.image: `)] },
  });
  await promote('catalog-ringed-2');
  await expect.poll(() => phaseOf('beacon-2'), LONG_PATIENCE).toBe('Completed');
  expect(await inShops(digestIn)).toEqual(everyShop(await current()));
  // The digest has two newer versions, and one rollout has brought both.
  expect(await Promise.all(fleet.names.map(installed))).toEqual(fleet.names.map(() => LAST));
  expect(await rollout('beacon-3')).toEqual({});
  const digests = async () => (await fleet.status('FleetCatalog', 'ringed'))['digests'];
  await expect.poll(digests, LONG_PATIENCE).toEqual([{ digest: await current(), clusters: fleet.names.length }]);
}

/** Waits until an applier has stored the changes of the only class of a rollout, and returns them. */
export async function planOf(fleet: FleetHub, rollout: string): Promise<FleetPlan['spec']> {
  const specOf = async () => {
    const { classes = [] } = (await fleet.status('FleetRollout', rollout)) as RingsSeen;
    const name = `${rollout}-${classes[0]?.hash}`;
    const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetPlan', name, namespace: PLATFORM });
    return found?.['spec'] as FleetPlan['spec'] | undefined;
  };
  await expect.poll(specOf, LONG_PATIENCE).toBeDefined();
  return (await specOf()) as FleetPlan['spec'];
}

const imageOf = ({ environment: { registry } }: FleetHub, tag: string): string =>
  `${registry.host}/${REPOSITORY}:${tag}`;

/** Two editions of the catalog, and an operator of it that has one wave. */
async function publish(fleet: FleetHub): Promise<void> {
  const { registry } = fleet.environment;
  for (const tag of ['v1', 'v2']) {
    await putSampleCatalog(join(PROJECT_ROOT, 'examples'), tag, registry, `${REPOSITORY}:${tag}`);
  }
  await fleet.apply('FleetStrategy', 'rings', {
    waves: [
      { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } },
      { name: 'shops', promotion: 'Manual' },
    ],
  });
  await fleet.apply('FleetStrategy', 'at-once', { waves: [{ name: 'all', maxConcurrent: '100%' }] });
  await fleet.apply('FleetCatalog', 'ringed', {
    ...{
      image: imageOf(fleet, 'v1'),
      catalogSource: { name: 'ringed' },
      promotion: 'Staged',
      strategyRef: { name: 'rings' },
    },
  });
  await fleet.apply('FleetOperator', 'beacon', {
    package: PACKAGE,
    namespace: BEACONS,
    catalog: { fleetCatalog: 'ringed' },
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [BEACONS] } },
    strategyRef: { name: 'at-once' },
  });
}
