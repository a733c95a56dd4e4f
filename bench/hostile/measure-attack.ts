import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import type { AttackName } from '#testing/hostile/attacks';
import { startHostileCluster } from '#testing/hostile/hostile-cluster';
import { pause } from '#testing/patience';
import { type Stage, setStage } from '../../apps/cli/src/demo/demo-stage.js';
import { putSampleBundles, putSampleCatalog } from '../../apps/cli/src/demo/sample-images.js';
import { isInstalled, prepareCluster, wishOn } from '../fleet/fleet-wish.js';
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
const SETTINGS = { FLOTILLA_RESYNC_INTERVAL: '5s' };

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
  const stage = await setStage({ kubeconfigs, settings: SETTINGS });
  try {
    await prepare(stage);
    hostile.attack(attack);
    await pause(BEFORE_MS);
    const startedAt = performance.now();
    for (const client of stage.clients.slice(0, 1)) await wishOn(client, stage.registry.host);
    const east = good.cluster('east');
    while (!isInstalled(east) && performance.now() - startedAt < PATIENCE_MS) await pause(20);
    const seconds = (performance.now() - startedAt) / 1_000;
    await pause(AFTER_MS);
    return {
      attack,
      pollerMiB: await peakOf(stage, 'catalog-poller'),
      applierMiB: await peakOf(stage, 'applier'),
      installSeconds: isInstalled(east) ? seconds : undefined,
      reported: [...(await reportOf(stage, 'catalog-poller')), ...(await reportOf(stage, 'applier'))],
    };
  } finally {
    await stage.strike();
    await hostile.stop();
    await good.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The operators are installed in the hostile cluster before it becomes hostile, so that there is work for it.
 */
async function prepare(stage: Stage): Promise<void> {
  const examples = join(PROJECT_ROOT, 'examples');
  await putSampleBundles(examples, stage.registry.put);
  await putSampleCatalog(examples, 'v1', stage.registry);
  await Promise.all(stage.clients.map((client) => prepareCluster(client, stage.registry.host)));
  for (const client of stage.clients.slice(1)) await wishOn(client, stage.registry.host);
  const csvs = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' };
  const installed = async () => {
    const lists = await Promise.all(
      stage.clients.slice(1).map((client) => client.list(csvs, { namespace: 'harbors' })),
    );
    return lists.every((list) => JSON.stringify(list?.items ?? []).split('"InstallSucceeded"').length > 2);
  };
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await installed())) {
    if (performance.now() > deadline) throw new Error('the operators did not come up before the attack');
    await pause(200);
  }
}

const serviceOf = (stage: Stage, name: string) => stage.services.find(({ service }) => service === name);

async function peakOf(stage: Stage, name: string): Promise<number> {
  const pid = serviceOf(stage, name)?.pid;
  return (pid === undefined ? undefined : await usageOf(pid))?.peakMiB ?? Number.NaN;
}

async function reportOf(stage: Stage, name: string): Promise<readonly string[]> {
  const url = await serviceOf(stage, name)?.url();
  const answer: unknown = await (await fetch(`${url}/healthz`)).json();
  const found = /cluster west: too large: [^"]*/.exec(JSON.stringify(answer));
  return found === null ? [] : [`${name}: ${found[0]}`];
}
