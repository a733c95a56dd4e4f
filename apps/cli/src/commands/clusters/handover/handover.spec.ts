import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { asRecord } from '#core/kernel/crd/loose-value';
import { type DirectCluster, directCluster } from '#testing/cluster/direct-client';
import { serveKnownCrds } from '#testing/cluster/served-crds';
import { PATIENCE } from '#testing/patience';
import { put } from '../../../clusters/live-objects.fixture.js';
import { type CommandResult, recorder } from '../../../run-flotilla.fixture.js';
import { handOverFromOlm } from './from-olm.js';
import { at, DEPLOYMENT, deployment, installOlm, pod } from './olm-cluster.fixture.js';
import { handOverToOlm } from './to-olm.js';

const V1ALPHA1 = 'operators.coreos.com/v1alpha1';
const OPTIONS = {
  dryRun: false,
  force: false,
  timeoutMs: 5_000,
  hub: undefined,
  named: 'east --kubeconfig k --context east',
};
const MILL = at('apps/v1', 'Deployment', 'mill', 'team');
const PACKAGE_SERVER = at(V1ALPHA1, 'ClusterServiceVersion', 'packageserver', 'olm');

async function olmCluster(): Promise<DirectCluster> {
  const made = directCluster('east');
  await serveKnownCrds(made.client, made.cluster);
  installOlm(made.cluster);
  made.cluster.requests.clear();
  return made;
}

let direct: DirectCluster;
beforeEach(async () => {
  // No hub answers there.
  vi.stubEnv('FLOTILLA_CATALOG_POLLER_PORT', '1');
  direct = await olmCluster();
  return () => vi.unstubAllEnvs();
});
afterEach(() => direct.stop());

async function run(work: typeof handOverFromOlm, options: Partial<typeof OPTIONS> = {}): Promise<CommandResult> {
  const { result, io } = recorder();
  await work(direct.client, io, { ...OPTIONS, ...options });
  return result;
}
const replicas = (name: string) =>
  asRecord(direct.cluster.get(at('apps/v1', 'Deployment', name, 'olm'))?.['spec'])['replicas'];
const owner = () =>
  direct.cluster.get(at('v1', 'Namespace', 'kube-system'))?.metadata.annotations?.['flotilla.dev/hub'];
/** What a hand-over is about, as it stands now. */
const state = () => ({
  olm: ['olm-operator', 'catalog-operator'].map(replicas),
  owner: owner(),
  packageServer: direct.cluster.get(PACKAGE_SERVER) !== undefined,
  packageServerRuns: direct.cluster.get(at('apps/v1', 'Deployment', 'packageserver', 'olm')) !== undefined,
  role: direct.cluster.get(at('rbac.authorization.k8s.io/v1', 'ClusterRole', 'packageserver-1')) !== undefined,
  catalogPods: direct.cluster
    .list({ apiVersion: 'v1', kind: 'Pod' })
    .filter(({ metadata }) => metadata.namespace === 'olm').length,
  catalogService: direct.cluster.get(at('v1', 'Service', 'shelf', 'olm')) !== undefined,
  catalog: direct.cluster.get(at(V1ALPHA1, 'CatalogSource', 'shelf', 'olm')) !== undefined,
  operator: direct.cluster.get(MILL)?.metadata.generation,
});
const HANDED_OVER = {
  olm: [0, 0],
  owner: undefined,
  packageServer: false,
  packageServerRuns: false,
  role: false,
  catalogPods: 0,
  catalogService: false,
  catalog: true,
  operator: 1,
};

describe('a hand-over from OLM', () => {
  it('only says what it would do with --dry-run', async () => {
    const result = await run(handOverFromOlm, { dryRun: true });
    expect(result).toEqual({
      exit: 0,
      out: [
        'Deployment olm/catalog-operator would be scaled to zero',
        'Deployment olm/olm-operator would be scaled to zero',
        'ClusterServiceVersion olm/packageserver would be removed',
        'Pod olm/shelf-x1 would be removed',
        'Service olm/shelf would be removed\n',
      ].join('\n'),
      err: `Nothing was changed. To hand it over: flotilla clusters handover ${OPTIONS.named} --from olm\n`,
    });
    expect(direct.cluster.requests.writes()).toEqual([]);
  });

  it('stops OLM, removes what only OLM needs, and leaves operators as they are; a second time there is nothing to do', async () => {
    const result = await run(handOverFromOlm);
    expect(result).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/1 Deployment of operators still running\ncluster east is handed over\n$/),
    });
    expect(state()).toEqual(HANDED_OVER);
    direct.cluster.requests.clear();
    expect(await run(handOverFromOlm)).toMatchObject({ exit: 0, out: expect.stringContaining('already handed over') });
    expect(direct.cluster.requests.writes()).toEqual([]);
  });

  it('keeps hubs away and waits until the pods of OLM have ended', async () => {
    direct.cluster.create(pod('olm', 'olm-operator-1', { app: 'olm-operator' }));
    const running = run(handOverFromOlm);
    await expect.poll(() => replicas('olm-operator'), PATIENCE).toBe(0);
    expect(owner()).toBe('olm');
    expect(state().catalogService, 'nothing else is removed before').toBe(true);
    direct.cluster.delete(at('v1', 'Pod', 'olm-operator-1', 'olm'));
    expect((await running).exit).toBe(0);
    expect(state()).toEqual(HANDED_OVER);
  });

  it('gives up where they do not end in time, and goes on with the same command', async () => {
    direct.cluster.create(pod('olm', 'olm-operator-1', { app: 'olm-operator' }));
    await expect(run(handOverFromOlm, { timeoutMs: 0 })).rejects.toThrow(
      /1 pod of Deployment olm\/olm-operator did not end/,
    );
    expect(owner(), 'hubs stay away').toBe('olm');
    direct.cluster.delete(at('v1', 'Pod', 'olm-operator-1', 'olm'));
    expect((await run(handOverFromOlm)).exit).toBe(0);
    expect(state()).toEqual(HANDED_OVER);
  });

  it('that is killed before or after any of its writes ends as one that is not', async () => {
    for (const lost of ['request', 'answer'] as const) {
      let ended = false;
      for (let last = 1; !ended; last += 1) {
        await direct.stop();
        direct = await olmCluster();
        let writes = 0;
        direct.cluster.lossOf = ({ verb }) => {
          if (!['get', 'list', 'watch'].includes(verb)) writes += 1;
          return writes >= last ? lost : undefined;
        };
        ended = await run(handOverFromOlm).then(
          () => true,
          () => false,
        );
        direct.cluster.lossOf = () => undefined;
        expect((await run(handOverFromOlm)).exit, `${lost} of write ${last}`).toBe(0);
        expect(state(), `${lost} of write ${last}`).toEqual(HANDED_OVER);
        expect(last).toBeLessThan(30);
      }
    }
  });

  it('is refused while OLM works on something; --force does it', async () => {
    const plan = at(V1ALPHA1, 'InstallPlan', 'install-1', 'team');
    put(direct.cluster, {
      apiVersion: plan.apiVersion,
      kind: plan.kind,
      metadata: { name: plan.name, namespace: 'team' },
      spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['mill.v1'] },
      status: { phase: 'Installing', catalogSources: [] },
    });
    direct.cluster.requests.clear();
    expect(await run(handOverFromOlm)).toMatchObject({
      exit: 1,
      err: expect.stringMatching(
        /^error: InstallPlan team\/install-1 is under way[\s\S]*nothing was changed; .*--force/,
      ),
    });
    expect(direct.cluster.requests.writes()).toEqual([]);
    expect((await run(handOverFromOlm, { force: true })).exit).toBe(0);
    expect(state()).toEqual(HANDED_OVER);
  });

  it('names operators that did not run on', async () => {
    direct.cluster.create(pod('olm', 'olm-operator-1', { app: 'olm-operator' }));
    const running = run(handOverFromOlm);
    await expect.poll(() => replicas('olm-operator'), PATIENCE).toBe(0);
    direct.cluster.delete(at('v1', 'Pod', 'mill-1', 'team'));
    direct.cluster.delete(at('v1', 'Pod', 'olm-operator-1', 'olm'));
    expect(await running).toMatchObject({
      exit: 1,
      err: expect.stringContaining('error: pod mill-1 of Deployment team/mill is gone\n'),
    });
  });

  it('is refused where there is no OLM', async () => {
    for (const name of ['olm-operator', 'catalog-operator'])
      direct.cluster.delete(at('apps/v1', 'Deployment', name, 'olm'));
    expect(await run(handOverFromOlm)).toMatchObject({
      exit: 1,
      err: expect.stringMatching(
        /OLM does not run in east: .* A hub can manage the cluster at once: flotilla up --kubeconfig \S+ --context east\n/,
      ),
    });
  });
});

describe('a hand-over back to OLM', () => {
  const RUNNING = {
    ...HANDED_OVER,
    olm: [1, 1],
    owner: 'olm',
    packageServer: true,
  };

  it('puts back what was removed, starts OLM as it was, and keeps hubs away; it can be repeated', async () => {
    await run(handOverFromOlm);
    const dry = await run(handOverToOlm, { dryRun: true });
    expect(dry.out).toContain('Deployment olm/olm-operator would be scaled to 1\n');
    expect(owner()).toBeUndefined();
    expect(await run(handOverToOlm)).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/cluster east is handed over to OLM, and OLM runs\n$/),
    });
    expect(state()).toEqual(RUNNING);
    const operator = direct.cluster.get({ ...DEPLOYMENT, name: 'olm-operator', namespace: 'olm' });
    expect(operator?.metadata.annotations ?? {}).not.toHaveProperty('flotilla.dev/replicas-before-handover');
    expect(direct.cluster.get(at('v1', 'ConfigMap', 'flotilla-handover', 'olm'))).toBeUndefined();
  });

  it('and from it once more ends as the first time', async () => {
    await run(handOverFromOlm);
    await run(handOverToOlm);
    // As OLM does.
    direct.cluster.create(deployment('olm', 'packageserver', 'packageserver'));
    direct.cluster.edit(PACKAGE_SERVER, (live) => Object.assign(live, { status: { phase: 'Succeeded' } }), 'status');
    expect((await run(handOverFromOlm)).exit).toBe(0);
    expect(state()).toEqual(HANDED_OVER);
  });
});
