import { expect } from 'vitest';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { LONG_PATIENCE } from '#testing/patience';
import type { FleetHub } from './fleet-hub.js';
import { OfferedCatalog } from './offered-catalog.js';

const PLACE = 'wisps';
const PACKAGE = 'wisp';
const versionOf = (version: string, replaces?: string, skips: readonly string[] = []) => ({
  ...{ version, objects: [], skips },
  ...(replaces === undefined ? {} : { replaces }),
});
const [FIRST, BAD, NEXT] = [versionOf('1.0.0'), versionOf('1.1.0', '1.0.0'), versionOf('1.2.0', '1.0.0', ['1.1.0'])];

type Rollout = Readonly<{
  phase?: string;
  counts?: Readonly<Record<string, number>>;
  classes?: readonly Readonly<{ hash: string; approval: string }>[];
}>;

/**
 * Plays a catalog that withdraws versions whose InstallPlans wait for approval. One is skipped by another;
 * one is removed and corrected later. Neither is installed, approved or not; the next version of the catalog
 * is.
 */
export async function leaveOutWhatIsWithdrawn(fleet: FleetHub): Promise<void> {
  const catalog = new OfferedCatalog(fleet, 'wisps');
  const installed = () => Promise.all(fleet.names.map((name) => fleet.installed(name, PACKAGE, PLACE)));
  const everywhere = (version: string) => fleet.names.map(() => `${PACKAGE}.v${version}`);
  const rollout = async (number: number) => (await fleet.status('FleetRollout', `${PACKAGE}-${number}`)) as Rollout;
  const waiting = async (number: number) => (await rollout(number)).classes?.map(({ approval }) => approval);
  const approve = async (number: number) =>
    fleet.apply('FleetDecision', `approve-${PACKAGE}-${number}`, {
      ...{ rollout: `${PACKAGE}-${number}`, action: 'Approve', class: (await rollout(number)).classes?.[0]?.hash },
      ...{ reason: 'CHG-1192', by: { user: 'anna', groups: [] } },
    });
  /** All that ever was planned: OLM keeps InstallPlans. */
  const planned = async () => {
    const lists = fleet.names.map((name) => fleet.client(name).list(INSTALL_PLAN_API, { namespace: PLACE }));
    const plans = (await Promise.all(lists)).flatMap((list) => list?.items ?? []);
    return plans.flatMap(({ spec }) => (spec as { clusterServiceVersionNames: string[] }).clusterServiceVersionNames);
  };
  await catalog.offer(PACKAGE, [FIRST]);
  await catalog.serve();
  await fleet.apply('FleetStrategy', 'wisps', {
    approval: { rules: [{ changes: ['Minor', 'Patch'], action: 'Manual' }], default: 'Auto' },
    waves: [{ name: 'all', maxConcurrent: '100%' }],
  });
  await fleet.apply('FleetOperator', PACKAGE, {
    ...{ package: PACKAGE, namespace: PLACE, strategyRef: { name: 'wisps' } },
    catalog: { name: 'wisps', namespace: 'olm' },
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [PLACE] } },
  });
  await expect.poll(async () => (await rollout(1)).phase, LONG_PATIENCE).toBe('Completed');
  expect(await installed()).toEqual(everywhere('1.0.0'));

  await catalog.offer(PACKAGE, [FIRST, BAD]);
  await expect.poll(() => waiting(2), LONG_PATIENCE).toEqual(['Waiting']);
  expect(await planned()).toContain(`${PACKAGE}.v1.1.0`);
  await catalog.offer(PACKAGE, [FIRST, BAD, NEXT]);
  await expect.poll(() => waiting(3), LONG_PATIENCE).toEqual(['Waiting']);
  await expect.poll(async () => (await rollout(2)).phase, LONG_PATIENCE).toBe('Superseded');
  await approve(3);
  await expect.poll(async () => (await rollout(3)).phase, LONG_PATIENCE).toBe('Completed');
  expect(await installed()).toEqual(everywhere('1.2.0'));
  await expect
    .poll(planned, { ...LONG_PATIENCE, message: 'its plans were taken back' })
    .not.toContain(`${PACKAGE}.v1.1.0`);

  await catalog.offer(PACKAGE, [FIRST, NEXT, versionOf('1.3.0', '1.2.0')]);
  await expect.poll(() => waiting(4), LONG_PATIENCE).toEqual(['Waiting']);
  await catalog.offer(PACKAGE, [FIRST, NEXT]);
  const setAside = async () => (await rollout(4)).counts?.['skipped'];
  await expect.poll(setAside, LONG_PATIENCE).toBe(fleet.names.length);
  await approve(4);
  await catalog.offer(PACKAGE, [FIRST, NEXT, versionOf('1.3.1', '1.2.0')]);
  await expect.poll(() => waiting(5), LONG_PATIENCE).toEqual(['Waiting']);
  expect(await installed(), 'what was approved is not to be had').toEqual(everywhere('1.2.0'));
  await approve(5);
  await expect.poll(async () => (await rollout(5)).phase, LONG_PATIENCE).toBe('Completed');
  expect(await installed()).toEqual(everywhere('1.3.1'));
  await expect.poll(planned, LONG_PATIENCE).not.toContain(`${PACKAGE}.v1.3.0`);
}
