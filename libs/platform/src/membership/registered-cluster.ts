import { identityRefusal } from '#core/cluster/membership/cluster-identity';
import type { IdentityMember } from '#core/cluster/membership/identity-claims';
import type { MemberEntry } from '#core/cluster/membership/membership-changes';
import { KIND } from '#core/kernel/api/kinds';
import { canonicalHash, canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import type { ReadBudget } from '../kube/limits/read-budget.js';
import { proxyAddress } from '../outbound/route.js';
import { RenewableClient } from './renewable-client.js';

/** A client of one access, for the services that write as `fieldManager`. */
type MakeClient = (
  options: Readonly<{ access: ClusterAccess; cluster: string; fieldManager: string; budget: ReadBudget }>,
) => KubeClient;

export type RegisteredClusterOptions = Readonly<{
  cluster: string;
  access: ClusterAccess;
  fieldManagers: readonly string[];
  makeBudget: (cluster: string) => ReadBudget;
  makeClient: MakeClient;
}>;

/** `accepted`: the wanted access is in use, `renewed` in place of another one; else why it is not. */
type Verification = Readonly<{ accepted: true; renewed: boolean } | { accepted: false; refusal: string }>;

const KUBE_SYSTEM = { ...KIND.Namespace, name: 'kube-system' };

/** One cluster of the kubeconfigs, with a client for each service and its identity, as far as known. */
export class RegisteredCluster {
  readonly cluster: string;
  readonly clients: ReadonlyMap<string, RenewableClient>;
  /** True if the services work with it. */
  takesPart = false;
  paused: boolean;
  readonly observed: boolean;
  /** The reason why its newest access is not used: it leads elsewhere, or the cluster did not answer. */
  refusal: string | undefined;
  unreached: string | undefined;
  /** The UID of the other cluster that its newest access leads to. */
  replacedBy: string | undefined;
  /** The access of the kubeconfig, and the one in use. */
  #wanted: ClusterAccess;
  #inUse: ClusterAccess;
  #isVerified = false;
  #isClosed = false;
  #identity: string | undefined;

  constructor(private readonly options: RegisteredClusterOptions) {
    const { cluster, access, fieldManagers, makeBudget, makeClient } = options;
    this.cluster = cluster;
    this.#wanted = access;
    this.#inUse = access;
    this.paused = access.paused === true;
    this.observed = access.observed === true;
    this.clients = new Map(
      fieldManagers.map((fieldManager) => {
        const budget = makeBudget(cluster);
        return [fieldManager, new RenewableClient(makeClient({ access, cluster, fieldManager, budget }))];
      }),
    );
  }

  get file(): string {
    return this.#wanted.file;
  }

  /** The identity. Undefined if it is not known, or may not be read. */
  get identity(): string | undefined {
    return this.#identity;
  }

  /** The access that the clients have. */
  get access(): ClusterAccess {
    return this.#inUse;
  }

  /** True if the cluster has reported its identity. */
  get isVerified(): boolean {
    return this.#isVerified;
  }

  /** True if the access of the kubeconfig is in use, and nothing is left to be asked. */
  get isCurrent(): boolean {
    return this.#isVerified && accessDigest(this.#inUse) === accessDigest(this.#wanted);
  }

  /** Returns the facts that settle which of several clusters has an identity. */
  member(): IdentityMember {
    const { cluster, file, identity, isVerified } = this;
    const { identity: stated, accepted, cluster: inUse } = this.#wanted;
    const server = addressOf(inUse);
    const certificates = inUse['certificate-authority-data'] ?? inUse['certificate-authority'] ?? '';
    const authority = certificates === '' ? '' : canonicalHash([certificates]).slice(0, 16);
    return { cluster, file, isVerified, identity, stated, accepted, server, authority };
  }

  /** True if this can be the cluster's identity, as far as the kubeconfig says. */
  isExpected(identity: string | undefined): boolean {
    const { identity: expected } = this.#wanted;
    return expected === undefined || identity === undefined || expected === identity;
  }

  /** The kubeconfig has another access. It is used once {@link verify} accepts it. */
  want(access: ClusterAccess): void {
    this.#wanted = access;
    this.refusal = undefined;
    this.unreached = undefined;
    this.replacedBy = undefined;
  }

  /**
   * Asks the cluster for its identity, with the access of the kubeconfig. Takes that access up if the
   * identity is the same. Rejects if the cluster does not answer. Returns undefined if the kubeconfig has
   * changed meanwhile.
   */
  async verify(): Promise<Verification | undefined> {
    const access = this.#wanted;
    const isNew = this.#isVerified || accessDigest(this.#inUse) !== accessDigest(access);
    const candidates = isNew ? this.#candidates(access) : this.clients;
    let accepted = false;
    try {
      const found = await identityBehind(candidates);
      if (this.#isClosed || access !== this.#wanted) return undefined;
      const refusal = this.#refusal(access, found);
      this.replacedBy = refusal === undefined ? undefined : found;
      if (refusal !== undefined) return { accepted: false, refusal };
      accepted = true;
      const renewed = this.#isVerified;
      this.#identity ??= found;
      this.#inUse = access;
      this.#isVerified = true;
      if (isNew) for (const [service, client] of candidates) void this.clients.get(service)?.renew(client);
      return { accepted: true, renewed };
    } finally {
      if (isNew && !accepted) await Promise.all([...candidates.values()].map((client) => client.close()));
    }
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.clients.values()].map((client) => client.close()));
    for (const { budget } of this.clients.values()) budget.close();
  }

  #refusal(access: ClusterAccess, found: string | undefined): string | undefined {
    const { cluster } = this;
    const { file, identity } = access;
    const sameServer = !this.#isVerified || isSameServer(this.#inUse, access);
    return identityRefusal({ cluster, file, expected: this.#identity ?? identity, found, sameServer });
  }

  #candidates(access: ClusterAccess): ReadonlyMap<string, KubeClient> {
    const { cluster, options } = this;
    return new Map(
      [...this.clients].map(([fieldManager, { budget }]) => [
        fieldManager,
        options.makeClient({ access, cluster, fieldManager, budget }),
      ]),
    );
  }
}

async function identityBehind(clients: ReadonlyMap<string, KubeClient>): Promise<string | undefined> {
  const [client] = clients.values();
  try {
    return (await client?.get(KUBE_SYSTEM))?.metadata.uid;
  } catch (error) {
    if (KubeApiError.is(error, 'Forbidden')) return undefined;
    throw error;
  }
}

/** Clusters behind NAT have equal addresses: the tunnel to each is part of its own. */
function addressOf({ server, 'proxy-url': proxy }: ClusterAccess['cluster']): string {
  // The URL may have a password.
  return proxy ? `${server} through ${proxyAddress(proxy)?.host ?? ''}` : server;
}

const isSameServer = (a: ClusterAccess, b: ClusterAccess): boolean =>
  canonicalJson(a.cluster) === canonicalJson(b.cluster);

const accessDigest = ({ cluster, user }: ClusterAccess): string => canonicalHash([cluster, user]);

/** Returns the parts of an access that are compared from one reading to the next. */
export const memberEntry = (cluster: string, access: ClusterAccess): MemberEntry => ({
  cluster,
  access: accessDigest(access),
  terms: canonicalHash([
    access.globalCatalogNamespace ?? '',
    ...(access.observed === true ? ['observed'] : []),
    ...(access.accepted === undefined ? [] : ['accepted', access.accepted]),
  ]),
  paused: access.paused === true,
});
