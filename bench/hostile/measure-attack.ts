import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { AttackName } from '#testing/hostile/attacks';
import { startHostileCluster } from '#testing/hostile/hostile-cluster';
import { pause } from '#testing/patience';
import {
  type ServicesEnvironment,
  startEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { isInstalled, prepareCluster, subscribeIn } from '../fleet/fleet-objects.js';
import { usageOf } from '../fleet/process-usage.js';

export type AttackMeasures = Readonly<{
  /** Undefined: the cluster is well behaved. */
  attack: AttackName | undefined;
  pollerMiB: number;
  applierMiB: number;
  /**
   * From the Subscription in a good cluster until its operators run, the median of all good clusters;
   * undefined if one took too long.
   */
  installSeconds: number | undefined;
  /** Report of the check `budgets` of poller and applier. */
  reported: readonly string[];
}>;

/** The operators are installed in them one after the other. */
const GOOD = ['east-1', 'east-2', 'east-3', 'east-4', 'east-5'];
const PATIENCE_MS = 120_000;
/** The attack lasts so long before the install in the good cluster begins, and so long after its end. */
const BEFORE_MS = 8_000;
const AFTER_MS = 5_000;
/** The heap is that of a container of 1 GiB, as k8s/base has it for the applier: Node takes half of it. */
const SETTINGS = { FLOTILLA_RESYNC_INTERVAL: '5s', NODE_OPTIONS: '--max-old-space-size=512' };

/**
 * Measures good clusters and a hostile one with a hub of their own: the effects of the attack on the hub and
 * on the good clusters.
 */
export async function measureAttack(attack: AttackName | undefined): Promise<AttackMeasures> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-hostile-'));
  const good = await startSimulatedFleet({ clusters: GOOD });
  const hostile = await startHostileCluster('west');
  const kubeconfigs = [join(folder, 'east'), join(folder, 'west')];
  await writeFile(join(folder, 'east'), good.kubeconfig(), { mode: 0o600 });
  await writeFile(join(folder, 'west'), hostile.kubeconfig, { mode: 0o600 });
  const environment = await startEnvironment({ kubeconfigs, settings: SETTINGS });
  try {
    await prepare(environment);
    hostile.attack(attack);
    await pause(BEFORE_MS);
    const seconds: number[] = [];
    for (const [index, name] of GOOD.entries()) {
      const took = await installIn(environment, environment.clients[index], good.cluster(name));
      if (took !== undefined) seconds.push(took);
    }
    await pause(AFTER_MS);
    return {
      attack,
      pollerMiB: await peakOf(environment, 'catalog-poller'),
      applierMiB: await peakOf(environment, 'applier'),
      installSeconds: seconds.length === GOOD.length ? median(seconds) : undefined,
      reported: [...(await reportOf(environment, 'catalog-poller')), ...(await reportOf(environment, 'applier'))],
    };
  } finally {
    await environment.stop();
    await hostile.stop();
    await good.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Returns the seconds of an install; undefined if it takes too long. */
async function installIn(
  { registry }: ServicesEnvironment,
  client: KubeClient | undefined,
  cluster: SimulatedCluster,
): Promise<number | undefined> {
  if (client === undefined) throw new Error('a good cluster has no client');
  const startedAt = performance.now();
  await subscribeIn(client, registry.host);
  while (!isInstalled(cluster)) {
    if (performance.now() - startedAt > PATIENCE_MS) return undefined;
    await pause(20);
  }
  return (performance.now() - startedAt) / 1_000;
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/**
 * The operators are installed in the hostile cluster before it becomes hostile, so that there is work for it.
 */
async function prepare(environment: ServicesEnvironment): Promise<void> {
  const examples = join(PROJECT_ROOT, 'examples');
  await putSampleBundles(examples, environment.registry.put);
  await putSampleCatalog(examples, 'v1', environment.registry);
  await Promise.all(environment.clients.map((client) => prepareCluster(client, environment.registry.host)));
  for (const client of environment.clients.slice(GOOD.length)) await subscribeIn(client, environment.registry.host);
  const csvs = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
  const installed = async () => {
    const lists = await Promise.all(
      environment.clients.slice(GOOD.length).map((client) => client.list(csvs, { namespace: 'harbors' })),
    );
    return lists.every((list) => JSON.stringify(list?.items ?? []).split('"InstallSucceeded"').length > 2);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await installed())) {
    if (performance.now() > deadline) throw new Error('the operators did not come up before the attack');
    await pause(200);
  }
}

const serviceOf = (environment: ServicesEnvironment, name: string) =>
  environment.services.find(({ service }) => service === name);

async function peakOf(environment: ServicesEnvironment, name: string): Promise<number> {
  const pid = serviceOf(environment, name)?.pid;
  return (pid === undefined ? undefined : await usageOf(pid))?.peakMiB ?? Number.NaN;
}

async function reportOf(environment: ServicesEnvironment, name: string): Promise<readonly string[]> {
  const url = await serviceOf(environment, name)?.url();
  const answer: unknown = await (await fetch(`${url}/healthz`)).json();
  const found = /cluster west: too large: [^"]*/.exec(JSON.stringify(answer));
  return found === null ? [] : [`${name}: ${found[0]}`];
}
