import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogBundleOf } from '#core/catalog/bundle/bundle-blob';
import { readBundle } from '#core/catalog/bundle/read-bundle';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { readTree } from '#platform/files/read-tree';
import { type CatalogServer, serveCatalog } from '#platform/registry/grpc/grpc-catalog-server';
import { Refusal } from '#testing/cluster/objects/refusal';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE, pause } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { keptLogins, startQuickEnvironment } from '../story/quick-environment.js';

const HEALTHY = Array.from({ length: 6 }, (_, index) => `ship-${index + 1}`);
const TROUBLED = ['slow', 'hanging', 'failing', 'logged-out', 'expired'];
/** Fewer than there are clusters that do not answer. */
const APPLY_CONCURRENCY = 4;
/** Namespaces of each troubled cluster: each is a job. */
const NAMESPACES = ['lights', 'other-1', 'other-2', 'other-3'];
const WIDE_NAMESPACES = 100;
const SLOW_MS = 5_000;
const PACKAGE = 'lighthouse-operator';
const CSV_NAME = `${PACKAGE}.v1.0.0`;
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
const GROUP = olm('OperatorGroup', 'v1');

let folder: string;
let kubeconfig: string;
let fleet: SimulatedFleet;
/** The certificate of its servers expires, and with it those of no other cluster. */
let apart: SimulatedFleet;
let catalogs: CatalogServer;
let environment: ServicesEnvironment;
let release: () => void = () => undefined;
/** Requests that the slow cluster has held up. */
let slowed = 0;

const clusterOf = (name: string) => (name === 'expired' ? apart : fleet).cluster(name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-isolation-'));
  kubeconfig = join(folder, 'kubeconfig');
  const others = TROUBLED.filter((name) => name !== 'expired');
  [fleet, apart, catalogs] = await Promise.all([
    startSimulatedFleet({ clusters: [...HEALTHY, ...others, 'wide'] }),
    startSimulatedFleet({ clusters: ['expired'] }),
    oneBundle().then((catalog) => serveCatalog(catalog, { port: 0 })),
  ]);
  const second = join(folder, 'kubeconfig-expired');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  await writeFile(second, apart.kubeconfig(), { mode: 0o600 });
  environment = await startQuickEnvironment({
    kubeconfigs: [kubeconfig, second],
    applierLogins: keptLogins,
    settings: { FLOTILLA_APPLY_CONCURRENCY: String(APPLY_CONCURRENCY), FLOTILLA_WATCH_STALE_AFTER: '10s' },
  });
  await Promise.all(environment.clients.map(serveCrds));
});
afterAll(async () => {
  release();
  await environment?.stop();
  await catalogs?.stop();
  await Promise.all([fleet?.stop(), apart?.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function oneBundle() {
  const directory = join(import.meta.dirname, '../../examples/bundles', PACKAGE, 'v1.0.0');
  const { objects: _parsed, ...bundle } = catalogBundleOf(readBundle(await readTree(directory)), '');
  const blobs = [
    { schema: 'olm.package', name: PACKAGE, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: PACKAGE, name: 'stable', entries: [{ name: bundle.name }] },
    bundle,
  ];
  const bytes = Buffer.from(blobs.map((one) => JSON.stringify(one)).join('\n'));
  return loadCatalog([{ path: 'catalog.json', bytes }]);
}

function offer(name: string): void {
  const cluster = clusterOf(name);
  for (const namespace of ['olm', ...NAMESPACES])
    cluster.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const spec = { sourceType: 'grpc', address: `127.0.0.1:${catalogs.port}` };
  cluster.create({ ...olm('CatalogSource'), metadata: { name: 'one', namespace: 'olm' }, spec });
}

function subscribe(name: string): void {
  const cluster = clusterOf(name);
  for (const namespace of NAMESPACES)
    cluster.create({ ...GROUP, metadata: { name: 'own', namespace }, spec: { targetNamespaces: [namespace] } });
  const spec = { name: PACKAGE, channel: 'stable', source: 'one', sourceNamespace: 'olm' };
  cluster.create({ ...olm('Subscription'), metadata: { name: PACKAGE, namespace: 'lights' }, spec });
}

function widen(): void {
  const wide = fleet.cluster('wide');
  for (let n = 0; n < WIDE_NAMESPACES; n += 1) {
    wide.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${n}` } });
    wide.create({ ...GROUP, metadata: { name: 'own', namespace: `team-${n}` }, spec: {} });
  }
}

const Ready = z.looseObject({
  status: z.looseObject({ connectionState: z.looseObject({ lastObservedState: z.string() }) }),
});
const isReady = (name: string): boolean =>
  clusterOf(name)
    .list(olm('CatalogSource'))
    .some((source) => Ready.safeParse(source).data?.status.connectionState.lastObservedState === 'READY');
const Phase = z.looseObject({
  metadata: z.looseObject({ name: z.string() }),
  status: z.looseObject({ phase: z.string() }),
});
const installed = (name: string): boolean =>
  clusterOf(name)
    .list(olm('ClusterServiceVersion'))
    .flatMap((csv) => Phase.safeParse(csv).data ?? [])
    .some(({ metadata, status }) => metadata.name === CSV_NAME && status.phase === 'Succeeded');
const withoutInstall = (names: readonly string[]) => names.filter((name) => !installed(name));
const withoutGroupStatus = () =>
  fleet
    .cluster('wide')
    .list(GROUP)
    .filter((group) => group['status'] === undefined).length;

/** Begins the trouble of each cluster. The returned function ends it. */
function trouble(): () => Promise<void> {
  const resume = Promise.withResolvers<void>();
  const [slow, hanging, failing, out] = ['slow', 'hanging', 'failing', 'logged-out'].map((name) => fleet.cluster(name));
  if (slow === undefined || hanging === undefined || failing === undefined || out === undefined) throw new RangeError();
  slow.delay = () => {
    slowed += 1;
    return Promise.race([pause(SLOW_MS), resume.promise]);
  };
  hanging.delay = () => resume.promise;
  const mend = failing.failAll({}, new Refusal(500, 'InternalError', 'etcdserver: no leader'));
  const login = out.token;
  out.revokeToken(login);
  apart.expireCertificate(true);
  for (const name of TROUBLED) clusterOf(name).dropConnections();
  release = resume.resolve;
  return async () => {
    resume.resolve();
    for (const cluster of [slow, hanging]) cluster.delay = () => undefined;
    mend();
    await writeFile(kubeconfig, fleet.kubeconfig().replace(login, out.issueToken()), { mode: 0o600 });
    apart.expireCertificate(false);
  };
}

async function healthOf(service: string): Promise<string> {
  const url = await environment.services.find((one) => one.service === service)?.url();
  return (await fetch(`${url}/healthz`)).text();
}

describe('clusters that are slow, hang, fail, refuse the login or have an expired certificate', () => {
  let end: () => Promise<void>;

  it('hold up no other, though the applier has fewer slots than there are of them', async () => {
    const all = [...HEALTHY, ...TROUBLED, 'wide'];
    for (const name of all) offer(name);
    await expect.poll(() => all.filter((name) => !isReady(name)), PATIENCE).toEqual([]);
    // Jobs of these are under way, or reach the applier, while their clusters do not answer.
    for (const name of TROUBLED) subscribe(name);
    end = trouble();
    widen();
    for (const name of HEALTHY) subscribe(name);
    await expect.poll(() => withoutInstall(HEALTHY), PATIENCE).toEqual([]);
    expect(withoutInstall(['hanging'])).toEqual(['hanging']);
    // The progress of the slow cluster depends on the machine.
    expect(slowed).toBeGreaterThan(0);
  });

  it('as a cluster with many namespaces is worked on like the others', async () => {
    await expect.poll(withoutGroupStatus, PATIENCE).toBe(0);
  });

  it('are named by the health of the poller, with the reason', async () => {
    const reasons = [
      /failing \([^)]*no leader; check the log of its API server/,
      /logged-out \([^)]*Unauthorized; its login in the kubeconfig is not accepted or has expired: renew it/,
      /expired \([^)]*certificate has expired; check that the API server runs/,
    ];
    for (const reason of reasons) await expect.poll(() => healthOf('catalog-poller'), PATIENCE).toMatch(reason);
  });

  it('are caught up with once they answer again, without a restart', async () => {
    await end();
    await expect.poll(() => withoutInstall(TROUBLED), LONG_PATIENCE).toEqual([]);
  });
});
