import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { AttackName } from '#testing/hostile/attacks';
import { startHostileCluster } from '#testing/hostile/hostile-cluster';
import { pause } from '#testing/patience';
import { type DemoEnvironment, startEnvironment } from '../../apps/cli/src/demo/demo-environment.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/demo/sample-images.js';
import { isInstalled, prepareCluster, subscribeIn } from '../fleet/fleet-objects.js';
import { usageOf } from '../fleet/process-usage.js';

export type AttackMeasures = Readonly<{
  /** Undefined: the cluster is well behaved. */
  attack: AttackName | undefined;
  pollerMiB: number;
  applierMiB: number;
  /**
   * From the Subscription in the good cluster until its operators run; undefined where that took too long.
   */
  installSeconds: number | undefined;
  /** What the check `budgets` of poller and applier says. */
  reported: readonly string[];
}>;

const PATIENCE_MS = 120_000;
/** The attack lasts so long before the install in the good cluster begins, and so long after its end. */
const BEFORE_MS = 8_000;
const AFTER_MS = 5_000;
/** The heap is that of a container of 1 GiB, as k8s/base has it for the applier: Node takes half of it. */
const SETTINGS = { FLOTILLA_RESYNC_INTERVAL: '5s', NODE_OPTIONS: '--max-old-space-size=512' };

/**
 * One good and one hostile cluster with a hub of their own: what the attack does to the hub
 * and to the good cluster.
 */
export async function measureAttack(attack: AttackName | undefined): Promise<AttackMeasures> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-hostile-'));
  const good = await startSimulatedFleet({ clusters: ['east'] });
  const hostile = await startHostileCluster('west');
  const kubeconfigs = [join(folder, 'east'), join(folder, 'west')];
  await writeFile(join(folder, 'east'), good.kubeconfig(), { mode: 0o600 });
  await writeFile(join(folder, 'west'), hostile.kubeconfig, { mode: 0o600 });
  const environment = await startEnvironment({ kubeconfigs, settings: SETTINGS });
  try {
    await prepare(environment);
    hostile.attack(attack);
    await pause(BEFORE_MS);
    const startedAt = performance.now();
    for (const client of environment.clients.slice(0, 1)) await subscribeIn(client, environment.registry.host);
    const east = good.cluster('east');
    while (!isInstalled(east) && performance.now() - startedAt < PATIENCE_MS) await pause(20);
    const seconds = (performance.now() - startedAt) / 1_000;
    await pause(AFTER_MS);
    return {
      attack,
      pollerMiB: await peakOf(environment, 'catalog-poller'),
      applierMiB: await peakOf(environment, 'applier'),
      installSeconds: isInstalled(east) ? seconds : undefined,
      reported: [...(await reportOf(environment, 'catalog-poller')), ...(await reportOf(environment, 'applier'))],
    };
  } finally {
    await environment.stop();
    await hostile.stop();
    await good.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The operators are installed in the hostile cluster before it becomes hostile, so that there is work for it.
 */
async function prepare(environment: DemoEnvironment): Promise<void> {
  const examples = join(PROJECT_ROOT, 'examples');
  await putSampleBundles(examples, environment.registry.put);
  await putSampleCatalog(examples, 'v1', environment.registry);
  await Promise.all(environment.clients.map((client) => prepareCluster(client, environment.registry.host)));
  for (const client of environment.clients.slice(1)) await subscribeIn(client, environment.registry.host);
  const csvs = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
  const installed = async () => {
    const lists = await Promise.all(
      environment.clients.slice(1).map((client) => client.list(csvs, { namespace: 'harbors' })),
    );
    return lists.every((list) => JSON.stringify(list?.items ?? []).split('"InstallSucceeded"').length > 2);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await installed())) {
    if (performance.now() > deadline) throw new Error('the operators did not come up before the attack');
    await pause(200);
  }
}

const serviceOf = (environment: DemoEnvironment, name: string) =>
  environment.services.find(({ service }) => service === name);

async function peakOf(environment: DemoEnvironment, name: string): Promise<number> {
  const pid = serviceOf(environment, name)?.pid;
  return (pid === undefined ? undefined : await usageOf(pid))?.peakMiB ?? Number.NaN;
}

async function reportOf(environment: DemoEnvironment, name: string): Promise<readonly string[]> {
  const url = await serviceOf(environment, name)?.url();
  const answer: unknown = await (await fetch(`${url}/healthz`)).json();
  const found = /cluster west: too large: [^"]*/.exec(JSON.stringify(answer));
  return found === null ? [] : [`${name}: ${found[0]}`];
}
