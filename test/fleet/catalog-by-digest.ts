import { join } from 'node:path';
import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE } from '#testing/patience';
import { putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { planOf } from './staged-catalog.js';

const LIGHTS = 'lights';
const PACKAGE = 'lighthouse-operator';
const [FIRST, NEXT, LAST] = ['1.0.0', '1.1.0', '1.2.0'].map((version) => `${PACKAGE}.v${version}`);
const SOURCE = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'CatalogSource',
  name: 'curated',
  namespace: 'olm',
};
const REPOSITORY = 'fleet/curated';

/**
 * A FleetCatalog brings its content to each cluster with the operator's own turn, by digest: a new one moves
 * nothing before its plan is approved, and no cluster before its wave.
 */
export async function moveCatalogsByDigest(fleet: FleetHub): Promise<void> {
  const [lab = '', shop = ''] = fleet.names;
  const { registry } = fleet.environment;
  const imageIn = async (name: string) =>
    ((await fleet.client(name).get(SOURCE)) as { spec?: { image?: string } } | undefined)?.spec?.image;
  const installed = (name: string) => fleet.installed(name, PACKAGE, LIGHTS);
  const digest = async () => (await fleet.status('FleetCatalog', 'curated'))['current'];
  const rollout = async (name: string) =>
    (await fleet.status('FleetRollout', name)) as {
      phase?: string;
      waves?: readonly Readonly<{ phase: string }>[];
      classes?: readonly Readonly<{ hash: string; approval: string; changes: readonly string[] }>[];
    };
  await publish(fleet);
  const shopsOf = async (name: string) => (await rollout(name)).waves?.[1]?.phase;
  const decide = (name: string, spec: object) =>
    fleet.apply('FleetDecision', name, { reason: 'CHG-1184', by: { user: 'anna', groups: [] }, ...spec });

  await expect.poll(() => installed(lab), LONG_PATIENCE).toBe(FIRST);
  expect(await imageIn(lab)).toBe(`${registry.host}/${REPOSITORY}@${await digest()}`);
  expect(await imageIn(shop), 'its wave was not promoted').toBeUndefined();
  await expect.poll(() => shopsOf('lights-1'), LONG_PATIENCE).toBe('AwaitingPromotion');
  await decide('promote-1', { rollout: 'lights-1', action: 'Promote', wave: 'shops' });
  await expect.poll(async () => (await rollout('lights-1')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await installed(shop)).toBe(FIRST);

  const before = [await imageIn(lab), await digest()];
  const catalog = { apiVersion: FLEET_API, kind: 'FleetCatalog', name: 'curated', namespace: PLATFORM };
  await fleet.hub.patch(catalog, { spec: { image: imageOf(fleet, 'v2') } });
  const waiting = async () => (await rollout('lights-2')).classes?.map(({ approval }) => approval);
  await expect.poll(waiting, LONG_PATIENCE).toEqual(['Waiting']);
  expect(await digest()).not.toBe(before[1]);
  expect([await imageIn(lab), await imageIn(shop)], 'nothing was written').toEqual([before[0], before[0]]);
  const [planClass] = (await rollout('lights-2')).classes ?? [];
  expect(planClass?.changes).toContain('Minor');
  const { path } = await planOf(fleet, 'lights-2');
  expect(
    path.map(({ from, to }) => [from, to]),
    'both newer versions at once',
  ).toEqual([
    [FIRST, NEXT],
    [NEXT, LAST],
  ]);
  await decide('approve-2', { rollout: 'lights-2', action: 'Approve', class: planClass?.hash });
  await expect.poll(() => installed(lab), LONG_PATIENCE).toBe(LAST);
  expect(await imageIn(lab)).toBe(`${registry.host}/${REPOSITORY}@${await digest()}`);
  expect([await imageIn(shop), await installed(shop)]).toEqual([before[0], FIRST]);
  await expect.poll(() => shopsOf('lights-2'), LONG_PATIENCE).toBe('AwaitingPromotion');
  await decide('promote-2', { rollout: 'lights-2', action: 'Promote', wave: 'shops' });
  await expect.poll(() => installed(shop), LONG_PATIENCE).toBe(LAST);
  expect(await imageIn(shop)).toBe(await imageIn(lab));
  await expect.poll(async () => (await rollout('lights-2')).phase, LONG_PATIENCE).toBe('Completed');
  expect(await rollout('lights-3'), 'one rollout brings both').toEqual({});
}

const imageOf = ({ environment: { registry } }: FleetHub, tag: string): string =>
  `${registry.host}/${REPOSITORY}:${tag}`;

/** Two editions of the catalog, and an operator of it with two waves. */
async function publish(fleet: FleetHub): Promise<void> {
  const { registry } = fleet.environment;
  for (const tag of ['v1', 'v2']) {
    await putSampleCatalog(join(PROJECT_ROOT, 'examples'), tag, registry, `${REPOSITORY}:${tag}`);
  }
  await fleet.apply('FleetCatalog', 'curated', { image: imageOf(fleet, 'v1'), catalogSource: { name: 'curated' } });
  await fleet.apply('FleetStrategy', 'asked', {
    waves: [
      { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } },
      { name: 'shops', promotion: 'Manual' },
    ],
    approval: { default: 'Auto', rules: [{ changes: ['Minor'], action: 'Manual' }] },
  });
  await fleet.apply('FleetOperator', 'lights', {
    package: PACKAGE,
    namespace: LIGHTS,
    catalog: { fleetCatalog: 'curated' },
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [LIGHTS] } },
    strategyRef: { name: 'asked' },
  });
}
