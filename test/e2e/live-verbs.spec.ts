import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { load, loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import type { ControlPlane } from '#testing/control-plane/control-plane';
import { startControlPlane } from '#testing/control-plane/find-control-plane';
import { PATIENCE } from '#testing/patience';
import { installPlan, operatorGroup, subscription } from '../../apps/cli/src/clusters/live-objects.fixture.js';
import { runFlotilla } from '../../apps/cli/src/run-flotilla.fixture.js';

let folder = '';
let plane: ControlPlane;
let kubeconfig = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-live-'));
  plane = await startControlPlane({ clusters: 1 });
  kubeconfig = plane.clusters[0]?.kubeconfigPath ?? '';
  const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  if (client === undefined) throw new Error('a control plane without clusters');
  await serveCrds(client);
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  for (const object of [operatorGroup(), subscription()]) {
    await vi.waitFor(() => client.create(object), PATIENCE);
  }
  const { object } = await client.create(installPlan('install-1', false, 'RequiresApproval'));
  await client.updateStatus({ ...object, status: installPlan('install-1', false, 'RequiresApproval').status });
  await client.close();
});
afterAll(async () => {
  const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
  await client?.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'team' });
  await client?.close();
  await plane?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', kubeconfig);
  return () => vi.unstubAllEnvs();
});

const flotilla = (...args: string[]) => runFlotilla(args);

describe('the live verbs on a real API server', () => {
  it('an administrator lacks no right, a guest nearly all of them', async () => {
    expect(await flotilla('clusters', 'check')).toMatchObject({ exit: 0 });
    const guest = join(folder, 'guest');
    const config = load(plane.clusters[0]?.kubeconfig ?? '') as { users: { user: object }[] };
    const users = config.users.map((one) => ({
      ...one,
      user: { ...one.user, as: 'guest', 'as-groups': ['system:authenticated'] },
    }));
    await writeFile(guest, stringify({ ...config, users }));
    const { out, exit } = await flotilla('clusters', 'check', '--kubeconfig', guest);
    expect(out).toMatch(
      /poller: missing rights of ClusterRole flotilla:observe\n {4}get, list, watch \*\.operators\.coreos\.com\n/,
    );
    expect(out).toMatch(/applier: missing rights of ClusterRole flotilla:apply\n {4}\* \*\.\*\n/);
    expect(out).not.toContain('/version');
    expect(exit).toBe(1);
  });

  it('a team with flotilla:view in its namespace gets answers, and commands that give it the rest', async () => {
    const roles = await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster/view.yaml'), 'utf8');
    const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'test' });
    for (const role of loadAll(roles)) await client?.apply(role as KubernetesObject);
    for (const name of ['olm', 'team-b'])
      await client?.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await client?.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'dev', namespace: 'team' } });
    const dev = join(folder, 'dev');
    const config = load(plane.clusters[0]?.kubeconfig ?? '') as { users: { user: object }[] };
    const as = 'system:serviceaccount:team:dev';
    const groups = ['system:serviceaccounts', 'system:authenticated'];
    const users = config.users.map((one) => ({ ...one, user: { ...one.user, as, 'as-groups': groups } }));
    await writeFile(dev, stringify({ ...config, users }), { mode: 0o600 });
    const asDev = (line: string) => flotilla(...line.split(' '), '--kubeconfig', dev);
    const givenBy = /can grant the right with:? (kubectl .*)$/m;
    // An administrator does the next step of an answer, until the answer names none.
    const until = async (line: string, done: RegExp) => {
      for (let round = 0; round < 4; round++) {
        const { out, err } = await asDev(line);
        expect(out + err, line).not.toContain('does not answer');
        const [, command] = givenBy.exec(out + err) ?? [];
        if (command === undefined) return expect(out, line).toMatch(done);
        // The administrator has a login of their own for the same cluster.
        await promisify(execFile)('sh', ['-c', command.replaceAll(dev, kubeconfig)]);
      }
      throw new Error(`${line}: still refused`);
    };
    expect(await asDev('get csvs')).toMatchObject({ exit: 3, err: expect.stringContaining('use -n NAMESPACE') });
    await until('get sub -n team -o name', /subscription\S*\/mill/);
    await until('explain sub mill -n team', /Subscription mill/);
    await until('status -n team', /InstallPlan team\/install-1/);
    await until('plan --live -n team', /^(Next in|Nothing to do in) namespace team/m);
    expect(await asDev('get sub -n team-b')).toMatchObject({ exit: 3, err: expect.stringMatching(/-n team-b create/) });
    await client?.close();
  });

  it('lists, prints what waits, and approves once', async () => {
    expect((await flotilla('get', 'ip', '-o', 'name')).out).toMatch(
      /\/team\/installplan\.operators\.coreos\.com\/install-1\n$/,
    );
    expect((await flotilla('status')).out).toMatch(/WAITS FOR APPROVAL\n.*InstallPlan team\/install-1\n/);
    expect((await flotilla('explain', 'sub', 'mill', '-n', 'team')).out).toMatch(
      /CatalogSource olm\/samples does not exist/,
    );
    const approve = () => flotilla('approve', 'installplan', 'install-1', '-n', 'team');
    expect(await approve()).toMatchObject({ exit: 0, err: '' });
    expect(await approve()).toMatchObject({ exit: 1, err: expect.stringMatching(/is already approved/) });
  });
});
