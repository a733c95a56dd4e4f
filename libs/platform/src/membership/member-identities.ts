import { CLAIM_KEPT_MS, type IdentityClaim, settleIdentities } from '#core/cluster/membership/identity-claims';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import type { IdentityClaims } from './identity-claims.port.js';
import type { RegisteredCluster } from './registered-cluster.js';
import type { IdentityDispute } from './service-clusters.port.js';

type MemberIdentitiesOptions = Readonly<{
  claims: IdentityClaims;
  clock: Clock;
  log: Log;
  /** Called if another process has claimed an identity first. */
  onNews: () => void;
}>;

const NONE: ReadonlyMap<string, string> = new Map();

/** Decides between clusters with one identity: one takes part. */
export class MemberIdentities {
  /** The reasons why clusters are refused. */
  refusals = NONE;
  /** Name of another one that claims to be a cluster. */
  disputes = NONE;
  readonly #claims = new Map<string, IdentityClaim>();
  readonly #learnt = new WeakSet<RegisteredCluster>();
  /** Clusters of claims that are in no kubeconfig, since when. */
  readonly #missing = new Map<string, number>();

  constructor(private readonly options: MemberIdentitiesOptions) {}

  /** Reads the claim on the identity of a cluster that has answered. */
  async learn(member: RegisteredCluster): Promise<void> {
    const { identity } = member;
    try {
      const claim = identity === undefined ? undefined : await this.options.claims.read(identity);
      if (identity !== undefined && claim !== undefined) this.#claims.set(identity, claim);
    } catch (error) {
      this.options.log.debug({ error }, 'could not read claims of identities');
    }
    this.#learnt.add(member);
  }

  /** True if the cluster has answered, and no other one has its identity. */
  mayTakePart(member: RegisteredCluster): boolean {
    return member.isVerified && this.#learnt.has(member) && !this.refusals.has(member.cluster);
  }

  disputeOf(cluster: string): IdentityDispute | undefined {
    const refused = this.refusals.get(cluster);
    const message = refused ?? this.disputes.get(cluster);
    return message === undefined ? undefined : { isRefused: refused !== undefined, message };
  }

  /** Lines about clusters that give one identity, by the cluster. */
  troubles(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.refusals, ...this.disputes]);
  }

  settle(members: readonly RegisteredCluster[]): void {
    this.#noteMissing(new Set(members.map(({ cluster }) => cluster)));
    const now = this.#now();
    const hasLeft = (cluster: string) => now - (this.#missing.get(cluster) ?? now) >= CLAIM_KEPT_MS;
    const verdict = settleIdentities(
      members.map((one) => one.member()),
      this.#claims,
      hasLeft,
    );
    this.refusals = verdict.refusals;
    this.disputes = verdict.disputes;
    for (const [uid, claim] of verdict.changes) {
      const before = this.#claims.get(uid);
      this.#claims.set(uid, claim);
      void this.#keep(uid, claim, before);
    }
  }

  async #keep(uid: string, claim: IdentityClaim, before: IdentityClaim | undefined): Promise<void> {
    const { claims, log, onNews } = this.options;
    try {
      const kept = await claims.keep(uid, claim, before);
      if (kept.cluster === claim.cluster || this.#claims.get(uid) !== claim) return;
      this.#claims.set(uid, kept);
      onNews();
    } catch (error) {
      log.debug({ error, cluster: claim.cluster }, 'could not keep the claim of an identity');
    }
  }

  #noteMissing(names: ReadonlySet<string>): void {
    for (const { cluster } of this.#claims.values()) {
      if (names.has(cluster)) this.#missing.delete(cluster);
      else if (!this.#missing.has(cluster)) this.#missing.set(cluster, this.#now());
    }
  }

  #now(): number {
    return this.options.clock.now().getTime();
  }
}
