import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import {
  configMapCatalog,
  csv,
  installPlan,
  operatorGroup,
  put,
  subscription,
} from '../../clusters/live-objects.fixture.js';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let folder = '';
let fleet: SimulatedFleet;

/**
 * In namespace `team` an upgrade from mill.v1.0.0 to mill.v1.1.0 has stopped: its plan
 * failed, and so does resolution.
 */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-retry-'));
  fleet = await startSimulatedFleet({ clusters: ['east', 'west'] });
  await writeFile(join(folder, 'kubeconfig'), fleet.kubeconfig(), { mode: 0o600 });
  for (const client of await loadClusters({ kubeconfigs: [join(folder, 'kubeconfig')], fieldManager: 'test' })) {
    await serveKnownCrds(client, fleet.cluster(client.cluster));
    await client.close();
  }
  const east = fleet.cluster('east');
  for (const name of ['olm', 'team']) east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const object of [...configMapCatalog(), operatorGroup()]) put(east, object);
  for (const [name, phase] of [
    ['mill.v1.0.0', 'Replacing'],
    ['mill.v1.1.0', 'Pending'],
  ] as const)
    put(east, csv(name, phase));
  const conditions = [
    { type: 'ResolutionFailed', status: 'True', reason: 'ConstraintsNotSatisfiable', message: 'no room for two' },
  ];
  const reference = { installPlanRef: { name: 'install-failed' }, state: 'AtLatestKnown' };
  const moved = { currentCSV: 'mill.v1.1.0', installedCSV: 'mill.v1.1.0' };
  put(east, subscription({ status: { ...reference, ...moved, conditions } }));
  for (const phase of ['Failed', 'Installing', 'Complete', 'RequiresApproval'])
    put(east, installPlan(`install-${phase.toLowerCase()}`, phase !== 'RequiresApproval', phase));
  const complete = installPlan('install-undone', true, 'Complete');
  const made = { sourceName: '', sourceNamespace: '', group: '', version: 'v1', kind: 'ServiceAccount', name: 'mill' };
  const step = { resolving: 'mill.v1.1.0', status: 'Created', resource: { ...made, manifest: '{}' } };
  put(east, { ...complete, status: { ...complete.status, plan: [step] } });
  const gone = installPlan('install-of-gone', true, 'Complete');
  put(east, { ...gone, spec: { ...gone.spec, clusterServiceVersionNames: ['mill.v0.9.0'] } });
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  vi.stubEnv('FLOTILLA_KUBECONFIG', join(folder, 'kubeconfig'));
  vi.stubEnv('FLOTILLA_CONTENT_DIR', join(folder, 'content'));
  return () => vi.unstubAllEnvs();
});

const retry = (name: string, ...more: string[]) =>
  runFlotilla(['retry', 'installplan', name, '-n', 'team', '-C', 'east', ...more]);
const asked = () =>
  fleet.cluster('east').get({ ...INSTALL_PLAN_API, name: 'install-failed', namespace: 'team' })?.metadata.annotations?.[
    'flotilla.dev/retry'
  ];

describe('flotilla retry installplan', () => {
  it('says what would be done, and does nothing, with --dry-run', async () => {
    expect(await retry('install-failed', '--dry-run')).toMatchObject({
      out: 'InstallPlan install-failed in namespace team of east would be executed again\n  goes on with ClusterServiceVersion mill.v1.1.0\n',
      exit: 0,
    });
    expect(await retry('install-failed', '--replan', '--dry-run')).toMatchObject({
      out: 'InstallPlan install-failed in namespace team of east would be recreated\n  deletes ClusterServiceVersion mill.v1.1.0, InstallPlan install-failed, unless one of its operators is installed\n',
      exit: 0,
    });
    expect(asked()).toBeUndefined();
  });

  it('asks the hub by an annotation, and may be asked twice', async () => {
    expect((await retry('install-failed')).exit).toBe(0);
    expect(asked()).toBe('true');
    expect((await retry('install-failed', '--replan')).exit).toBe(0);
    expect(asked()).toBe('replan');
    expect((await retry('install-failed', '--replan')).exit).toBe(0);
  });

  it.each([
    { name: 'install-installing', exit: 0, says: /is being executed: there is nothing to retry/ },
    {
      name: 'install-complete',
      exit: 0,
      says: /is complete, and all its objects exist: there is nothing to retry/,
    },
    {
      name: 'install-of-gone',
      exit: 0,
      says: /its operators do not exist \(to restore a deleted operator, use --replan\)/,
    },
    { name: 'install-undone', exit: 0, says: /is to be executed again\n {2}makes again ServiceAccount mill\n/ },
    { name: 'install-requiresapproval', exit: 1, says: /has not failed \(phase RequiresApproval\)/ },
    { name: 'ghost', exit: 1, says: /there is no InstallPlan ghost/ },
  ])('$name ends with $exit', async ({ name, exit, says }) => {
    const result = await retry(name);
    expect(`${result.out}${result.err}`).toMatch(says);
    expect(result.exit).toBe(exit);
  });

  it('asks in several clusters, or in each that has the plan', async () => {
    const west = fleet.cluster('west');
    west.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
    put(west, installPlan('install-failed', true, 'Failed'));
    const plan = (name: string, ...more: string[]) =>
      runFlotilla(['retry', 'installplan', name, '-n', 'team', '--dry-run', ...more]);
    const both = await plan('install-failed', '-C', 'east', '-C', 'west');
    expect(both).toMatchObject({ exit: 0, err: '' });
    expect(both.out).toMatch(/of east would be executed again[\s\S]*of west would be executed again/);
    const here = await plan('install-complete', '--all-clusters');
    expect(here).toMatchObject({ exit: 0, err: '', out: expect.stringContaining('of east is complete') });
    const named = await plan('install-complete', '-C', 'east', '-C', 'west');
    expect(named).toMatchObject({ exit: 1, err: expect.stringContaining('there is no InstallPlan install-complete') });
    expect((await plan('ghost', '--all-clusters')).exit).toBe(1);
    const which = await plan('install-failed');
    expect(which).toMatchObject({ exit: 2, err: expect.stringContaining('or all with --all-clusters') });
  });

  it.each([{ subject: ['sub', 'mill'] }, { subject: ['ip', 'install-failed'] }])(
    'is what explain $subject advises, and nothing is to be deleted',
    async ({ subject }) => {
      const { out, exit } = await runFlotilla(['explain', ...subject, '-n', 'team', '-C', 'east']);
      expect(out).toContain(': flotilla retry installplan install-failed -n team -C east\n');
      expect(out).toContain(': flotilla retry installplan install-failed -n team --replan -C east\n');
      expect(out).not.toMatch(/delete/i);
      expect(exit).toBe(1);
    },
  );

  it('is what status advises, and nothing is to be deleted', async () => {
    const { out } = await runFlotilla(['status']);
    expect(out).toContain('flotilla retry installplan install-failed -n team -C east');
    expect(out).not.toMatch(/delete/i);
  });
});

describe('a Subscription beside a copy of its CSV', () => {
  beforeAll(() => {
    const east = fleet.cluster('east');
    east.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'beside' } });
    put(east, operatorGroup('beside'));
    const copy = csv('mill.v1.1.0', 'Succeeded', 'beside', { reason: 'Copied' });
    put(east, { ...copy, metadata: { ...copy.metadata, labels: { 'olm.copiedFrom': 'team' } } });
    put(east, installPlan('install-beside', true, 'Complete', 'beside'));
    const moved = { currentCSV: 'mill.v1.1.0', installedCSV: 'mill.v1.1.0', state: 'AtLatestKnown' };
    put(east, subscription({ namespace: 'beside', status: { ...moved, installPlanRef: { name: 'install-beside' } } }));
  });

  it.each([
    {
      args: ['explain', 'sub', 'mill', '-n', 'beside', '-C', 'east'],
      says: /is a copy from namespace team; this Subscription installs nothing[\s\S]*annotate operatorgroup group flotilla\.dev\/replace-copied-csvs=true\n[\s\S]*: flotilla retry installplan install-beside -n beside --replan -C east\n/,
      exit: 1,
    },
    {
      args: ['explain', 'csv', 'mill.v1.1.0', '-n', 'beside', '-C', 'east'],
      says: /It is a copy of ClusterServiceVersion team\/mill\.v1\.1\.0: the operator runs in namespace team/,
      exit: 0,
    },
    { args: ['status'], says: /Subscription beside\/mill\n.*is a copy from namespace team/, exit: 1 },
    {
      args: ['retry', 'ip', 'install-beside', '-n', 'beside', '-C', 'east', '--replan', '--dry-run'],
      says: /would be recreated\n {2}deletes InstallPlan install-beside/,
      exit: 0,
    },
  ])('$args', async ({ args, says, exit }) => {
    const result = await runFlotilla(args);
    expect(result.out).toMatch(says);
    if (args[0] !== 'status') expect(result.exit).toBe(exit);
  });
});

describe('flotilla retry of catalogs', () => {
  const east = () => fleet.cluster('east');
  const catalogOf = (kind: 'CatalogSource' | 'ClusterCatalog', name: string, namespace?: string) =>
    east().get({
      apiVersion: kind === 'CatalogSource' ? 'operators.coreos.com/v1alpha1' : 'olm.operatorframework.io/v1',
      ...{ kind, name },
      ...(namespace !== undefined && { namespace }),
    })?.metadata.annotations?.['flotilla.dev/retry'];
  const run = (...words: string[]) => runFlotilla(['retry', ...words, '-C', 'east']);
  const CATALOG = configMapCatalog().find(({ kind }) => kind === 'CatalogSource')?.metadata;

  const ENDED = 'image r.test/a:v1: needs more memory; this digest is not read again: push another image';
  const NOTHING =
    'the hub skips no image of this catalog. It now only checks the source, and pulls an image if its digest changed';

  it('writes the time into the CatalogSource, and nothing with --dry-run', async () => {
    const { name = '', namespace = '' } = CATALOG ?? {};
    const where = `CatalogSource ${name} in namespace ${namespace} of east:`;
    expect(await run('catsrc', name, '-n', namespace, '--dry-run')).toMatchObject({
      out: `${where} nothing would be retried: ${NOTHING}\n`,
    });
    expect(catalogOf('CatalogSource', name, namespace)).toBeUndefined();
    expect(await run('catalogsource', name, '-n', namespace)).toMatchObject({
      out: `${where} nothing is retried: ${NOTHING}\n`,
      exit: 0,
    });
    expect(Date.parse(catalogOf('CatalogSource', name, namespace) ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  it('says of a CatalogSource whose image is remembered that it is tried again', async () => {
    const status = { message: `${ENDED}; failing since 2026-01-01T00:00:00Z`, reason: 'RegistryServerError' };
    put(east(), {
      ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource', status },
      ...{ metadata: { name: 'ended', namespace: 'olm' }, spec: { sourceType: 'grpc', image: 'r.test/a:v1' } },
    } as never);
    const where = 'CatalogSource ended in namespace olm of east: its image';
    const words = ['catalogsource', 'ended', '-n', 'olm'];
    expect((await run(...words, '--dry-run')).out).toBe(`${where} would be retried\n`);
    expect((await run(...words)).out).toBe(`${where} is retried\n`);
  });

  it('writes the time into a ClusterCatalog', async () => {
    const spec = { source: { type: 'Image', image: { ref: 'r.test/a:v1' } } };
    const lastTransitionTime = '2026-01-01T00:00:00Z';
    const shelf = (message: string) =>
      put(east(), {
        ...{ apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog', metadata: { name: 'shelf' }, spec },
        status: {
          conditions: [{ type: 'Progressing', status: 'True', reason: 'Retrying', message, lastTransitionTime }],
        },
      } as never);
    shelf(ENDED);
    expect(await run('clustercatalog', 'shelf')).toMatchObject({
      out: 'ClusterCatalog shelf of east: its image is retried\n',
      exit: 0,
    });
    east().delete({ ...CLUSTER_CATALOG_API, name: 'shelf' });
    shelf('');
    expect((await run('clustercatalog', 'shelf')).out).toBe(
      `ClusterCatalog shelf of east: nothing is retried: ${NOTHING}\n`,
    );
    expect(catalogOf('ClusterCatalog', 'shelf')).toMatch(/^\d{4}-.*Z$/);
  });

  it.each([
    [['catalogsource', 'none', '-n', 'olm'], 1, 'there is no CatalogSource none in namespace olm of east'],
    [['catalogsource', 'none'], 2, 'name the namespace with -n'],
    [['clustercatalog', 'none', '-n', 'olm'], 2, 'a ClusterCatalog has no namespace'],
    [['clustercatalog', 'none', '--replan'], 2, '--replan is for InstallPlans'],
    [['lamp', 'none', '-n', 'olm'], 2, 'objects of kind "lamp" cannot be retried'],
  ])('refuses %j', async (words, code, says) => {
    expect(await run(...words)).toMatchObject({ exit: code, err: expect.stringContaining(says) });
  });
});
