import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountToken, lifetimeOf } from '#core/cluster/membership/account-token';
import { ManualClock } from '#platform/clock/manual-clock';
import { joinedClusters, writeJoinedClusters } from '#platform/clusters/joined-clusters';
import { loadClusters, readAccess } from '#platform/kube/access/load-clusters';
import { LoginRenewals } from '#platform/membership/login-renewals';
import { loginStore } from '#platform/membership/stored-logins';
import { silentLog } from '#platform/telemetry/log.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { withAccount } from '../../apps/cli/src/commands/clusters/make-account.js';

const LIFETIME_MS = 600_000;

let folder = '';
let controlPlane: ControlPlane | undefined;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-renewal-'));
  controlPlane = await startControlPlane();
});
afterAll(async () => {
  await controlPlane?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('a real API server gives the account of a hub its first token, and its next one at half of its life', async () => {
  const file = join(folder, 'clusters.yaml');
  const administrator = join(folder, 'administrator');
  await writeFile(administrator, controlPlane?.clusters[0]?.kubeconfig ?? '', { mode: 0o600 });
  const [access] = await readAccess({ kubeconfigs: [administrator] });
  const [admin] = await loadClusters({ kubeconfigs: [administrator], fieldManager: 'e2e' });
  if (access === undefined || admin === undefined) throw new Error('the control plane has no cluster');
  const request = { lifetimeMs: LIFETIME_MS, roles: ['observe', 'apply-listed'] } as const;
  await writeJoinedClusters(file, [await withAccount(admin, access, request)]);
  await admin.close();

  const [joined] = await joinedClusters(file);
  const [client] = await loadClusters({ kubeconfigs: [file], fieldManager: 'e2e' });
  if (joined === undefined || client === undefined) throw new Error('no cluster was joined');
  const first = joined.user.token ?? '';
  const account = accountToken(first);
  expect(account).toMatchObject({ namespace: 'flotilla-access', name: 'hub' });
  expect(account && lifetimeOf(account)).toBe(LIFETIME_MS);
  const clock = new ManualClock(new Date());
  const logins = () => new Map([[joined.context, { access: joined, client }]]);
  const renewals = new LoginRenewals({ logins, store: loginStore(undefined), clock, log: silentLog });
  renewals.start();
  await clock.advance(LIFETIME_MS / 2 - 60_000);
  await renewals.settled();
  expect(await readFile(file, 'utf8')).toContain(first);
  await clock.advance(120_000);
  await renewals.settled();
  await renewals.stop();
  await client.close();

  expect(renewals.troubleOf(joined.context)).toBeUndefined();
  const [renewed] = await joinedClusters(file);
  expect(renewed?.user.token).not.toBe(first);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const [next] = await loadClusters({ kubeconfigs: [file], fieldManager: 'e2e' });
  expect(next?.account).toMatchObject({ namespace: 'flotilla-access', name: 'hub' });
  expect(await next?.get({ apiVersion: 'v1', kind: 'Namespace', name: 'kube-system' })).toBeDefined();
  await next?.close();
});
