import type { Environment } from '#platform/config/setting';
import { cacheFolder, findBinaries } from './binaries.js';
import { buildBinaries } from './build-binaries.js';
import {
  type ApiServerArguments,
  type ControlPlane,
  ControlPlaneNotFound,
  type ControlPlaneOptions,
} from './control-plane.js';
import { useExistingClusters } from './existing-clusters.js';
import { startK3s, whyNoDocker } from './k3s-containers.js';
import { startLocalControlPlane } from './local-control-plane.js';

export type { ControlPlane, ControlPlaneCluster, ControlPlaneOptions, EtcdData } from './control-plane.js';

type Search = Readonly<{
  environment: Environment;
  clusters: number;
  apiServerArguments: ApiServerArguments;
  /** Only processes that we start ourselves will do. */
  own: boolean;
  log: (line: string) => void;
}>;

/** A way to a control plane: the control plane, or one line saying why this way is closed here. */
type Way = (search: Search) => Promise<ControlPlane | string>;

const named: Way = async ({ environment, clusters, own }) => {
  const list = environment['FLOTILLA_TEST_KUBECONFIG'];
  if (!list) return 'FLOTILLA_TEST_KUBECONFIG is not set';
  if (own) return 'FLOTILLA_TEST_KUBECONFIG: these tests need an API server of their own';
  // A user names clusters to use only those: there is no silent fall-back to others.
  return useExistingClusters(list, clusters);
};

const fromBinaries: Way = async ({ environment, clusters, apiServerArguments }) => {
  const binaries = findBinaries(environment);
  if (!('missing' in binaries)) return startLocalControlPlane(binaries, clusters, apiServerArguments);
  const places = `KUBEBUILDER_ASSETS (${environment['KUBEBUILDER_ASSETS'] ?? 'not set'}), PATH and ${cacheFolder(environment)}`;
  return `${binaries.missing.join(', ')}: in none of ${places}`;
};

const inDocker: Way = async ({ environment, clusters, own }) => {
  const closed = whyNoDocker(environment);
  if (closed !== undefined) return closed;
  if (own) return 'K3s: these tests need an API server of their own';
  try {
    return await startK3s(clusters);
  } catch (error) {
    return `K3s in Docker: ${(error instanceof Error ? error.message : String(error)).split('\n')[0]}`;
  }
};

const built: Way = async (search) => {
  const failed = await buildBinaries(cacheFolder(search.environment), search.environment, search.log);
  return failed ?? fromBinaries(search);
};

/**
 * Real Kubernetes for tests: FLOTILLA_TEST_KUBECONFIG, else binaries that are there, else K3s in Docker,
 * else binaries built with Go.
 * @throws ControlPlaneNotFound naming every way and why it is closed
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const say = options.log ?? ((line) => process.stderr.write(`${line}\n`));
  const search: Search = {
    environment: options.environment ?? process.env,
    clusters: options.clusters ?? 1,
    apiServerArguments: options.apiServerArguments ?? [],
    own: options.ownProcesses === true || (options.apiServerArguments ?? []).length > 0,
    log: (line) => say(`control plane: ${line}`),
  };
  const closed: string[] = [];
  for (const way of [named, fromBinaries, inDocker, built]) {
    const answer = await way(search);
    if (typeof answer !== 'string') {
      search.log(`${answer.describe}: ${answer.clusters.map(({ name }) => name).join(', ')}`);
      return answer;
    }
    closed.push(answer);
    search.log(answer);
  }
  throw new ControlPlaneNotFound(closed);
}
