import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE } from '#testing/patience';
import { createHubAccounts, POLLER_USER } from '../advice/hub-accounts.js';
import { freePort, withAwayCluster } from './up-support/away-cluster.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const FLOTILLA = join(import.meta.dirname, '../../dist/programs/flotilla.js');
const NAMESPACE = 'lights';
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
const Answer = z.object({ details: z.record(z.string(), z.looseObject({ status: z.string(), detail: z.string() })) });
const Contexts = z.looseObject({
  contexts: z.array(z.looseObject({ name: z.string(), context: z.looseObject({}) })),
});
const Status = z.looseObject({
  hub: z.array(z.looseObject({ ready: z.boolean(), complaints: z.array(z.string()) })),
});
const Kubeconfig = z.looseObject({
  users: z.array(z.looseObject({ name: z.string(), user: z.looseObject({}) })),
});

/** The user of `cluster` acts as one that may read, and write no more than statuses of catalogs. */
function withReader(kubeconfig: string, cluster: string): string {
  const { users, ...rest } = Kubeconfig.parse(parse(kubeconfig));
  const reading = users.map((one) => (one.name === cluster ? { ...one, user: { ...one.user, as: POLLER_USER } } : one));
  return stringify({ ...rest, users: reading });
}

/** The hub writes nothing to `cluster`. */
function withPaused(kubeconfig: string, cluster: string): string {
  const { contexts, ...rest } = Contexts.parse(parse(kubeconfig));
  const extensions = [{ name: 'flotilla', extension: { paused: true } }];
  const marked = contexts.map((one) =>
    one.name === cluster ? { ...one, context: { ...one.context, extensions } } : one,
  );
  return stringify({ ...rest, contexts: marked });
}

/** OLM itself, as far as it is looked for. */
function runOlmIn(cluster: SimulatedCluster): void {
  cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
  const containers = [{ name: 'olm', image: 'r.test/olm' }];
  const template = { metadata: { labels: { app: 'olm' } }, spec: { containers } };
  cluster.create({
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'catalog-operator', namespace: 'olm' } },
    spec: { selector: { matchLabels: { app: 'olm' } }, template },
  });
}

describe('a hub with a cluster that is away, one that refuses writes, and one with troubles of its users', () => {
  let folder: string;
  let fleet: SimulatedFleet;
  let up: RunningUp | undefined;
  let url: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-monitoring-'));
    fleet = await startSimulatedFleet({ clusters: ['east', 'west', 'south', 'still'] });
    const admin = join(folder, 'admin');
    await writeFile(admin, fleet.kubeconfig(), { mode: 0o600 });
    const clients = await loadClusters({ kubeconfigs: [admin], fieldManager: 'test' });
    await Promise.all(clients.map(serveCrds));
    const west = clients.find(({ cluster }) => cluster === 'west');
    if (west !== undefined) await createHubAccounts(west, fleet.kubeconfig(), folder);
    makeUnusable(fleet.cluster('east'));
    runOlmIn(fleet.cluster('south'));
    const group = { metadata: { name: 'own', namespace: NAMESPACE }, spec: { targetNamespaces: [NAMESPACE] } };
    for (const name of ['olm', NAMESPACE])
      fleet.cluster('west').apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fleet.cluster('west').create({ ...olm('OperatorGroup', 'v1'), ...group });

    const away = { name: 'north', port: await freePort(), tokenFile: join(folder, 'token') };
    await writeFile(away.tokenFile, 'none', { mode: 0o600 });
    const file = join(folder, 'kubeconfig');
    await writeFile(file, withAwayCluster(withReader(withPaused(fleet.kubeconfig(), 'still'), 'west'), away), {
      mode: 0o600,
    });
    up = runUp(['--kubeconfig', file], {
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_JOB_RETRY_FIRST: '200ms',
    });
    await up.running();
    url = /Health (\S+)\/healthz/.exec(up.said.out)?.[1] ?? '';
  });
  afterAll(async () => {
    await up?.end('SIGTERM');
    await fleet.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** A catalog of each kind that nothing answers for, and a Subscription that needs one. */
  function makeUnusable(cluster: SimulatedCluster): void {
    for (const name of ['olm', NAMESPACE]) cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const at = (name: string) => ({ metadata: { name, namespace: NAMESPACE } });
    cluster.create({ ...olm('OperatorGroup', 'v1'), ...at('own'), spec: { targetNamespaces: [NAMESPACE] } });
    cluster.create({ ...olm('CatalogSource'), ...at('shelf'), spec: { sourceType: 'grpc', address: '127.0.0.1:1' } });
    const spec = { name: 'lamp', channel: 'stable', source: 'shelf', sourceNamespace: NAMESPACE };
    cluster.create({ ...olm('Subscription'), ...at('lamp'), spec });
    const lost = { metadata: { name: 'lamp', namespace: 'lost' } };
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lost' } });
    cluster.create({ ...olm('OperatorGroup', 'v1'), ...lost, spec: { targetNamespaces: ['lost'] } });
    cluster.create({ ...olm('Subscription'), ...lost, spec: { ...spec, source: 'none', sourceNamespace: 'lost' } });
    cluster.create({
      apiVersion: 'olm.operatorframework.io/v1',
      kind: 'ClusterCatalog',
      metadata: { name: 'shelf' },
      spec: { source: { type: 'Image', image: { ref: '127.0.0.1:1/shelf:v1' } } },
    });
  }

  async function metrics(): Promise<readonly string[]> {
    return (await (await fetch(`${url}/metrics`)).text()).split('\n');
  }
  async function health() {
    return Answer.parse(await (await fetch(`${url}/healthz`)).json()).details;
  }

  it('has a series for each of these troubles, and none for what is well', async () => {
    await expect
      .poll(metrics, LONG_PATIENCE)
      .toEqual(
        expect.arrayContaining([
          'flotilla_cluster_reachable{cluster="north",check="watches"} 0',
          'flotilla_cluster_reachable{cluster="north",check="clusters"} 0',
          'flotilla_cluster_reachable{cluster="east",check="watches"} 1',
          'flotilla_cluster_reachable{cluster="west",check="clusters"} 1',
          'flotilla_refused_subjects{cluster="west"} 1',
          'flotilla_subscriptions_unresolved{cluster="east",reason="ConstraintsNotSatisfiable"} 1',
          'flotilla_subscriptions_unresolved{cluster="east",reason="ErrorPreventedResolution"} 1',
          'flotilla_catalogs_not_ready{cluster="east",kind="CatalogSource"} 1',
          'flotilla_catalogs_not_ready{cluster="east",kind="ClusterCatalog"} 1',
          'flotilla_health_check_status{check="writes",status="degraded"} 1',
          'flotilla_health_check_status{check="watches",status="degraded"} 1',
          'flotilla_health_check_status{check="store",status="up"} 1',
          expect.stringMatching(/^flotilla_service_info\{service="applier",version=".+"\} 1$/),
        ]),
      );
    expect(
      (await metrics()).filter((line) => /^flotilla_refused_subjects\{cluster="(east|north)"\} [1-9]/.test(line)),
    ).toEqual([]);
  });

  it('flotilla status has the same checks as /healthz, in the same words, whatever the trouble', async () => {
    const args = [FLOTILLA, 'status', '--hub', url, '--kubeconfig', join(folder, 'admin'), '-o', 'json'];
    const said = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
      return Status.parse(JSON.parse(stdout)).hub.flatMap(({ complaints }) => complaints);
    };
    const troubles = ['clusters', 'membership', 'olm', 'watches', 'writes'];
    const degraded = async () =>
      Object.entries(await health()).flatMap(([name, { status }]) => (status === 'up' ? [] : [name]));
    await expect.poll(degraded, LONG_PATIENCE).toEqual(expect.arrayContaining(troubles));
    // An error of a cluster may change between the two questions.
    await vi.waitFor(async () => {
      const complaints = Object.entries(await health()).flatMap(([name, { status, detail }]) =>
        status === 'up' ? [] : [`${name} ${status}: ${detail}`],
      );
      expect((await said()).toSorted()).toEqual(complaints.toSorted());
    }, LONG_PATIENCE);
  });

  it('/healthz names the clusters, and flotilla status says the same of each check', async () => {
    await expect.poll(async () => (await health())['writes']?.status, LONG_PATIENCE).toBe('degraded');
    const details = await health();
    expect(details['clusters']?.detail).toMatch(/^1 of \d clusters do not answer: north \(.*ECONNREFUSED/);
    expect(details['writes']?.detail).toMatch(
      /^1 of \d clusters refuse requests: west \(1 subject, namespace lights: .*forbidden/,
    );
    const complaining = Object.entries(details).filter(([, { status }]) => status !== 'up');
    const args = [FLOTILLA, 'status', '--hub', url, '--kubeconfig', join(folder, 'admin')];
    const { stdout } = await promisify(execFile)(process.execPath, args).catch((error: { stdout: string }) => error);
    const shown = stdout.replaceAll(/\s+/g, ' ');
    for (const [name, { status }] of complaining) expect(shown).toContain(`${name} ${status}`);
    expect(shown).toMatch(/writes degraded: 1 of \d clusters refuse requests: west/);
    const now = await metrics();
    for (const [name, { status }] of Object.entries(details))
      expect(now).toContain(`flotilla_health_check_status{check="${name}",status="${status}"} 1`);
  });
});
