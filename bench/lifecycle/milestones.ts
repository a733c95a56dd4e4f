import { CSV_API } from '#core/kernel/api/cluster-service-version';
import { INSTALL_PLAN_API } from '#core/kernel/api/install-plan';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { SystemClock } from '#platform/clock/system-clock';
import { WatchCache } from '#platform/kube/cache/watch-cache';
import type { KindRef, KubeClient } from '#platform/kube/client/kube-client.port';

const OLM = 'operators.coreos.com/v1alpha1';
const SUBSCRIPTION: KindRef = { apiVersion: OLM, kind: 'Subscription' };
const CATALOG_SOURCE: KindRef = { apiVersion: OLM, kind: 'CatalogSource' };

/** Milestones that people wait for, in the order of time. */
export const MILESTONES = [
  'catalog READY',
  'InstallPlan created',
  'CSV Succeeded',
  'InstallPlan Complete',
  'Subscription AtLatestKnown',
] as const;
/** A journey ends with all of these. */
const GOALS = MILESTONES.slice(2);
export type Milestone = (typeof MILESTONES)[number];

type Status = Readonly<Record<string, unknown>>;

/** When each milestone of one namespace was seen, by `performance.now()`. */
export type Journey = Readonly<{ seen: ReadonlyMap<Milestone, number>; done: Promise<void> }>;

type Journeying = Readonly<{
  namespace: string;
  csv: string;
  /** Plans that were there before. */
  oldPlans: ReadonlySet<string>;
  /** The address of the catalog's content before. */
  oldAddress: string;
  seen: Map<Milestone, number>;
  end: () => void;
}>;

/** Sees by watches, as a client of the cluster would, how far installs and upgrades have come. */
export class Milestones {
  readonly #cache: WatchCache;
  readonly #journeys = new Set<Journeying>();

  constructor(client: KubeClient) {
    const kinds = [SUBSCRIPTION, CATALOG_SOURCE, CSV_API, INSTALL_PLAN_API];
    const onChange = (kind: KindRef, object: KubernetesObject | undefined) => {
      if (object !== undefined) this.#note(kind.kind, object);
    };
    this.#cache = new WatchCache({ client, clock: new SystemClock(), kinds, onChange });
  }

  async start(): Promise<void> {
    this.#cache.start();
    await this.#cache.whenSynced();
  }

  stop(): Promise<void> {
    return this.#cache.stop();
  }

  /**
   * Begins a journey before its object is requested; `done` once that version runs and the Subscription says
   * so.
   */
  journey(namespace: string, csv: string): Journey {
    const { promise, resolve } = Promise.withResolvers<void>();
    const plans = this.#cache.list(INSTALL_PLAN_API, namespace).map(({ metadata }) => metadata.name ?? '');
    const [catalog] = this.#cache.list(CATALOG_SOURCE, namespace);
    const seen = new Map<Milestone, number>();
    const journey = {
      namespace,
      csv,
      oldPlans: new Set(plans),
      oldAddress: connectionOf(catalog).address,
      seen,
      end: resolve,
    };
    this.#journeys.add(journey);
    return { seen, done: promise.finally(() => this.#journeys.delete(journey)) };
  }

  #note(kind: string, object: KubernetesObject): void {
    for (const journey of this.#journeys) {
      if (journey.namespace !== object.metadata.namespace) continue;
      for (const milestone of reachedBy(kind, object, journey)) {
        if (!journey.seen.has(milestone)) journey.seen.set(milestone, performance.now());
        if (GOALS.every((goal) => journey.seen.has(goal))) journey.end();
      }
    }
  }
}

function reachedBy(kind: string, object: KubernetesObject, { csv, oldPlans, oldAddress }: Journeying): Milestone[] {
  const status = statusOf(object);
  const name = object.metadata.name ?? '';
  switch (kind) {
    case 'CatalogSource':
      return isServing(object, oldAddress) ? ['catalog READY'] : [];
    case 'InstallPlan':
      if (oldPlans.has(name)) return [];
      return status['phase'] === 'Complete' ? ['InstallPlan created', 'InstallPlan Complete'] : ['InstallPlan created'];
    case 'ClusterServiceVersion':
      return name === csv && status['phase'] === 'Succeeded' ? ['CSV Succeeded'] : [];
    default:
      return status['state'] === 'AtLatestKnown' && status['installedCSV'] === csv
        ? ['Subscription AtLatestKnown']
        : [];
  }
}

const statusOf = (object: KubernetesObject | undefined): Status => recordOf(object?.['status']);

const recordOf = (value: unknown): Status => (typeof value === 'object' && value !== null ? { ...value } : {});
function connectionOf(catalog: KubernetesObject | undefined): Readonly<{ state: string; address: string }> {
  const connection = recordOf(statusOf(catalog)['connectionState']);
  return { state: String(connection['lastObservedState'] ?? ''), address: String(connection['address'] ?? '') };
}

function isServing(catalog: KubernetesObject, oldAddress: string): boolean {
  const { state, address } = connectionOf(catalog);
  return state === 'READY' && address !== oldAddress;
}
