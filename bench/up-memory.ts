import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { findRedis } from '#platform/redis/local/find-redis';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { LOOPBACK_ALLOWED } from '../apps/cli/src/commands/demo/environment/service-process.js';
import { usageOf } from './fleet/process-usage.js';
import {
  catalogSource,
  createPatiently,
  namespace,
  operatorGroup,
  subscription,
} from './lifecycle/lifecycle-objects.js';
import { catalogImage, csvName, putOperators } from './lifecycle/operator-images.js';
import { operatorsRun } from './lifecycle/operators-run.js';
import { machine } from './machine.js';

// `flotilla up` with one simulated cluster, in a process of its own: memory at rest after its start, most of
// it while five operators are installed and upgraded, and at rest after that. Two minutes.

const OPERATORS = 5;
/** Longer than a process needs to notice that it rests. */
const REST_MS = 50_000;
const PLACE = 'up';
const PATIENCE_MS = 120_000;

const folder = await mkdtemp(join(tmpdir(), 'flotilla-up-'));
const redis = await findRedis({ log: () => undefined, preferExisting: false });
const registry = await startRegistry();
const fleet = await startSimulatedFleet({ clusters: ['sea'] });
const kubeconfig = join(folder, 'kubeconfig');
await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'flotilla-bench' });
if (client === undefined) throw new Error('the kubeconfig names no cluster');
const up = spawn('bin/flotilla', ['up', '--kubeconfig', kubeconfig, '--port', '0'], {
  env: {
    ...process.env,
    ...LOOPBACK_ALLOWED,
    REDIS_URL: redis.url,
    FLOTILLA_CONTENT_DIR: join(folder, 'content'),
    // Not the identity of the user's hub: that hub may run.
    FLOTILLA_CLUSTERS_FILE: join(folder, 'clusters.yaml'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  await ready();
  const rested = await restingMiB();
  const names = Array.from({ length: OPERATORS }, (_, at) => `up-${at + 1}`);
  await putOperators(
    registry,
    names.map((name) => ({ name, shape: 'full' })),
  );
  await install(client, names);
  await upgrade(client, names);
  const peak = (await usage()).peakMiB;
  const after = await restingMiB();
  const row = [rested, peak, after].map((value) => `${Math.round(value)} MiB`).join(' | ');
  process.stdout.write(
    `${machine()}\n\n| at rest after its start | peak | at rest after the work |\n| --- | --- | --- |\n| ${row} |\n`,
  );
} finally {
  up.kill('SIGTERM');
  await once(up, 'exit');
  await client.close();
  await fleet.stop();
  await registry.stop();
  await redis.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);

/** Until it has printed its last line about itself. */
async function ready(): Promise<void> {
  for await (const line of createInterface(up.stdout)) if (line.includes('Ctrl-C')) break;
  up.stdout.resume();
}

async function install(to: KubeClient, names: readonly string[]): Promise<void> {
  const image = catalogImage(registry.host, 1);
  const subscriptions = names.map((name) => subscription(PLACE, name, PLACE, name));
  for (const object of [namespace(PLACE), operatorGroup(PLACE), catalogSource(PLACE, image), ...subscriptions])
    await createPatiently(to, object);
  await operatorsRun(to, {
    namespace: PLACE,
    csvs: names.map((name) => csvName(name, 1)),
    deadline: performance.now() + PATIENCE_MS,
  });
}

async function upgrade(to: KubeClient, names: readonly string[]): Promise<void> {
  const image = catalogImage(registry.host, 2);
  const source = {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    name: 'lifecycle',
    namespace: PLACE,
  };
  await to.patch(source, { spec: { image } });
  await operatorsRun(to, {
    namespace: PLACE,
    csvs: names.map((name) => csvName(name, 2)),
    deadline: performance.now() + PATIENCE_MS,
  });
}

async function restingMiB(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  return (await usage()).residentMiB;
}

async function usage() {
  const used = up.pid === undefined ? undefined : await usageOf(up.pid);
  if (used === undefined) throw new Error('flotilla up has ended, or this system has no /proc');
  return used;
}
