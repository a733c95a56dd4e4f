import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { readTree } from '#platform/files/read-tree';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { freePort, tokenOf, withAwayCluster } from './up-support/away-cluster.js';
import { type RunningUp, runUp } from './up-support/run-up.js';

const CRDS = readdirSync('k8s/crds').filter((name) => name.endsWith('.yaml')).length;
const CLUSTERS = ['east', 'west'];
const PACKAGE = 'lighthouse-operator';
const NAMESPACE = 'lights';
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });

let folder = '';
let fleet: SimulatedFleet;
let catalogs: CatalogServer;
let up: RunningUp;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-up-'));
  fleet = await startSimulatedFleet({ clusters: CLUSTERS });
  catalogs = await serveCatalog(await inlineCatalog(), { port: 0 });
});
afterEach(() => up.kill());
afterAll(async () => {
  await catalogs?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** The sample bundle with its manifests in the catalog itself, as catalogs without images have it. */
async function inlineCatalog() {
  const directory = join(import.meta.dirname, '../../examples/bundles', PACKAGE, 'v1.0.0');
  const { objects: _parsed, ...blob } = catalogBundleOf(readBundle(await readTree(directory)), '');
  const blobs = [
    { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries: [{ name: blob.name }] },
    blob,
  ];
  return loadCatalog([
    { path: 'catalog.json', bytes: Buffer.from(blobs.map((one) => JSON.stringify(one)).join('\n')) },
  ]);
}

async function kubeconfigFile(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
}

const start = (...args: string[]): RunningUp =>
  runUp(args, {
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
  });

function subscribe(cluster: SimulatedCluster): void {
  for (const name of ['olm', NAMESPACE]) cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const inNamespace = (name: string, namespace = NAMESPACE) => ({ metadata: { name, namespace } });
  cluster.create({ ...olm('OperatorGroup', 'v1'), ...inNamespace('own'), spec: { targetNamespaces: [NAMESPACE] } });
  const address = `127.0.0.1:${catalogs.port}`;
  cluster.create({ ...olm('CatalogSource'), ...inNamespace('inline', 'olm'), spec: { sourceType: 'grpc', address } });
  const spec = { name: PACKAGE, channel: 'stable', source: 'inline', sourceNamespace: 'olm' };
  cluster.create({ ...olm('Subscription'), ...inNamespace(PACKAGE), spec });
}

/** The link that was printed signs in. */
async function consoleAnswers(): Promise<void> {
  const [, origin = '', key = ''] = /^Console (\S+)\/#key=(\S+)/m.exec(up.said.out) ?? [];
  const asked = () => fetch(`${origin}/api/v1/fleet`, { headers: { authorization: `Bearer ${key}` } });
  // It answers 503 until it has read the fleet.
  await expect.poll(async () => (await asked()).status, PATIENCE).toBe(200);
}

const Phase = z.looseObject({ status: z.looseObject({ phase: z.string() }) });
const phases = () =>
  CLUSTERS.map((cluster) => {
    const ref = { ...olm('ClusterServiceVersion'), name: `${PACKAGE}.v1.0.0`, namespace: NAMESPACE };
    return Phase.safeParse(fleet.cluster(cluster).get(ref)).data?.status.phase;
  });

describe('flotilla up', () => {
  it('installs what Subscriptions name on both clusters from a catalog at a gRPC address, and ends in order', async () => {
    up = start('--kubeconfig', await kubeconfigFile('both', fleet.kubeconfig()));
    await up.running();
    expect(up.said.out).toContain('Flotilla manages 2 clusters');
    for (const name of CLUSTERS) {
      expect(up.said.out).toMatch(
        new RegExp(`${name} +Kubernetes v1.34.4 · global catalogs in namespace olm · ${CRDS} CRDs of OLM installed`),
      );
    }
    await consoleAnswers();
    for (const name of CLUSTERS) subscribe(fleet.cluster(name));
    await expect.poll(phases, PATIENCE).toEqual(['Succeeded', 'Succeeded']);
    for (const name of CLUSTERS) {
      const watched = fleet.cluster(name).watchedResources();
      expect(watched, 'poller and applier share one cache').toEqual([...new Set(watched)]);
      expect(watched).toContain('operators.coreos.com/subscriptions');
    }

    const url = /Health (\S+)\/healthz/.exec(up.said.out)?.[1];
    expect(up.said.out, 'not the port at which status looks by itself').toContain(
      `flotilla status --hub ${url} --kubeconfig /`,
    );
    const health = async () => (await fetch(`${url}/healthz`)).json();
    await expect
      .poll(health, PATIENCE)
      .toMatchObject({ status: 'ok', details: { watches: { detail: '2 of 2 clusters are watched' } } });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('# TYPE');

    expect(await up.end('SIGINT')).toBe(0);
    expect(up.said.out).toContain('Stopped.');
    expect(phases()).toEqual(['Succeeded', 'Succeeded']);
  });

  it('says what a person must know of a cluster: OLM itself at work, rights that are missing, not reached yet', async () => {
    const late = { name: 'late', port: await freePort(), tokenFile: join(folder, 'token') };
    await writeFile(late.tokenFile, 'of-nobody');
    const east = fleet.cluster('east');
    east.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'olm' } });
    const template = {
      metadata: { labels: { app: 'olm' } },
      spec: { containers: [{ name: 'olm', image: 'r.test/olm' }] },
    };
    east.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'catalog-operator', namespace: 'olm' },
      spec: { selector: { matchLabels: { app: 'olm' } }, template },
    });
    const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
    fleet.cluster('west').delete({ ...crd, name: 'olmconfigs.operators.coreos.com' });
    fleet.cluster('west').failNext({ verb: 'patch', resource: 'customresourcedefinitions' }, 403, 'Forbidden');

    up = start(
      '--kubeconfig',
      await kubeconfigFile('three', withAwayCluster(fleet.kubeconfig(), late)),
      '--no-console',
    );
    await up.running();
    expect(up.said.out, 'no link to a console that does not run').not.toContain('#key=');
    expect(up.said.out).toMatch(/late +unreachable, retrying: .*ECONNREFUSED/);
    expect(up.said.out).toMatch(/east +Kubernetes .* left alone/);
    expect(up.said.out).toContain('WARNING: OLM itself runs there (deployment olm/catalog-operator)');
    expect(up.said.out).toMatch(
      /kubectl --kubeconfig \/\S+ --context east -n olm scale --replicas=0 deployment\/catalog-operator\n/,
    );
    expect(up.said.out).toMatch(/west +Kubernetes .* CRDs of OLM are missing/);
    expect(up.said.out).toMatch(
      /WARNING: CustomResourceDefinition olmconfigs\.operators\.coreos\.com( and \d more)? could not be installed: /,
    );

    const lateFleet = await startSimulatedFleet({ clusters: ['late'], port: late.port });
    try {
      await writeFile(late.tokenFile, tokenOf(lateFleet.kubeconfig()));
      // The command installs those that no service has installed. A service may reach the cluster first.
      await expect.poll(() => up.said.out, LONG_PATIENCE).toMatch(/late +Kubernetes .* CRDs? of OLM (are )?installed/);
      const crds = () => lateFleet.cluster('late').list(crd).length;
      await expect.poll(crds, PATIENCE).toBe(CRDS);
      expect(await up.end('SIGTERM')).toBe(0);
    } finally {
      await lateFleet.stop();
    }
  });

  it('without arguments takes the current context, and says so', async () => {
    up = runUp([], {
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CLUSTERS_FILE: join(folder, 'joined'),
      KUBECONFIG: await kubeconfigFile(
        'current',
        fleet.kubeconfig().replace(/^current-context: .*/m, 'current-context: west'),
      ),
    });
    await up.running();
    expect(up.said.out).toMatch(/^No cluster was named, so these are .* else the current context of kubectl\.\n/);
    expect(up.said.out).toContain('Flotilla manages 1 cluster:\n  west ');
    expect(await up.end('SIGTERM')).toBe(0);
  });

  it('is refused with pid and address of the one that runs with the same identity, until that one is gone', async () => {
    const both = ['--kubeconfig', await kubeconfigFile('both', fleet.kubeconfig()), '--no-console'];
    up = start(...both);
    await up.running();
    const url = /Health (\S+)\/healthz/.exec(up.said.out)?.[1];
    const second = start(...both);
    expect(await second.ended).toBe(2);
    expect(second.said).toEqual({
      out: '',
      err: `error: flotilla up already runs (pid ${up.pid}, ${url}): stop it first, or give this hub another identity with FLOTILLA_HUB_ID=NAME\n`,
    });
    await up.kill();
    up = start(...both);
    await up.running();
  });
});
