import { expect } from 'vitest';
import { InstallPlan } from '#core/kernel/api/install-plan';
import { LONG_PATIENCE } from '#testing/patience';
import { madeDeployment } from '../integration/applier-support/made-operator.js';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { OfferedCatalog } from './offered-catalog.js';

const PLACE = 'signals';
const PACKAGES = ['lamp', 'horn'] as const;
const PLAN = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'InstallPlan' };

type Rollout = Readonly<{
  phase?: string;
  classes?: readonly Readonly<{ hash: string; approval: string; changes: readonly string[] }>[];
}>;

/**
 * Two operators in one namespace, of one catalog. Three times the catalog has another version of the one, and
 * each is approved: the InstallPlan of the other waits all the while, the same one, until it is approved.
 */
export async function approveOneOfTwo(fleet: FleetHub): Promise<void> {
  const catalog = new OfferedCatalog(fleet, 'signals');
  /** The catalog has the versions up to this one. */
  const publish = (name: string, minor: number) =>
    catalog.offer(
      name,
      Array.from({ length: minor + 1 }, (_, at) => ({
        version: `1.${at}.0`,
        objects: [],
        deployments: [madeDeployment(name, name)],
        ...(at === 0 ? {} : { replaces: `1.${at - 1}.0` }),
      })),
    );
  const installed = (name: string) => Promise.all(fleet.names.map((one) => fleet.installed(one, name, PLACE)));
  const everywhere = (bundle: string) => fleet.names.map(() => bundle);
  for (const name of PACKAGES) await publish(name, 0);
  await catalog.serve();
  await fleet.apply('FleetStrategy', 'signals', {
    approval: { rules: [{ changes: ['Minor'], action: 'Manual' }], default: 'Auto' },
    waves: [{ name: 'all', maxConcurrent: '100%' }],
  });
  for (const name of PACKAGES) {
    await fleet.apply('FleetOperator', name, {
      package: name,
      namespace: PLACE,
      catalog: { name: 'signals', namespace: 'olm' },
      strategyRef: { name: 'signals' },
      classic: { channel: 'stable', operatorGroup: { targetNamespaces: [PLACE] } },
    });
  }
  for (const name of PACKAGES) {
    await expect.poll(() => installed(name), LONG_PATIENCE).toEqual(everywhere(`${name}.v1.0.0`));
  }

  await publish('horn', 1);
  const horn = await waitingClass(fleet, 'horn-2');
  const waiting = () => Promise.all(fleet.names.map((name) => waitingPlans(fleet, name, 'horn.v1.1.0')));
  // A plan is there, one in each cluster.
  const counts = async () => (await waiting()).map(({ length }) => length);
  await expect.poll(counts, LONG_PATIENCE).toEqual(fleet.names.map(() => 1));
  const plans = await waiting();
  for (const minor of [1, 2, 3]) {
    await publish('lamp', minor);
    const lamp = await waitingClass(fleet, `lamp-${minor + 1}`);
    expect(lamp.changes, 'nothing else moves with it').toEqual(['Minor']);
    await approve(fleet, `lamp-${minor + 1}`, lamp.hash);
    await expect.poll(() => installed('lamp'), LONG_PATIENCE).toEqual(everywhere(`lamp.v1.${minor}.0`));
    expect(await installed('horn')).toEqual(everywhere('horn.v1.0.0'));
    expect(await waiting(), `after lamp.v1.${minor}.0`).toEqual(plans);
  }
  await approve(fleet, 'horn-2', horn.hash);
  await expect.poll(() => installed('horn'), LONG_PATIENCE).toEqual(everywhere('horn.v1.1.0'));
  expect(await installed('lamp')).toEqual(everywhere('lamp.v1.3.0'));
}

/** UIDs of the InstallPlans that lead to a bundle and require an approval. */
async function waitingPlans(fleet: FleetHub, cluster: string, bundle: string): Promise<string[]> {
  const list = await fleet.client(cluster).list(PLAN, { namespace: PLACE });
  return (list?.items ?? [])
    .map((one) => InstallPlan.parse({ ...one, ...PLAN }))
    .filter(({ spec }) => spec.clusterServiceVersionNames.includes(bundle))
    .filter(({ spec, status }) => !spec.approved && status?.phase === 'RequiresApproval')
    .map(({ metadata }) => metadata.uid ?? '');
}

async function waitingClass(fleet: FleetHub, rollout: string) {
  const find = async () => {
    const { classes = [] } = (await fleet.status('FleetRollout', rollout)) as Rollout;
    return classes.length === 1 ? classes.find(({ approval }) => approval === 'Waiting') : undefined;
  };
  await expect.poll(async () => (await find()) !== undefined, LONG_PATIENCE).toBe(true);
  const found = await find();
  if (found === undefined) throw new Error(`no class of ${PLATFORM}/${rollout} waits`);
  return found;
}

const approve = (fleet: FleetHub, rollout: string, hash: string): Promise<void> =>
  fleet.apply('FleetDecision', `approve-${rollout}`, {
    ...{ rollout, action: 'Approve', class: hash, reason: 'CHG-1191' },
    by: { user: 'anna', groups: [] },
  });
