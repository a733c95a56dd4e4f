import { expect } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { LONG_PATIENCE } from '#testing/patience';
import { type MadeCrdVersion, madeCrd, madeDeployment } from '../integration/applier-support/made-operator.js';
import type { FleetHub } from './fleet-hub.js';
import { OfferedCatalog } from './offered-catalog.js';

const PLACE = 'wicks';
const GROUP = 'wicks.example.com';
const [OLD, NEW] = ['wick.v1.0.0', 'wick.v2.0.0'];
const WICK = { apiVersion: `${GROUP}/v2`, kind: 'Wick', name: 'one', namespace: PLACE };
const DEFINITION = {
  ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' },
  name: `wicks.${GROUP}`,
};

const versionOf = (version: string, crd: readonly MadeCrdVersion[]) => ({
  version,
  objects: [madeCrd({ kind: 'Wick', group: GROUP }, crd)],
  deployments: [madeDeployment('wick', 'wick')],
});
const FIRST = versionOf('1.0.0', [{ name: 'v1', storage: true }]);
/** Objects are stored in a version that the first one does not know. */
const SECOND = { ...versionOf('2.0.0', [{ name: 'v1' }, { name: 'v2', storage: true }]), replaces: '1.0.0' };

/**
 * Plays an operator whose new version stores objects in a form unknown to the old one. A rollback halts with
 * StoredVersionRemoved, and operator, definition and objects stay.
 */
export async function refuseToLoseObjects(fleet: FleetHub): Promise<void> {
  const [lab = '', ...others] = fleet.names;
  const catalog = new OfferedCatalog(fleet, 'wicks');
  await catalog.offer('wick', [FIRST]);
  await catalog.serve();
  await fleet.apply('FleetStrategy', 'wicks', {
    waves: [
      { name: 'lab', clusters: { selector: { matchLabels: { tier: 'lab' } } } },
      { name: 'others', maxConcurrent: '100%', promotion: 'Manual' },
    ],
  });
  await fleet.apply('FleetOperator', 'wick', {
    package: 'wick',
    namespace: PLACE,
    catalog: { name: 'wicks', namespace: 'olm' },
    strategyRef: { name: 'wicks' },
    classic: { channel: 'stable', operatorGroup: { targetNamespaces: [PLACE] } },
  });
  const installed = (name: string) => fleet.installed(name, 'wick', PLACE);
  await promoted(fleet, 'wick-1');
  await expect.poll(() => Promise.all(fleet.names.map(installed)), LONG_PATIENCE).toEqual(fleet.names.map(() => OLD));

  await catalog.offer('wick', [FIRST, SECOND]);
  await expect.poll(() => wavesOf(fleet, 'wick-2'), LONG_PATIENCE).toEqual(['Complete', 'AwaitingPromotion']);
  expect(await installed(lab)).toBe(NEW);
  const { apiVersion, kind, name, namespace } = WICK;
  const object = { apiVersion, kind, metadata: { name, namespace }, spec: {} } as KubernetesObject;
  await fleet.client(lab).create(object);

  await decide(fleet, 'wick-2', { action: 'Rollback' });
  const rollout = () => fleet.status('FleetRollout', 'wick-2');
  await expect.poll(async () => (await rollout())['phase'], LONG_PATIENCE).toBe('Halted');
  expect(await rollout()).toMatchObject({ reason: 'RollbackIncomplete' });
  expect(await reportOf(fleet, lab)).toMatchObject({
    returnCheck: { ok: false, reasons: expect.arrayContaining(['StoredVersionRemoved']) },
    message: expect.stringMatching(
      /may be stored in v2, and the earlier CRD does not have it; publish a version that upgrades/,
    ),
  });
  expect(await installed(lab)).toBe(NEW);
  expect(await Promise.all(others.map(installed))).toEqual(others.map(() => OLD));
  expect(await fleet.client(lab).get(WICK)).toBeDefined();
  expect((await fleet.client(lab).get(DEFINITION))?.['status']).toMatchObject({ storedVersions: ['v1', 'v2'] });
}

/** The phases of the two waves; there is always another one for the rest. */
async function wavesOf(fleet: FleetHub, rollout: string): Promise<readonly string[]> {
  const { waves = [] } = (await fleet.status('FleetRollout', rollout)) as {
    waves?: readonly Readonly<{ phase: string }>[];
  };
  return waves.slice(0, 2).map(({ phase }) => phase);
}

/** Has the second wave begin, once the first is complete. */
async function promoted(fleet: FleetHub, rollout: string): Promise<void> {
  await expect.poll(() => wavesOf(fleet, rollout), LONG_PATIENCE).toEqual(['Complete', 'AwaitingPromotion']);
  await decide(fleet, rollout, { action: 'Promote', wave: 'others' });
}

const decide = (fleet: FleetHub, rollout: string, spec: object): Promise<void> =>
  fleet.apply('FleetDecision', `decide-${rollout}`, {
    ...{ rollout, reason: 'CHG-1192', by: { user: 'otto', groups: [] } },
    ...spec,
  });

/** Returns the report of a cluster about the operator. */
async function reportOf(fleet: FleetHub, name: string): Promise<unknown> {
  const found = await fleet.hub.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  const { rows = [] } = (found?.['status'] ?? {}) as { rows?: readonly Readonly<{ subject: string }>[] };
  return rows.find(({ subject }) => subject.endsWith('/wick'));
}
