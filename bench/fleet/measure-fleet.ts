import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { type FleetEnvironment, startFleetEnvironment } from './fleet-environment.js';
import { isInstalled, prepareCluster, subscribeIn, surplusPlans } from './fleet-objects.js';
import { type Usage, usageOf } from './process-usage.js';

export type FleetMeasures = Readonly<{
  clusters: number;
  /** From the start of the services until the last cluster is watched. */
  joinedSeconds: number;
  /** From the first Subscription until both operators of a cluster run; one number a cluster, sorted. */
  installSeconds: readonly number[];
  succeeded: number;
  surplusPlans: number;
  requests: Readonly<{ reads: number; writes: number }>;
  resolve: Readonly<{ solves: number; distinct: number; solveMs: number }>;
  applyJobs: number;
  /** Usage during a full resync without any change. */
  idle: Readonly<{ seconds: number; applyJobs: number; reads: number; writes: number }>;
  processes: readonly Readonly<{
    name: string;
    afterJoin: Usage | undefined;
    afterInstall: Usage | undefined;
    usage: Usage | undefined;
  }>[];
}>;

const SERVICES = [
  ['catalog-poller', 'catalog-poller'],
  ['resolver-worker-1', 'resolver-worker'],
  ['resolver-worker-2', 'resolver-worker'],
  ['applier', 'applier'],
] as const;
const TWINS = [
  ['catalog-poller-2', 'catalog-poller'],
  ['applier-2', 'applier'],
] as const;
const PATIENCE_MS = 900_000;
const QUIET_MS = 3_000;

/**
 * Installs the same operator in many simulated clusters through real services, then lets them run a full
 * resync.
 */
export async function measureFleet(
  options: Readonly<{ clusters: number; twins: boolean; profileFolder?: string | undefined }>,
): Promise<FleetMeasures> {
  const width = String(options.clusters).length;
  const names = Array.from({ length: options.clusters }, (_, n) => `edge-${String(n + 1).padStart(width, '0')}`);
  const { profileFolder } = options;
  const environment = await startFleetEnvironment({
    clusters: names,
    services: options.twins ? [...SERVICES, ...TWINS] : SERVICES,
    profileFolder,
  });
  try {
    return await measure(environment, names);
  } finally {
    await environment.stop();
  }
}

async function measure(environment: FleetEnvironment, names: readonly string[]): Promise<FleetMeasures> {
  const clusters = names.map((name) => environment.fleet.cluster(name));
  const joined = stopwatch();
  await Promise.all(environment.clients.map((client) => prepareCluster(client, environment.registryHost)));
  await until(async () => clusters.every(hasServingCatalog));
  const joinedSeconds = joined();
  await untilQuiet(environment);
  const afterJoin = await usages(environment);
  for (const { requests } of clusters) requests.clear();
  const jobsBefore = await applyJobs(environment);
  const installSeconds = await install(environment, clusters);
  await untilQuiet(environment);
  const afterInstall = await usages(environment);
  const installed = { requests: requestsOf(clusters), jobs: await applyJobs(environment) };
  const idle = await passAgain(environment, clusters);
  const usage = await usages(environment);
  return {
    clusters: names.length,
    joinedSeconds,
    installSeconds: installSeconds.toSorted((a, b) => a - b),
    succeeded: clusters.filter(isInstalled).length,
    surplusPlans: clusters.reduce((sum, cluster) => sum + surplusPlans(cluster), 0),
    requests: installed.requests,
    resolve: await solvesOf(environment),
    applyJobs: installed.jobs - jobsBefore,
    idle,
    processes: [...usage.keys()].map((name) => ({
      name,
      afterJoin: afterJoin.get(name),
      afterInstall: afterInstall.get(name),
      usage: usage.get(name),
    })),
  };
}

async function install(environment: FleetEnvironment, clusters: readonly SimulatedCluster[]): Promise<number[]> {
  const elapsed = stopwatch();
  await Promise.all(environment.clients.map((client) => subscribeIn(client, environment.registryHost)));
  const pending = new Set(clusters);
  const seconds: number[] = [];
  await until(async () => {
    for (const cluster of [...pending].filter(isInstalled)) {
      pending.delete(cluster);
      seconds.push(elapsed());
    }
    return pending.size === 0;
  });
  return seconds;
}

/** A new start of the poller touches every namespace, as each resync does. */
async function passAgain(
  environment: FleetEnvironment,
  clusters: readonly SimulatedCluster[],
): Promise<FleetMeasures['idle']> {
  for (const { requests } of clusters) requests.clear();
  const before = await applyJobs(environment);
  const elapsed = stopwatch();
  const pollers = environment.services.filter(({ service }) => service === 'catalog-poller');
  await Promise.all(pollers.map((poller) => poller.stop()));
  for (const poller of pollers) poller.start();
  await until(async () => (await applyJobs(environment)) - before >= clusters.length);
  const seconds = elapsed();
  await untilQuiet(environment);
  return { seconds, applyJobs: (await applyJobs(environment)) - before, ...requestsOf(clusters) };
}

const hasServingCatalog = (cluster: SimulatedCluster): boolean =>
  cluster
    .list({ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' })
    .some((source) => JSON.stringify(source['status'] ?? {}).includes('"READY"'));

function requestsOf(clusters: readonly SimulatedCluster[]): Readonly<{ reads: number; writes: number }> {
  const ours = clusters.flatMap(({ requests }) =>
    requests.filter(({ userAgent, verb }) => userAgent !== 'flotilla-bench' && verb !== 'watch'),
  );
  const written = clusters
    .flatMap(({ requests }) => requests.writes())
    .filter(({ userAgent }) => userAgent !== 'flotilla-bench');
  return { reads: ours.length - written.length, writes: written.length };
}

async function solvesOf(environment: FleetEnvironment): Promise<FleetMeasures['resolve']> {
  const solved = (await loggedBy(environment, 'resolver-worker')).filter(({ msg }) => msg === 'problem solved');
  return {
    solves: solved.length,
    distinct: new Set(solved.map(({ problem }) => problem)).size,
    solveMs: solved.reduce((sum, { seconds }) => sum + Number(seconds) * 1_000, 0),
  };
}

const applyJobs = async (environment: FleetEnvironment): Promise<number> =>
  (await loggedBy(environment, 'applier')).filter(({ msg }) => msg === 'namespace reconciled').length;

async function loggedBy(environment: FleetEnvironment, service: string) {
  const lines = await Promise.all(
    environment.services.filter((one) => one.service === service).map((one) => one.logged()),
  );
  return lines.flat();
}

async function usages(environment: FleetEnvironment): Promise<ReadonlyMap<string, Usage | undefined>> {
  const used = environment.services.map(
    async ({ name, pid }) => [name, pid === undefined ? undefined : await usageOf(pid)] as const,
  );
  return new Map([...(await Promise.all(used)), ['simulated clusters (this process)', await usageOf(process.pid)]]);
}

/** Until no service asked any cluster for anything for a while. */
async function untilQuiet(environment: FleetEnvironment): Promise<void> {
  let before = -1;
  await until(async () => {
    const now = await applyJobs(environment);
    const quiet = now === before;
    before = now;
    return quiet;
  }, QUIET_MS);
}

async function until(reached: () => Promise<boolean>, everyMs = 100): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await reached()) && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, everyMs));
}

function stopwatch(): () => number {
  const start = performance.now();
  return () => (performance.now() - start) / 1_000;
}
