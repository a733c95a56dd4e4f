import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { buildImage } from '#platform/registry/image-builder';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { ServiceProcess } from '../../apps/cli/src/commands/demo/environment/service-process.js';
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
import { QUICK, startQuickEnvironment } from '../story/quick-environment.js';

const ALONE = 'ship-1';
const FLEET = Array.from({ length: 23 }, (_, index) => `ship-${index + 2}`);
const CLUSTERS = [ALONE, ...FLEET];

let folder: string;
let fleet: SimulatedFleet;
let environment: ServicesEnvironment;
/** Processes beside the first. */
const more: ServiceProcess[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-scaling-'));
  fleet = await startSimulatedFleet({ clusters: CLUSTERS, deploymentReadyAfterMs: 500 });
  const kubeconfig = join(folder, 'kubeconfig');
  await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
  environment = await startQuickEnvironment({ kubeconfigs: [kubeconfig] });
});
afterAll(async () => {
  await Promise.all(more.map((applier) => applier.stop()));
  await environment?.stop();
  await fleet?.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** `of`: the clusters of a name of its own have a catalog of their own. */
async function push(of: string, versions: readonly string[]): Promise<void> {
  const files = [{ path: 'configs/catalog.json', bytes: Buffer.from(await chainCatalogText(versions)) }];
  await environment.registry.put(
    `chains/${of}:v1`,
    await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }),
  );
}

const source = (of: string) => ({
  image: `${environment.registry.host}/chains/${of}:v1`,
  updateStrategy: { registryPoll: { interval: '2s' } },
});
/** The catalogs have the same content under two names. */
const stateOf = (cluster: string) =>
  endStateOf(fleet.cluster(cluster)).map((line) => line.replaceAll('chains/alone', 'chains/fleet'));
const countAt = (version: string) =>
  FLEET.filter((cluster) => csvs(fleet, cluster).join() === atVersion(version).join()).length;

async function startAppliers(names: readonly string[]): Promise<void> {
  const poller = environment.services.find(({ service }) => service === 'catalog-poller');
  await expect.poll(() => poller?.url(), PATIENCE).toBeDefined();
  for (const name of names) {
    const env = {
      ...QUICK,
      FLOTILLA_KUBECONFIG: environment.applierKubeconfigs.join(':'),
      FLOTILLA_REDIS_URL: environment.redis.url,
      FLOTILLA_REDIS_PREFIX: environment.redisPrefix,
      FLOTILLA_CONTENT_URL: (await poller?.url()) ?? '',
      FLOTILLA_CONTENT_DIR: join(folder, name),
      FLOTILLA_APPLIER_PORT: '0',
    };
    const applier = new ServiceProcess(name, 'applier', env, join(folder, `${name}.log`));
    more.push(applier);
    applier.start();
  }
}

const appliers = () =>
  [...environment.services.filter(({ service }) => service === 'applier'), ...more].filter(({ running }) => running);
const Health = z.looseObject({ details: z.looseObject({ shards: z.looseObject({ detail: z.string() }) }) });
const WITH_CLUSTERS = new RegExp(`with (\\d+) of ${CLUSTERS.length} clusters`);
/** Number of clusters of each running applier. */
const parts = () =>
  Promise.all(
    appliers().map(async (applier) => {
      const answer = await fetch(`${await applier.url()}/healthz`).catch(() => undefined);
      const detail = Health.safeParse(await answer?.json()).data?.details.shards.detail ?? '';
      return Number(WITH_CLUSTERS.exec(detail)?.[1] ?? 0);
    }),
  );
/** Returns the largest deviation of an applier from the average share; all clusters must have an applier. */
async function unevenness(): Promise<number> {
  const counts = await parts();
  if (counts.reduce((sum, count) => sum + count, 0) !== CLUSTERS.length) return Number.POSITIVE_INFINITY;
  const average = CLUSTERS.length / counts.length;
  return Math.max(...counts.map((count) => Math.abs(count - average) / average));
}

describe('appliers, from one to four and back, while 23 clusters upgrade', () => {
  let expected: readonly string[];

  it('begin with one, which upgrades a cluster whose end state all others are to have', async () => {
    // Only the hub defines OLM's kinds: with two writers the first one would win.
    await expect.poll(() => CLUSTERS.filter((cluster) => !hasOlmKinds(fleet, cluster)), LONG_PATIENCE).toEqual([]);
    await push('alone', VERSIONS.slice(0, 2));
    subscribe(fleet, ALONE, source('alone'));
    await expect.poll(() => csvs(fleet, ALONE), PATIENCE).toEqual(atVersion('v1.1.0'));
    await push('alone', VERSIONS);
    await expect.poll(() => csvs(fleet, ALONE), PATIENCE).toEqual(atVersion('v1.2.0'));
    // The Operator is written last: its status names all others.
    const operator = () => stateOf(ALONE).find((line) => line.startsWith('operators.')) ?? '';
    await expect
      .poll(() => operator().includes('InstallSucceeded') && !operator().includes('v1.1'), PATIENCE)
      .toBe(true);
    expected = stateOf(ALONE);
    expect(expected.length).toBeGreaterThan(20);
    expect(plans(fleet, ALONE)).toEqual(onePlanEach(VERSIONS));
  });

  it('become four amid the installs, and share the clusters within 20 %', async () => {
    await push('fleet', VERSIONS.slice(0, 2));
    for (const cluster of FLEET) subscribe(fleet, cluster, source('fleet'));
    await expect
      .poll(() => FLEET.filter((cluster) => plans(fleet, cluster).length > 0).length, PATIENCE)
      .toBeGreaterThan(0);
    await startAppliers(['applier-2', 'applier-3', 'applier-4']);
    await expect.poll(unevenness, LONG_PATIENCE).toBeLessThanOrEqual(0.2);
    expect(await parts()).toHaveLength(4);
    await expect.poll(() => countAt('v1.1.0'), LONG_PATIENCE).toBe(FLEET.length);
  });

  it('become one again amid the next upgrade: two are stopped, and one is killed', async () => {
    const [first, second, third] = appliers();
    await push('fleet', VERSIONS);
    await expect
      .poll(() => FLEET.filter((cluster) => plans(fleet, cluster).length > 2).length, PATIENCE)
      .toBeGreaterThan(0);
    await Promise.all([first?.stop(), second?.stop(), third?.stop('SIGKILL')]);
    await expect.poll(() => countAt('v1.2.0'), LONG_PATIENCE).toBe(FLEET.length);
    await expect.poll(parts, LONG_PATIENCE).toEqual([CLUSTERS.length]);
    for (const cluster of FLEET) expect(plans(fleet, cluster), cluster).toEqual(onePlanEach(VERSIONS));
  });

  it('leave every cluster in the end state that one applier alone leaves', async () => {
    for (const cluster of CLUSTERS)
      await expect.poll(() => differencesOf(expected, stateOf(cluster)), { ...PATIENCE, message: cluster }).toEqual([]);
  });
});
