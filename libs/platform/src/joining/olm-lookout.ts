import { type ClusterStanding, clusterStanding } from '#core/fleet/joining/cluster-standing';
import { OLM_DEPLOYMENTS, type OlmSign, signsOfOlm } from '#core/fleet/joining/olm-signs';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { type KindRef, KubeApiError, type KubeClient } from '../kube/kube-client.port.js';

export type OlmLookoutOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  /** Clusters in which Flotilla may act beside OLM; `*`: in all. */
  consentedClusters: readonly string[];
  globalCatalogNamespace: () => Promise<string>;
  /** Milliseconds after which a cluster in which Flotilla acts is looked at again. */
  everyMs: number;
  /** Told when the standing differs from the one before, the first one included. */
  onNews?: (standing: ClusterStanding) => void;
}>;

/** Where Flotilla is waiting for OLM to go it looks more often. */
const WAITING_MS = 60_000;

const DEPLOYMENT: KindRef = { apiVersion: 'apps/v1', kind: 'Deployment' };
/** Kinds that OLM keeps writing to. */
const WRITTEN_BY_OLM: readonly KindRef[] = [
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'CatalogSource' },
  { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription' },
  { apiVersion: 'olm.operatorframework.io/v1', kind: 'ClusterCatalog' },
];

/** Whether OLM itself is at work in a cluster, and so whether Flotilla acts there. Asked anew from time to time only. */
export class OlmLookout {
  #known: Readonly<{ standing: Promise<ClusterStanding>; until: number }> | undefined;
  #told: string | undefined;
  #latest: ClusterStanding | undefined;

  constructor(private readonly options: OlmLookoutOptions) {}

  /** What was found last, without a look; undefined before the first one. */
  get latest(): ClusterStanding | undefined {
    return this.#latest;
  }

  /** Milliseconds after which another look is due. */
  get againAfterMs(): number {
    const { everyMs } = this.options;
    return this.#latest?.acts === false ? Math.min(everyMs, WAITING_MS) : everyMs;
  }

  /** Rejects where the cluster does not answer. */
  async standing(): Promise<ClusterStanding> {
    const now = this.options.clock.now().getTime();
    if (this.#known !== undefined && now < this.#known.until) return this.#known.standing;
    const standing = this.#look();
    this.#known = { standing, until: Number.POSITIVE_INFINITY };
    try {
      const found = await standing;
      this.#latest = found;
      this.#known = { standing, until: this.options.clock.now().getTime() + this.againAfterMs };
      this.#tell(found);
      return found;
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  async #look(): Promise<ClusterStanding> {
    const { client, consentedClusters } = this.options;
    const globalCatalogNamespace = await this.options.globalCatalogNamespace();
    const facts = { cluster: client.cluster, globalCatalogNamespace, consentedClusters };
    const found = await this.#signs();
    const standing = clusterStanding({ ...facts, ...found });
    if (standing.acts) return standing;
    const { annotations } = (await this.#namespace(globalCatalogNamespace))?.metadata ?? {};
    return clusterStanding({ ...facts, ...found, annotations });
  }

  async #signs(): Promise<Readonly<{ signs: readonly OlmSign[]; unseen?: string }>> {
    try {
      const [deployments, ...objects] = await Promise.all([
        this.#deployments(),
        ...WRITTEN_BY_OLM.map((kind) => this.#list(kind)),
      ]);
      return { signs: signsOfOlm(deployments, objects.flat(), this.options.clock.now()) };
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return { signs: [], unseen: error.message };
    }
  }

  /** In whatever namespace: each of them is asked for by its name, so that large clusters send few. */
  async #deployments(): Promise<readonly KubernetesObject[]> {
    const { client } = this.options;
    const lists = OLM_DEPLOYMENTS.map((name) => client.list(DEPLOYMENT, { fieldSelector: `metadata.name=${name}` }));
    return (await Promise.all(lists)).flatMap((list) => list?.items ?? []);
  }

  /** Lists leave apiVersion and kind out of their items. */
  async #list(kind: KindRef): Promise<readonly KubernetesObject[]> {
    const found = await this.options.client.list(kind);
    return (found?.items ?? []).map((item) => ({ ...item, ...kind }));
  }

  async #namespace(name: string): Promise<KubernetesObject | undefined> {
    try {
      return await this.options.client.get({ apiVersion: 'v1', kind: 'Namespace', name });
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return undefined;
    }
  }

  #tell(standing: ClusterStanding): void {
    const text = standing.acts ? 'acts' : standing.because;
    if (text === this.#told) return;
    this.#told = text;
    this.options.onNews?.(standing);
  }
}
