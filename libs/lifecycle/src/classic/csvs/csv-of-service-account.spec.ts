import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '#platform/telemetry/log.port';
import { ClassicCluster, objectOf, refTo, settled } from '../classic-cluster.fixture.js';
import { csvStage } from './csv.stage.js';
import { history, lampCsv, phases } from './csvs.fixture.js';

let at: ClassicCluster;
beforeEach(async () => {
  at = await ClassicCluster.start();
});
afterEach(() => at.stop());

const pass = (reads?: ReturnType<ClassicCluster['laggingReads']>) =>
  at.pass('shop', [csvStage(silentLog)], reads === undefined ? {} : { reads });
async function install() {
  await pass();
  await settled();
  return pass();
}
const succeeded = 'Succeeded InstallSucceeded';

describe('operator-groups.md §2: an install with the rights of the group’s service account', () => {
  const RBAC = 'rbac.authorization.k8s.io';
  const grant = (rules: readonly unknown[], labels: Record<string, string> = {}, name = 'clerk') => {
    at.put(objectOf('Role', name, 'shop', { metadata: { labels }, rules }));
    const subjects = [{ kind: 'ServiceAccount', name: 'clerk', namespace: 'shop' }];
    at.put(objectOf('RoleBinding', name, 'shop', { roleRef: { apiGroup: RBAC, kind: 'Role', name }, subjects }));
  };
  const ALL = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };

  beforeEach(() => {
    at.namespace('shop', { targetNamespaces: ['shop'], serviceAccountName: 'clerk' });
    at.put(objectOf('ServiceAccount', 'clerk', 'shop'));
    at.put(lampCsv('shop'));
  });

  it('only what is installed is written in its name; statuses are our own', async () => {
    grant([ALL]);
    await install();
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
    const writes = at.asked().filter(({ verb }) => ['create', 'update', 'patch'].includes(verb));
    const users = (resource: string) =>
      new Set(writes.filter((write) => write.resource === resource).map(({ impersonatedUser }) => impersonatedUser));
    expect(users('deployments')).toEqual(new Set(['system:serviceaccount:shop:clerk']));
    expect(users('clusterserviceversions')).toEqual(new Set([undefined]));
  });

  /** Writes the times of the status anew: those of the simulated cluster are real ones. */
  const failedAt = (time: number) => {
    const when = new Date(time).toISOString();
    const times = { lastTransitionTime: when, lastUpdateTime: when };
    at.cluster.edit(LAMP, (live) => Object.assign(live, { status: { ...at.status(LAMP), ...times } }), 'status');
  };
  const LAMP = refTo('ClusterServiceVersion', 'lamp.v1', 'shop');
  const HOUR_MS = 3_600_000;

  it('Forbidden freezes it; rights that are granted later revive it', async () => {
    await at.clock.advance(Date.now() + HOUR_MS - at.clock.now().getTime());
    grant([{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }]);
    expect(await pass()).toMatchObject({ result: 'waits', againAfterMs: 5 * 60_000 });
    const user = 'system:serviceaccount:shop:clerk';
    expect(at.status(LAMP)).toMatchObject({
      phase: 'Failed',
      reason: 'InstallComponentFailedNoRetry',
      message: expect.stringContaining(`User "${user}" cannot create resource "deployments"`),
    });
    at.writes();
    await pass();
    expect(at.writes(), 'frozen while no right has changed').toEqual([]);
    failedAt(Date.now() - HOUR_MS);
    grant([ALL], { 'olm.managed': 'true' }, 'more');
    await install();
    expect(history(at, 'shop')).toContain('Pending/DetectedClusterChange');
    expect(phases(at, 'shop')).toEqual([`lamp.v1 ${succeeded}`]);
  });
});
