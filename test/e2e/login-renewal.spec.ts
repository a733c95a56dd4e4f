import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { accountToken, lifetimeOf } from '#core/cluster/membership/account-token';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '#platform/clock/manual-clock';
import { joinedClusters, writeJoinedClusters } from '#platform/clusters/joined-clusters';
import { mountedLogins } from '#platform/clusters/mounted-logins';
import { readSettings } from '#platform/config/settings';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { loadClusters, readAccess } from '#platform/kube/access/load-clusters';
import { LoginRenewals } from '#platform/membership/login-renewals';
import { loginStore } from '#platform/membership/stored-logins';
import { silentLog } from '#platform/telemetry/log.port';
import { type ControlPlane, startControlPlane } from '#testing/control-plane/find-control-plane';
import { LONG_PATIENCE } from '#testing/patience';
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
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
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

it('a renewed login goes into the Secret of a mounted kubeconfig, with the rights of k8s/base and no others', async () => {
  const administrator = join(folder, 'administrator');
  await writeFile(administrator, controlPlane?.clusters[0]?.kubeconfig ?? '', { mode: 0o600 });
  const [hub] = await readAccess({ kubeconfigs: [administrator] });
  const [admin] = await loadClusters({ kubeconfigs: [administrator], fieldManager: 'e2e' });
  if (hub === undefined || admin === undefined) throw new Error('the control plane has no cluster');
  const namespace = 'flotilla';
  for (const name of ['namespace', 'service-accounts', 'login-renewal']) {
    const text = await readFile(join(PROJECT_ROOT, 'k8s/base/hub', `${name}.yaml`), 'utf8');
    const objects = loadAll(text).map((one) => KubernetesObject.parse(one));
    for (const one of objects)
      await admin.apply(one.kind === 'Namespace' ? one : { ...one, metadata: { ...one.metadata, namespace } });
  }
  const secret = { apiVersion: 'v1', kind: 'Secret' } as const;
  const data = { config: Buffer.from('token: east.old\n').toString('base64') };
  for (const name of ['applier-kubeconfig', 'catalog-poller-kubeconfig'])
    await admin.create({ ...secret, metadata: { name, namespace }, data } as KubernetesObject);
  const pod = join(folder, 'pod');
  await mkdir(pod);
  await writeFile(join(pod, 'ca.crt'), Buffer.from(String(hub.cluster['certificate-authority-data']), 'base64'));
  await writeFile(join(pod, 'token'), await admin.requestToken({ namespace, name: 'applier', seconds: 600 }));
  await writeFile(join(pod, 'namespace'), namespace);

  const { hostname, port } = new URL(hub.cluster.server);
  const environment = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port };
  const storeIn = (name: string) => {
    const settings = readSettings({ FLOTILLA_KUBECONFIG: '/config', FLOTILLA_KUBECONFIG_SECRET: name });
    const access = { file: '/config', user: { token: 'east.old' } } as unknown as ClusterAccess;
    return loginStore(undefined, mountedLogins(settings, { environment, serviceAccountFolder: pod }))(
      access,
      'east.new',
    );
  };
  // An API server grants what a new RoleBinding grants a moment after it has stored it.
  await vi.waitFor(() => storeIn('applier-kubeconfig'), LONG_PATIENCE);
  const stored = async (name: string) => {
    const found = await admin.get<KubernetesObject & { data?: { config?: string } }>({ ...secret, name, namespace });
    return Buffer.from(found?.data?.config ?? '', 'base64').toString();
  };
  expect(await stored('applier-kubeconfig')).toBe('token: east.new\n');
  await expect(storeIn('catalog-poller-kubeconfig')).rejects.toThrow(/cannot get resource "secrets"/);
  expect(await stored('catalog-poller-kubeconfig')).toBe('token: east.old\n');
  await admin.close();
});
