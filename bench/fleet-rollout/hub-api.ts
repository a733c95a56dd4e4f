import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { SimulatedCluster } from '#testing/cluster/simulated-cluster';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { pause } from '#testing/patience';

export const HUB = 'hub';
const PLATFORM = 'platform';
const WRITES = new Set(['create', 'update', 'patch', 'delete']);
const NO_NAMESPACE = new Set(['FleetCluster', 'FleetAssignment']);

export type RolloutStatus = Readonly<{
  phase?: string;
  reason?: string;
  startedAt?: string;
  finishedAt?: string;
  counts?: Readonly<Record<string, number>>;
}>;

/** A simulated hub API with the fleet's kinds, in this process; counts its writes by author. */
export class BenchHubApi {
  readonly writes = new Map<string, number>();

  private constructor(
    readonly cluster: SimulatedCluster,
    readonly kubeconfig: string,
    readonly stop: () => Promise<void>,
  ) {
    cluster.lossOf = ({ verb, resource = '', subresource = '', userAgent = '' }) => {
      cluster.requests.clear();
      if (WRITES.has(verb)) this.#count(`${userAgent}: ${verb} ${resource} ${subresource}`.trim());
      return undefined;
    };
  }

  static async start(): Promise<BenchHubApi> {
    const fleet = await startSimulatedFleet({ clusters: [HUB], bookmarkEveryMs: 60_000, keptChanges: 20_000 });
    const hub = new BenchHubApi(fleet.cluster(HUB), fleet.kubeconfig(), () => fleet.stop());
    const folder = join(PROJECT_ROOT, 'k8s/crds/fleet');
    const files = (await readdir(folder)).filter((name) => name.startsWith('fleet')).sort();
    for (const file of files)
      hub.cluster.create(KubernetesObject.parse(load(await readFile(join(folder, file), 'utf8'))));
    hub.cluster.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PLATFORM } });
    while (!hub.#isServed()) await pause(50);
    return hub;
  }

  apply(kind: string, name: string, spec: object): void {
    const metadata = { name, ...(NO_NAMESPACE.has(kind) ? {} : { namespace: PLATFORM }) };
    this.cluster.create({ apiVersion: FLEET_API, kind, metadata, spec } as KubernetesObject);
  }

  rollout(name: string): RolloutStatus {
    const found = this.cluster.get({ apiVersion: FLEET_API, kind: 'FleetRollout', name, namespace: PLATFORM });
    return (found?.['status'] ?? {}) as RolloutStatus;
  }

  /** How many clusters answer, by the reports of the pollers. */
  reachable(): number {
    const clusters = this.cluster.list({ apiVersion: FLEET_API, kind: 'FleetCluster' });
    return clusters.filter(({ status }) => JSON.stringify(status ?? {}).includes('"Answering"')).length;
  }

  /** Writes but those of the Lease. */
  get written(): number {
    return [...this.writes].reduce((sum, [what, count]) => (what.includes('leases') ? sum : sum + count), 0);
  }

  #count(what: string): void {
    this.writes.set(what, (this.writes.get(what) ?? 0) + 1);
  }

  #isServed(): boolean {
    try {
      for (const kind of ['FleetAssignment', 'FleetRollout', 'FleetCluster', 'FleetOperator']) {
        this.cluster.list({ apiVersion: FLEET_API, kind });
      }
      return true;
    } catch {
      return false;
    }
  }
}
