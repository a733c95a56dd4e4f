import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { issueToken } from '#testing/cluster/issue-token';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { csv, installPlan, operatorGroup, put, subscription } from '../clusters/live-objects.fixture.js';
import { runFlotilla } from '../run-flotilla.fixture.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const CATALOGS_UNREAD = 'CatalogSources of namespace olm cannot be read with this login: reasons may be missing.';
const GIVE_CATALOGS =
  '-n olm create rolebinding flotilla-view-catalogs --clusterrole=flotilla:view-catalogs --serviceaccount=team:dev';

let folder = '';
let fleet: SimulatedFleet;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-team-'));
  const administrator = join(folder, 'administrator');
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  await writeFile(administrator, fleet.kubeconfig(), { mode: 0o600 });
  const east = fleet.cluster('east');
  const [client] = await loadClusters({ kubeconfigs: [administrator], fieldManager: 'test' });
  if (client === undefined) throw new Error('a fleet without clusters');
  await serveKnownCrds(client, east);
  await client.close();
  for (const name of ['olm', 'team', 'other']) {
    east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    if (name !== 'olm') put(east, operatorGroup(name));
  }
  const status = { installPlanRef: { name: 'install-1', namespace: 'team' }, state: 'UpgradePending' };
  for (const object of [
    subscription({ status: { installedCSV: 'mill.v1.0.0', currentCSV: 'mill.v1.1.0', ...status } }),
    subscription({ namespace: 'other', package: 'secret' }),
    csv('mill.v1.0.0', 'Succeeded'),
    installPlan('install-1', false, 'RequiresApproval'),
    installPlan('install-9', false, 'RequiresApproval', 'other'),
  ]) {
    put(east, object);
  }
  const roles = await readFile(join(PROJECT_ROOT, 'k8s/base/managed-cluster/view.yaml'), 'utf8');
  for (const role of loadAll(roles)) east.create(role as KubernetesObject);
  east.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'dev', namespace: 'team' } });
  bind('flotilla:view', 'team');
  const token = await issueToken({ url: east.url, token: east.token }, 'team', 'dev');
  const own = fleet.kubeconfig().replace(/token: .*/, `token: ${token}`);
  await writeFile(join(folder, 'dev'), own, { mode: 0o600 });
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'dev'));
  return () => vi.unstubAllEnvs();
});

/** Binds a role to the ServiceAccount of the team: in a namespace, or everywhere. */
function bind(role: string, namespace?: string): void {
  fleet.cluster('east').create({
    apiVersion: RBAC,
    kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
    metadata: { name: role.replace(':', '-'), ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'dev', namespace: 'team' }],
  });
}

const flotilla = (...args: string[]) => runFlotilla(args);
/** The cluster is named, so that the command cannot reach another one. */
const kubectl = () => `kubectl --kubeconfig ${join(folder, 'dev')} --context east`;

describe('with flotilla:view in one namespace', () => {
  it('status -n answers from it, and names what it cannot read, with the next step', async () => {
    const { out, exit } = await flotilla('status', '-n', 'team');
    expect(out).toContain('WAITS FOR APPROVAL\n  east  InstallPlan team/install-1\n');
    expect(out).not.toMatch(/install-9|secret|does not answer|is not there/);
    expect(out).toContain(`east  ${CATALOGS_UNREAD}\n`);
    expect(out).toContain(`can grant the right with: ${kubectl()} ${GIVE_CATALOGS}\n`);
    expect(exit).toBe(0);
    const { clusters, away } = JSON.parse((await flotilla('status', '-n', 'team', '-o', 'json')).out);
    expect(away).toEqual([]);
    expect(clusters[0].withheld[0]).toMatchObject({
      what: 'CatalogSources of namespace olm',
      todo: `kubectl ${GIVE_CATALOGS}`,
    });
  });

  it('sends no list of all namespaces for -n', async () => {
    const { requests } = fleet.cluster('east');
    requests.clear();
    for (const line of ['status -n team', 'get sub,csv -n team', 'explain sub mill -n team']) {
      await flotilla(...line.split(' '));
    }
    const ofClassic = requests
      .map(({ path }) => path)
      .filter((path) => /^\/apis\/operators\.coreos\.com\/v1\w*\/\w+/.test(path));
    expect(ofClassic.length).toBeGreaterThan(10);
    expect(ofClassic.filter((path) => !path.includes('/namespaces/'))).toEqual([]);
  });

  it('status without -n says that the login is refused, and to try -n', async () => {
    const { out, exit } = await flotilla('status');
    expect(out).toMatch(
      /^east {2}refuses this login: .*; if you have rights in only one namespace, use -n NAMESPACE$/m,
    );
    expect(out).toContain('No cluster showed the requested objects: waiting objects are unknown.\n');
    expect(out).not.toContain('does not answer');
    expect(exit).toBe(3);
  });

  it('get without -n says to try -n; with it, it answers', async () => {
    expect(await flotilla('get', 'csvs')).toMatchObject({
      exit: 3,
      err: expect.stringMatching(
        /^east: .* is forbidden: .*; if you have rights in only one namespace, use -n NAMESPACE\n$/,
      ),
    });
    expect(await flotilla('get', 'csvs', '-n', 'team', '-o', 'name')).toMatchObject({
      out: expect.stringContaining('mill.v1.0.0'),
      err: '',
      exit: 0,
    });
    expect(await flotilla('get', 'catalogs', '-n', 'team')).toMatchObject({
      err: expect.stringContaining('ClusterCatalogs are cluster-scoped, and this login may not read them'),
      exit: 0,
    });
  });

  it('a namespace of others is refused with the command that gives the right', async () => {
    const give = `${kubectl()} -n other create rolebinding flotilla-view --clusterrole=flotilla:view --serviceaccount=team:dev`;
    for (const line of ['get csvs -n other', 'status -n other', 'explain sub mill -n other', 'plan --live -n other']) {
      const { out, err, exit } = await flotilla(...line.split(' '));
      expect(out + err, line).toContain(`an administrator of the cluster can grant the right with ${give}`);
      expect(out + err, line).not.toContain('does not answer');
      expect(exit, line).toBe(3);
    }
  });

  it('explain answers without the global catalogs, and says so', async () => {
    const { out, exit } = await flotilla('explain', 'sub', 'mill', '-n', 'team');
    expect(out).toContain('It has InstallPlan install-1.');
    expect(out).toContain(CATALOGS_UNREAD);
    expect(out).not.toContain('is not there');
    expect(exit).toBe(1);
  });

  it('plan --live does not guess', async () => {
    const { out, exit } = await flotilla('plan', '--live', '-n', 'team');
    expect(out).toContain('The next step in namespace team of east is unknown:\n');
    expect(out).toContain(`not read with this login: CatalogSources of namespace olm\n`);
    expect(exit).toBe(3);
  });
});

describe('with flotilla:view-catalogs and flotilla:view-cluster, too', () => {
  beforeAll(() => {
    bind('flotilla:view-catalogs', 'olm');
    bind('flotilla:view-cluster');
  });

  it('everything is read, and the plan is known', async () => {
    expect((await flotilla('status', '-n', 'team')).out).not.toContain('with this login');
    const { out, exit } = await flotilla('plan', '--live', '-n', 'team');
    expect(out).not.toContain('with this login');
    expect(out).toMatch(/^(Next in|Nothing to do in) namespace team of east/m);
    expect(exit).toBe(0);
  });
});
