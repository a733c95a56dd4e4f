import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { peerAuthorization } from '#platform/http/http-access';
import { HubKey } from '#platform/keys/hub-key';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { serveCrds } from '#testing/cluster/served-crds';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { freePorts } from '#testing/control-plane/free-ports';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { hubKeyFile, type ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { startQuickEnvironment } from '../story/quick-environment.js';
import {
  atVersion,
  chainCatalogText,
  csvs,
  onePlanEach,
  PACKAGE,
  plans,
  subscribe,
  VERSIONS,
} from './ownership-support/chain-fleet.js';
import { type ServiceAddress, startServiceAddress } from './ownership-support/service-address.js';

const CLUSTERS = Array.from({ length: 12 }, (_, index) => `ship-${index + 1}`);

let folder: string;
let fleet: SimulatedFleet;
let ports: readonly number[];
let address: ServiceAddress;
let environment: ServicesEnvironment;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-pollers-'));
  [fleet, ports] = await Promise.all([
    startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 100 }),
    freePorts(3),
  ]);
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  address = await startServiceAddress(ports);
  environment = await startQuickEnvironment({
    kubeconfigs: [kubeconfig],
    pollerPorts: ports,
    appliers: 3,
    settings: { FLOTILLA_CONTENT_URL: address.url },
  });
  await Promise.all(environment.clients.map(serveCrds));
});
afterAll(async () => {
  await environment?.stop();
  await address?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const all = (service: 'catalog-poller' | 'applier') => environment.services.filter((one) => one.service === service);
const pollers = () => all('catalog-poller').filter(({ running }) => running);

/** Each cluster has a catalog with content of its own: only the poller of the cluster pulls it. */
async function push(versions: readonly string[]): Promise<void> {
  for (const cluster of CLUSTERS) {
    const bytes = Buffer.from(await chainCatalogText(versions, `of ${cluster}`));
    const files = [{ path: 'configs/catalog.json', bytes }];
    const image = await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } });
    await environment.registry.put(`chains/${cluster}:v1`, image);
  }
}

async function reachVersion(version: string): Promise<void> {
  for (const cluster of CLUSTERS)
    await expect.poll(() => csvs(fleet, cluster), LONG_PATIENCE).toEqual(atVersion(version));
}

const Health = z.looseObject({ details: z.looseObject({ shards: z.looseObject({ detail: z.string() }) }) });
/** Number of clusters of each running poller. */
const shares = () =>
  Promise.all(
    pollers().map(async (poller) => {
      const response = await fetch(`${await poller.url()}/healthz`);
      const detail = Health.safeParse(await response.json()).data?.details.shards.detail ?? '';
      return Number(/with (\d+) of 12 clusters/.exec(detail)?.[1] ?? 0);
    }),
  );

const Watched = z.looseObject({ msg: z.literal('cluster is watched'), cluster: z.string() });
/**
 * Returns the clusters that a poller began to watch, in order. A cluster appears again after a new start of
 * its watch.
 */
const watchedBy = async (poller: ServiceProcess) =>
  (await poller.logged()).flatMap((line) => Watched.safeParse(line).data?.cluster ?? []);

const pathOf = (cluster: string) =>
  `/clusters/${cluster}/apis/packages.operators.coreos.com/v1/namespaces/lights/packagemanifests/${PACKAGE}`;
const packagesOf = async (poller: ServiceProcess, cluster: string) => {
  const response = await fetch(`${await poller.url()}${pathOf(cluster)}`);
  return `${response.status} ${(await response.text()).includes(`of ${cluster}`)}`;
};
/** The clusters that a poller works for: about the others it answers nothing to another poller. */
async function ownedBy(poller: ServiceProcess): Promise<readonly string[]> {
  const key = await HubKey.open(hubKeyFile());
  const statuses = await Promise.all(
    CLUSTERS.map(async (cluster) => {
      const path = pathOf(cluster);
      const headers = { authorization: peerAuthorization(key, path) };
      return (await fetch(`${await poller.url()}${path}`, { headers })).status;
    }),
  );
  return CLUSTERS.filter((_, index) => statuses[index] === 200);
}
/** Returns the answer of every running poller about every cluster. */
const answers = () =>
  Promise.all(pollers().flatMap((poller) => CLUSTERS.map((cluster) => packagesOf(poller, cluster))));
const isAnswered = (count: number) => Array.from({ length: count * CLUSTERS.length }, () => '200 true');

describe('three pollers and three appliers that share twelve clusters', () => {
  it('divide them, and each poller answers for the clusters of all', async () => {
    const smallest = async () => Math.min(...(await shares().catch(() => [0])));
    await expect.poll(smallest, PATIENCE).toBeGreaterThan(2);
    await push(VERSIONS.slice(0, 1));
    for (const cluster of CLUSTERS)
      subscribe(fleet, cluster, {
        image: `${environment.registry.host}/chains/${cluster}:v1`,
        updateStrategy: { registryPoll: { interval: '2s' } },
      });
    await reachVersion('v1.0.0');
    // On a busy machine shards may have moved just now, and their new owner reads the catalogs first.
    await expect.poll(answers, PATIENCE).toEqual(isAnswered(3));
    // Content comes from the poller that has it, whichever was asked.
    const logged = (await Promise.all(all('applier').map((applier) => applier.logged()))).flat();
    expect(logged.filter((line) => JSON.stringify(line).includes('ContentNotHeld'))).toEqual([]);
  });

  it('one that is killed in the middle of an upgrade loses its clusters to the others, which do not notice', async () => {
    const [first, killed, last] = all('catalog-poller');
    const survivors = [first, last].flatMap((one) => one ?? []);
    const [owned, begun] = await Promise.all([
      Promise.all(survivors.map(ownedBy)),
      Promise.all(survivors.map(watchedBy)),
    ]);
    expect(new Set(owned.flat()).size, 'no cluster has two pollers').toBe(owned.flat().length);
    await push(VERSIONS.slice(0, 2));
    const upgraded = () => CLUSTERS.filter((cluster) => plans(fleet, cluster).length > 1).length;
    await expect.poll(upgraded, PATIENCE).toBeGreaterThan(0);
    await killed?.stop('SIGKILL');
    await expect.poll(() => shares().then((counts) => counts.reduce((a, b) => a + b)), PATIENCE).toBe(12);
    await reachVersion('v1.1.0');
    await expect.poll(answers, PATIENCE).toEqual(isAnswered(2));

    for (const [index, survivor] of survivors.entries()) {
      const anew = (await watchedBy(survivor)).slice(begun[index]?.length);
      expect(anew.filter((cluster) => owned[index]?.includes(cluster))).toEqual([]);
    }
  });

  it('all see the next version of their catalogs, and every step was done once', async () => {
    await push(VERSIONS);
    await reachVersion('v1.2.0');
    for (const cluster of CLUSTERS) expect(plans(fleet, cluster), cluster).toEqual(onePlanEach(VERSIONS));
  });
});
