import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { applierLogins } from '#testing/control-plane/applier-logins';
import { freePorts } from '#testing/control-plane/free-ports';
import { LONG_PATIENCE, PATIENCE, promised } from '#testing/patience';
import {
  type ServicesEnvironment,
  startEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import type {
  LogLine,
  ServiceName,
  ServiceProcess,
} from '../../apps/cli/src/commands/demo/environment/service-process.js';
import {
  atVersion,
  chainCatalogText,
  csvs,
  hasOlmKinds,
  onePlanEach,
  plans,
  subscribe,
  VERSIONS,
} from '../integration/ownership-support/chain-fleet.js';
import { differencesOf, endStateOf } from '../integration/ownership-support/end-state.js';
import { type ServiceAddress, startServiceAddress } from '../integration/ownership-support/service-address.js';

const CLUSTERS = Array.from({ length: 12 }, (_, index) => `ship-${index + 1}`);
/** From the end of a process until its clusters are served by others, with the settings of production. */
const SERVED_AGAIN_MS = 15_000;
const olm = (kind: string, version = 'v1alpha1') => ({ apiVersion: `operators.coreos.com/${version}`, kind });
const KINDS = [
  ...['Subscription', 'InstallPlan', 'ClusterServiceVersion', 'CatalogSource'].map((kind) => olm(kind)),
  olm('Operator', 'v1'),
];
const GROUP = { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup' };

let folder: string;
let fleet: SimulatedFleet;
let address: ServiceAddress;
let environment: ServicesEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-takeover-'));
  fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 500 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  const pollerPorts = await freePorts(3);
  address = await startServiceAddress(pollerPorts);
  // No lease, lock or retry is shorter than in production.
  const settings = { FLOTILLA_CONTENT_URL: address.url, FLOTILLA_LOG_LEVEL: 'debug' };
  const hub = { pollerPorts, appliers: 3, resolvers: 1, applierLogins };
  environment = await startEnvironment({ kubeconfigs: [kubeconfig], ...hub, settings });
});
afterAll(async () => {
  await environment?.stop();
  await address?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Lines of the hub about a cluster without an end. A failure here was seen once in thirty runs. */
const LINES = 40;
const SHOWN = 2;
async function accountOf(cluster: string): Promise<string> {
  const objects = KINDS.flatMap((kind) => fleet.cluster(cluster).list(kind)).map(({ kind, metadata, status }) =>
    JSON.stringify({ kind, name: metadata.name, status }),
  );
  const processes = environment.services.map(async (one) => {
    const url = one.running ? await one.url() : undefined;
    const health = url === undefined ? 'it has ended' : await fetch(`${url}/healthz`).then((answer) => answer.text());
    const isAbout = (line: LogLine) =>
      line['cluster'] === cluster || (line['cluster'] === undefined && line['level'] !== 'debug');
    const about = (await one.logged()).filter(isAbout);
    return [`== ${one.name}: ${health}`, ...about.slice(-LINES).map((line) => JSON.stringify(line))].join('\n');
  });
  return [`${cluster} at the end of a test that failed`, ...objects, ...(await Promise.all(processes))].join('\n');
}
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  const [newest = ''] = VERSIONS.filter((version) => notAt(version).length < CLUSTERS.length).toReversed();
  const lagging = notAt(newest);
  const shown = (lagging.length > 0 ? lagging : CLUSTERS).slice(0, SHOWN);
  for (const cluster of shown) console.log(await accountOf(cluster));
});

async function push(versions: readonly string[]): Promise<void> {
  const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(await chainCatalogText(versions)) }];
  const image = await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } });
  await environment.registry.put('chains/fleet:v1', image);
}

const running = (service: ServiceName) => environment.services.filter((one) => one.service === service && one.running);
const Health = z.looseObject({ details: z.looseObject({ shards: z.looseObject({ detail: z.string() }) }) });
/** Number of clusters of each running process of the service. */
const parts = (service: ServiceName) =>
  Promise.all(
    running(service).map(async (one) => {
      const answer = await fetch(`${await one.url()}/healthz`).catch(() => undefined);
      const detail = Health.safeParse(await answer?.json()).data?.details.shards.detail ?? '';
      return Number(/with (\d+) of 12 clusters/.exec(detail)?.[1] ?? 0);
    }),
  );
const isShared = async (service: ServiceName, by: number): Promise<boolean> => {
  const counts = await parts(service);
  const all = counts.reduce((sum, count) => sum + count, 0);
  return counts.length === by && counts.every((count) => count > 0) && all === CLUSTERS.length;
};

/** Work in each cluster for a poller and an applier: a new namespace with an OperatorGroup. */
function addNamespace(name: string): void {
  for (const cluster of CLUSTERS) {
    fleet.cluster(cluster).create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    fleet.cluster(cluster).create({ ...GROUP, metadata: { name: 'own', namespace: name }, spec: {} });
  }
}
const withoutStatus = (namespace: string) =>
  CLUSTERS.filter(
    (cluster) => fleet.cluster(cluster).get({ ...GROUP, namespace, name: 'own' })?.['status'] === undefined,
  );
const notAt = (version: string) =>
  CLUSTERS.filter((cluster) => csvs(fleet, cluster).join() !== atVersion(version).join());

/** Amid an upgrade of all clusters. */
async function kill(service: ServiceName, versions: readonly string[]): Promise<ServiceProcess> {
  await expect.poll(() => isShared(service, 3), PATIENCE).toBe(true);
  await push(versions);
  const begun = () => CLUSTERS.filter((cluster) => plans(fleet, cluster).length === versions.length).length;
  await expect.poll(begun, PATIENCE).toBeGreaterThan(0);
  const [, killed] = running(service);
  if (killed === undefined) throw new RangeError(`there is no second ${service}`);
  await killed.stop('SIGKILL');
  return killed;
}

describe('three pollers and three appliers with the settings of production', () => {
  it('install the first version in twelve clusters', async () => {
    await expect.poll(() => CLUSTERS.filter((cluster) => !hasOlmKinds(fleet, cluster)), PATIENCE).toEqual([]);
    await push(VERSIONS.slice(0, 1));
    const image = `${environment.registry.host}/chains/fleet:v1`;
    for (const cluster of CLUSTERS)
      subscribe(fleet, cluster, { image, updateStrategy: { registryPoll: { interval: '2s' } } });
    await expect.poll(() => notAt('v1.0.0'), LONG_PATIENCE).toEqual([]);
  });

  it.each([
    { service: 'applier', version: 'v1.1.0', versions: VERSIONS.slice(0, 2) },
    { service: 'catalog-poller', version: 'v1.2.0', versions: VERSIONS },
  ] as const)(
    'serve the clusters of a killed $service again within 15 s, and upgrade all of them once',
    async ({ service, version, versions }) => {
      await kill(service, versions);
      addNamespace(`after-${service}`);
      await expect.poll(() => withoutStatus(`after-${service}`), promised(SERVED_AGAIN_MS)).toEqual([]);
      // The time of the whole upgrade depends on the machine.
      await expect.poll(() => notAt(version), LONG_PATIENCE).toEqual([]);
      for (const cluster of CLUSTERS) expect(plans(fleet, cluster), cluster).toEqual(onePlanEach(versions));
    },
  );

  it('leave the same in each cluster, whichever process began or ended a step: none was done with other content', async () => {
    const [first, ...others] = CLUSTERS.map((cluster) => fleet.cluster(cluster));
    if (first === undefined) throw new RangeError('there is no cluster');
    for (const cluster of others)
      await expect
        .poll(() => differencesOf(endStateOf(first), endStateOf(cluster)), { ...PATIENCE, message: cluster.name })
        .toEqual([]);
  });
});
