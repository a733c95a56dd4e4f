import { expect, vi } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { byCodeUnit, canonicalJson } from '#core/kernel/canonical/canonical-json';
import { storedRows } from '#lifecycle/rollouts/assignments/stored-rollout';
import { LONG_PATIENCE, LONG_PATIENCE_MS, promised } from '#testing/patience';
import { madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import { normalisedDump } from '../story/normalised-dump.js';
import { type FleetHub, PLATFORM } from './fleet-hub.js';
import { type KillGates, type KillPlan, killingOf } from './kill-gates.js';
import { OfferedCatalog } from './offered-catalog.js';

type Rollout = Readonly<{
  phase?: string;
  reason?: string;
  waves?: readonly Readonly<{ name: string; phase: string }>[];
  classes?: readonly Readonly<{ hash: string; approval: string }>[];
}>;

/** Kinds of writes of every such rollout. */
const REACHED = [
  'fleet-controller: create fleetrollouts',
  'fleet-controller: update fleetrollouts/status',
  'fleet-controller: update fleetassignments',
  'fleet-controller: update fleetdecisions/status',
  'applier: update fleetassignments/status',
  'applier: patch subscriptions',
  'applier: patch installplans',
  'applier: update installplans/status',
  'applier: create clusterserviceversions',
  'applier: update clusterserviceversions/status',
  'applier: create deployments',
  'applier: update deployments',
];

/** The state that a story has left in hub and clusters, without values that no two stories share. */
type Left = Readonly<{ rollouts: unknown; clusters: Readonly<Record<string, readonly string[]>> }>;

/**
 * An install and an upgrade in two waves, undisturbed; then the same of another operator, while the services
 * are killed at the kinds of writes that the plan takes, and Redis now and then. Both come to the same end,
 * and no object gets a content that it would not have got.
 */
export async function killAtKindsOfWrites(fleet: FleetHub, gates: KillGates, plan: KillPlan): Promise<void> {
  // One catalog for both: the status of a Subscription names all that are there.
  const catalog = new OfferedCatalog(fleet, 'walked');
  for (const name of ['torch', 'flare']) await catalog.offer(name, versionsOf(name).slice(0, 1));
  await catalog.serve();
  await play(fleet, gates, catalog, 'torch', undefined);
  console.log(`FLOTILLA_KILL_SEED=${plan.seed} FLOTILLA_KILL_STRIDE=${plan.stride}`);
  await play(fleet, gates, catalog, 'flare', plan).finally(() => console.log(gates.killed.join('\n')));
  // Rollouts have ended before the operator that was replaced is cleared away.
  const isSame = async () => expect(await leftBy(fleet, 'flare')).toEqual(await leftBy(fleet, 'torch'));
  await vi.waitFor(isSame, throughAll());
  expect(contentsOf(gates, 'flare')).toEqual(contentsOf(gates, 'torch'));
  const reached = gates.killed.map((kill) => kill.replace(/^(before|after) /, ''));
  expect(reached).toEqual(expect.arrayContaining(REACHED.filter((kind) => killingOf(kind, plan) !== undefined)));
}

/** Dozens of services start meanwhile; their time depends on the machine. */
const throughAll = () => ({ ...LONG_PATIENCE, timeout: promised(LONG_PATIENCE_MS).timeout });

const versionsOf = (name: string) =>
  ['1.0.0', '1.1.0'].map((version, at) => ({
    ...{ version, deployments: [madeDeployment(name, name)] },
    objects: [madeCrd({ kind: name, group: `${name}.example.com` }, [{ name: 'v1', storage: true }])],
    ...(at === 0 ? {} : { replaces: '1.0.0' }),
  }));

async function play(
  fleet: FleetHub,
  gates: KillGates,
  catalog: OfferedCatalog,
  name: string,
  plan: KillPlan | undefined,
): Promise<void> {
  gates.begin(fleet, plan);
  try {
    await fleet.apply('FleetStrategy', name, {
      approval: { default: 'Auto', rules: [{ changes: ['Minor'], action: 'Manual' }] },
      waves: [{ name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } }],
    });
    await fleet.apply('FleetOperator', name, {
      package: name,
      namespace: name,
      catalog: { name: catalog.name, namespace: 'olm' },
      strategyRef: { name },
      classic: { channel: 'stable', operatorGroup: { targetNamespaces: [name] } },
    });
    const rollout = async (number: number) => (await fleet.status('FleetRollout', `${name}-${number}`)) as Rollout;
    await expect.poll(async () => (await rollout(1)).phase, throughAll()).toBe('Completed');
    await catalog.offer(name, versionsOf(name));
    const waiting = async () => (await rollout(2)).classes?.find(({ approval }) => approval === 'Waiting')?.hash;
    await expect.poll(waiting, throughAll()).toBeDefined();
    await fleet.apply('FleetDecision', `approve-${name}`, {
      ...{ rollout: `${name}-2`, action: 'Approve', class: await waiting(), reason: 'CHG-1193' },
      by: { user: 'anna', groups: [] },
    });
    await expect.poll(async () => (await rollout(2)).phase, throughAll()).toBe('Completed');
    await expect.poll(() => conditionsOf(fleet, name), throughAll()).toContain('Progressing False');
  } finally {
    await gates.end();
  }
}

/** With how many contents each object of a story was written in the clusters. */
const contentsOf = (gates: KillGates, name: string): Readonly<Record<string, readonly number[]>> =>
  gates.contentsByKind((key) => isNamed(key, name) && !key.startsWith('Fleet'));

async function conditionsOf(fleet: FleetHub, name: string): Promise<readonly string[]> {
  const { conditions = [] } = (await fleet.status('FleetOperator', name)) as {
    conditions?: readonly Readonly<{ type: string; status: string }>[];
  };
  return conditions.map(({ type, status }) => `${type} ${status}`);
}

/** An object of the story. */
const isNamed = (key: string, name: string): boolean => key.includes(name);

async function leftBy(fleet: FleetHub, name: string): Promise<Left> {
  const clusters: Record<string, readonly string[]> = {};
  for (const cluster of fleet.names) {
    const dump = await normalisedDump(fleet.client(cluster), [name]);
    const own = Object.entries(dump).filter(([key]) => isNamed(key, name));
    clusters[cluster] = own.map((entry) => masked(canonicalJson(entry), name)).toSorted(byCodeUnit);
  }
  return { rollouts: await rolloutsOf(fleet, name), clusters };
}

/** Returns the ends of the rollouts, with each cluster in them. */
async function rolloutsOf(fleet: FleetHub, name: string): Promise<unknown> {
  return Promise.all(
    [1, 2].map(async (number) => {
      const { phase, reason, waves = [] } = (await fleet.status('FleetRollout', `${name}-${number}`)) as Rollout;
      const rows = await Promise.all(
        fleet.names.map(async (cluster) => {
          const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name: cluster });
          const row = storedRows(found ?? { metadata: {} })[`${PLATFORM}/${name}-${number}`]?.row;
          return `${row?.phase} ${row?.reason} in attempt ${row?.attempt}`;
        }),
      );
      return { phase, reason, waves: waves.map((wave) => `${wave.name} ${wave.phase}`), rows };
    }),
  );
}

const masked = (text: string, name: string): string =>
  text
    .replaceAll(name, 'NAME')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/install-[0-9a-z]+/g, 'install-HASH')
    .replaceAll(/(applied-code|made-by-hub)":"[^"]*"/g, '$1":"CODE"')
    .replaceAll(/NAME-[0-9a-z]{8,10}\b/g, 'NAME-HASH')
    // Names and notes that are made from hashes: long, and with a digit.
    .replaceAll(/(?=[A-Za-z]*\d)[0-9A-Za-z]{10,}/g, 'HASH');
