import type { ApiObject } from '../objects/api-object.js';
import type { JsonObject } from '../objects/json.js';
import { ObjectStorage } from '../objects/storage.js';
import { ResourceRegistry } from '../resources/resource-registry.js';

export type ClusterSettings = Readonly<{
  version: string;
  deploymentReadyAfterMs: number;
  /** The authority's certificate, as every namespace's kube-root-ca.crt shows it. */
  authorityPem: string;
  /** The number of past changes of each resource that a watch can start from. Default: 256. */
  keptChanges?: number | undefined;
}>;

/** State that the handlers and controllers of one simulated cluster share. */
export class ClusterState {
  readonly storage: ObjectStorage;
  readonly resources = new ResourceRegistry();
  /** Users by the bearer tokens that TokenRequest issued. */
  readonly issuedTokens = new Map<string, Readonly<{ user: string; until: number }>>();
  /** The clock of the API server, which ends tokens. */
  now: () => Date = () => new Date();
  /** Discovery answers from the backends of aggregated APIs, by the path of their discovery. */
  readonly aggregatedApis = new Map<string, JsonObject>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #nextClusterIp = 10;
  constructor(
    readonly name: string,
    readonly settings: ClusterSettings,
  ) {
    this.storage = new ObjectStorage(settings.keptChanges);
  }

  /** Returns the user of a token that was issued and has not ended. */
  userOf(token: string): string | undefined {
    const issued = this.issuedTokens.get(token);
    return issued !== undefined && issued.until > this.now().getTime() ? issued.user : undefined;
  }

  namespace(name: string): ApiObject | undefined {
    return this.storage.get('namespaces', `/${name}`);
  }

  /** Runs a controller's step after a pause, unless the cluster has stopped by then. */
  after(ms: number, step: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      step();
    }, ms);
    this.#timers.add(timer);
  }

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  allocateClusterIp(): string {
    this.#nextClusterIp += 1;
    return `10.96.${(this.#nextClusterIp >> 8) & 255}.${this.#nextClusterIp & 255}`;
  }
}

/** Kubernetes keeps times to the second. */
export const timestamp = (): string => `${new Date().toISOString().slice(0, 19)}Z`;
