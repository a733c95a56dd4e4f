import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { fixedClusters } from '#platform/membership/service-clusters.port';
import { silentLog } from '#platform/telemetry/log.port';
import { directClient } from '#testing/cluster/direct-client';
import { PATIENCE } from '#testing/patience';
import { PlayedFleet } from '../../rollouts/controller/rollouts.fixture.js';
import { ApplierRights } from './applier-rights.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const APPLIER = { kind: 'User', name: 'applier', apiGroup: 'rbac.authorization.k8s.io' };

describe('what an applier reports of its rights in the clusters of a fleet', () => {
  let fleet: PlayedFleet;
  let rights: ApplierRights;
  let isObserved = false;
  beforeEach(async () => {
    isObserved = false;
    fleet = await PlayedFleet.begin(['one', 'two'], () => ({}));
    const { client } = directClient(fleet.cluster('one').direct.cluster, 'flotilla-applier');
    const clusters = { ...fixedClusters([client.actingAs({ user: 'applier' })]), isObserved: () => isObserved };
    rights = new ApplierRights(fleet.hub.client, clusters, { clock: fleet.clock, log: silentLog });
  });
  afterEach(async () => {
    await rights.stop();
    await fleet.stop();
  });

  /** Binds a role to the applier's user. */
  const grant = (name: string, rules: readonly object[]) => {
    const { cluster } = fleet.cluster('one').direct;
    cluster.create({ apiVersion: RBAC, kind: 'ClusterRole', metadata: { name }, rules } as KubernetesObject);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
    const binding = { apiVersion: RBAC, kind: 'ClusterRoleBinding', metadata: { name } };
    cluster.create({ ...binding, roleRef, subjects: [APPLIER] } as KubernetesObject);
  };
  const statusOf = async (name: string, seconds = 1) => {
    for (let at = 0; at < seconds; at++) await fleet.clock.advance(1_000);
    const found = await fleet.hub.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    return found?.['status'] as { missingRights?: object; conditions?: readonly { type: string }[] } | undefined;
  };
  const condition = async (seconds?: number) =>
    (await statusOf('one', seconds))?.conditions?.find(({ type }) => type === 'PermissionsSufficient');

  it('are all that are missing, until they are granted; then it is quiet', async () => {
    grant('paths', [{ nonResourceURLs: ['*'], verbs: ['*'] }]);
    rights.start();
    const lacking = { status: 'False', reason: 'RulesMissing', message: 'the applier is missing * *.*' };
    await expect.poll(() => condition(), PATIENCE).toMatchObject(lacking);
    grant('everything', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]);
    await expect.poll(() => condition(15), PATIENCE).toMatchObject({ status: 'True', reason: 'AllGranted' });
    expect(await statusOf('one')).toMatchObject({ missingRights: { applier: [] } });
    fleet.hub.cluster.requests.clear();
    fleet.cluster('one').direct.cluster.requests.clear();
    await condition(60);
    expect(fleet.hub.cluster.requests.writes()).toEqual([]);
    expect(fleet.cluster('one').direct.cluster.requests.writes()).toEqual([]);
    expect((await statusOf('two'))?.missingRights, 'no cluster of this process').toBeUndefined();
  });

  it('are needed no more where the hub only observes', async () => {
    rights.start();
    await expect.poll(() => condition(), PATIENCE).toMatchObject({ reason: 'RulesMissing' });
    isObserved = true;
    await expect.poll(() => condition(15), PATIENCE).toBeUndefined();
  });
});
