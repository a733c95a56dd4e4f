import { type ManagementStatus, managementStatus } from '#core/cluster/joining/management-status';
import { OLM_DEPLOYMENTS, type OlmSign, signsOfOlm } from '#core/cluster/joining/olm-signs';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Clock } from '../clock/clock.port.js';
import { type KindRef, KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';

type OlmDetectorOptions = Readonly<{
  client: KubeClient;
  clock: Clock;
  /** Clusters that Flotilla may act in next to OLM; `*`: all. */
  consentedClusters: readonly string[];
  globalCatalogNamespace: () => Promise<string>;
  /** Milliseconds between two checks of a cluster if Flotilla acts there. */
  everyMs: number;
  /** Options for commands to reach the cluster. Default: its context. */
  access?: string | undefined;
  /**
   * Milliseconds between two full checks. If the last one found nothing of OLM, the checks in between search
   * only for the Deployments that each OLM has: a fleet at rest costs few requests. Without this option every
   * check is full.
   */
  fullEveryMs?: number;
  /** Called when the status differs from the one before, and for the first one. */
  onNews?: (status: ManagementStatus) => void;
}>;

/** While Flotilla waits for OLM to be removed it checks more often. */
const WAITING_MS = 60_000;

/** One Deployment of OLM Classic, and one of OLM v1. */
const MAIN_DEPLOYMENTS: readonly string[] = ['olm-operator', 'operator-controller-controller-manager'];

/** Kinds that OLM keeps writing to. */
const WRITTEN_BY_OLM: readonly KindRef[] = [KIND.CatalogSource, KIND.Subscription, KIND.ClusterCatalog];

/** Finds out if OLM itself runs in a cluster, and so if Flotilla acts there. Asks only from time to time. */
export class OlmDetector {
  #known: Readonly<{ status: Promise<ManagementStatus>; until: number }> | undefined;
  #reported: string | undefined;
  #latest: ManagementStatus | undefined;
  /** Until this time a check of the main Deployments is enough. */
  #bareUntilMs = 0;

  constructor(private readonly options: OlmDetectorOptions) {}

  /** The result of the last check; undefined before the first one. Starts no check. */
  get latest(): ManagementStatus | undefined {
    return this.#latest;
  }

  /** Milliseconds until the next check is due. */
  get againAfterMs(): number {
    const { everyMs } = this.options;
    return this.#latest?.acts === false ? Math.min(everyMs, WAITING_MS) : everyMs;
  }

  /** Returns the management status. Rejects if the cluster does not answer. */
  async status(): Promise<ManagementStatus> {
    const now = this.#nowMs;
    if (this.#known !== undefined && now < this.#known.until) return this.#known.status;
    const status = this.#check();
    this.#known = { status, until: Number.POSITIVE_INFINITY };
    try {
      const found = await status;
      this.#latest = found;
      this.#known = { status, until: this.#nowMs + this.againAfterMs };
      this.#report(found);
      return found;
    } catch (error) {
      this.#known = undefined;
      throw error;
    }
  }

  async #check(): Promise<ManagementStatus> {
    const { client, consentedClusters, access } = this.options;
    const globalCatalogNamespace = await this.options.globalCatalogNamespace();
    const facts = { cluster: client.cluster, globalCatalogNamespace, consentedClusters, access };
    if (await this.#isStillBare()) return managementStatus({ ...facts, signs: [] });
    const found = await this.#signs();
    const isBare = found.signs.length === 0 && found.unseen === undefined;
    this.#bareUntilMs = isBare ? this.#nowMs + (this.options.fullEveryMs ?? 0) : 0;
    const status = managementStatus({ ...facts, ...found });
    if (status.acts) return status;
    const { annotations } = (await this.#namespace(globalCatalogNamespace))?.metadata ?? {};
    return managementStatus({ ...facts, ...found, annotations });
  }

  async #isStillBare(): Promise<boolean> {
    if (this.#nowMs >= this.#bareUntilMs) return false;
    try {
      return (await this.#deployments(MAIN_DEPLOYMENTS)).length === 0;
    } catch (error) {
      // The full check reports the missing right.
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return false;
    }
  }

  get #nowMs(): number {
    return this.options.clock.now().getTime();
  }

  async #signs(): Promise<Readonly<{ signs: readonly OlmSign[]; unseen?: string }>> {
    try {
      const [deployments, ...objects] = await Promise.all([
        this.#deployments(OLM_DEPLOYMENTS),
        ...WRITTEN_BY_OLM.map((kind) => this.#list(kind)),
      ]);
      return { signs: signsOfOlm(deployments, objects.flat(), this.options.clock.now()) };
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return { signs: [], unseen: error.message };
    }
  }

  /** Finds Deployments in all namespaces, each by its name, so that large clusters send few. */
  async #deployments(names: readonly string[]): Promise<readonly KubernetesObject[]> {
    const { client } = this.options;
    const lists = names.map((name) => client.list(KIND.Deployment, { fieldSelector: `metadata.name=${name}` }));
    return (await Promise.all(lists)).flatMap((list) => list?.items ?? []);
  }

  /** Lists leave apiVersion and kind out of their items. */
  async #list(kind: KindRef): Promise<readonly KubernetesObject[]> {
    const found = await this.options.client.list(kind);
    return (found?.items ?? []).map((item) => ({ ...item, ...kind }));
  }

  async #namespace(name: string): Promise<KubernetesObject | undefined> {
    try {
      return await this.options.client.get({ ...KIND.Namespace, name });
    } catch (error) {
      if (!KubeApiError.is(error, 'Forbidden')) throw error;
      return undefined;
    }
  }

  #report(status: ManagementStatus): void {
    const text = status.acts ? 'acts' : status.because;
    if (text === this.#reported) return;
    this.#reported = text;
    this.options.onNews?.(status);
  }
}
