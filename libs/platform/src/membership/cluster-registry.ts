import type { KnownLogin } from '#core/cluster/advice/command-in';
import { knownLogins } from '#core/cluster/advice/known-logins';
import { type HeldReading, isLabelValue } from '#core/cluster/membership/kubeconfig-readings';
import {
  type MemberEntry,
  type MembershipChange,
  membershipChanges,
} from '#core/cluster/membership/membership-changes';
import type { Clock } from '../clock/clock.port.js';
import { Timers } from '../clock/timers.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';
import { troubleOf } from '../kube/errors/api-server-trouble.js';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { Log } from '../telemetry/log.port.js';
import { type IdentityClaims, memoryClaims } from './identity-claims.port.js';
import { JoinPace } from './join-pace.js';
import type { ClusterSource } from './kubeconfig-source.js';
import { MemberIdentities } from './member-identities.js';
import { membershipHealth } from './membership-health.js';
import { memberEntry, RegisteredCluster, type RegisteredClusterOptions } from './registered-cluster.js';
import type { ClusterChange, ClusterListener, ServiceClusters } from './service-clusters.port.js';

type ClusterRegistryOptions = Pick<RegisteredClusterOptions, 'fieldManagers' | 'makeBudget' | 'makeClient'> &
  Readonly<{
    source: ClusterSource;
    clock: Clock;
    log: Log;
    /** Evenly from 0 up to 1: spreads the connections of a fleet over time. */
    random: () => number;
    /** Claims of clusters to identities. Default: remembered by the process. */
    claims?: IdentityClaims | undefined;
    /** The files that kubectl reads by itself, if people run commands on this machine. */
    kubectlFiles?: readonly string[] | undefined;
  }>;

/** How often the kubeconfigs are checked. A change counts at the second check that finds it. */
const POLL_MS = 1_000;
/** An access that leads to another cluster is tried again after so long: the cluster may be back. */
const REFUSED_MS = 60_000;

const LABEL_NOTE =
  'the name of the cluster cannot be a label value, so selectors cannot choose it: rename it with "flotilla clusters add --name"';
/** A listener. `fieldManager`: the service that its clients write as. */
type Subscription = Readonly<{ fieldManager: string; listener: ClusterListener }>;
/** A cluster in the registry. `attempts` counts questions for its identity: only the newest counts. */
type Registered = { readonly member: RegisteredCluster; readonly timers: Timers; attempts: number };

/**
 * The clusters that a process works with, from its start to its end: those of the kubeconfigs, once each has
 * reported its identity. Services subscribe to clusters that join, change and leave.
 */
export class ClusterRegistry {
  readonly #members = new Map<string, Registered>();
  readonly #leaving = new Map<string, Promise<void>>();
  /** Names of clusters that took part once and are in no kubeconfig now. */
  readonly #left = new Set<string>();
  readonly #subscriptions = new Set<Subscription>();
  readonly #onGone: ((cluster: string) => void)[] = [];
  readonly #timers: Timers;
  readonly #pace: JoinPace;
  #reading: HeldReading<ClusterAccess> = { members: [], problems: [] };
  #logins: ReadonlyMap<string, KnownLogin> = new Map();
  #entries: readonly MemberEntry[] = [];
  readonly #identities: MemberIdentities;
  #reported: ReadonlySet<string> = new Set();

  private constructor(private readonly options: ClusterRegistryOptions) {
    this.#timers = new Timers(options.clock);
    this.#pace = new JoinPace(options.random);
    const { claims = memoryClaims(), clock, log } = options;
    this.#identities = new MemberIdentities({ claims, clock, log, onNews: () => this.#settle() });
  }

  /** Reads the kubeconfigs. No cluster is asked before {@link start}. Fails if no kubeconfig can be found. */
  static async open(options: ClusterRegistryOptions): Promise<ClusterRegistry> {
    const registry = new ClusterRegistry(options);
    registry.#take(await options.source.read());
    return registry;
  }

  /** Reports the kubeconfigs and contexts that are not used in their current form, with the reasons. */
  readonly check: HealthCheck = {
    name: 'membership',
    check: async () => {
      const members = [...this.#members.values()].map(({ member }) => member);
      const taking = members.filter(({ takesPart }) => takesPart).length;
      const paused = members.filter((member) => member.paused).map(({ cluster }) => cluster);
      const observed = members.filter((member) => member.observed).map(({ cluster }) => cluster);
      const troubles = this.#identities.troubles();
      return membershipHealth({
        known: members.length,
        taking,
        paused,
        observed,
        problems: this.#problems(),
        troubles,
      });
    },
  };

  start(): void {
    this.options.source.start?.();
    for (const registered of this.#members.values()) this.#verifyIn(this.#pace.turn(this.#members.size), registered);
    this.#timers.repeat(POLL_MS, async () => {
      await this.#poll();
      return POLL_MS;
    });
    this.#timers.every(REFUSED_MS, () => this.#settle());
  }

  /** Reads no kubeconfig any more. The clusters stay as they are until {@link close}. */
  stop(): void {
    this.#timers.stop();
    for (const { timers } of this.#members.values()) timers.stop();
  }

  async close(): Promise<void> {
    this.stop();
    await this.options.source.stop?.();
    await Promise.all([...this.#members.values()].map(({ member }) => member.close()));
    await Promise.all(this.#leaving.values());
  }

  /** The clusters as one service sees them: it writes as `fieldManager`. */
  of(fieldManager: string): ServiceClusters {
    const clientOf = ({ clients }: RegisteredCluster) => clients.get(fieldManager);
    return {
      known: () => this.#known(),
      knows: (cluster) => this.#knows(cluster),
      clients: () => this.#taking().flatMap((member) => clientOf(member) ?? []),
      client: (cluster) => {
        const member = this.#members.get(cluster)?.member;
        return member?.takesPart ? clientOf(member) : undefined;
      },
      hasLeft: (cluster) => this.#hasLeft(cluster),
      isPaused: (cluster) => this.#members.get(cluster)?.member.paused ?? false,
      isObserved: (cluster) => this.#members.get(cluster)?.member.observed ?? false,
      problemOf: (cluster) => {
        const member = this.#members.get(cluster)?.member;
        return member?.takesPart ? undefined : (member?.refusal ?? member?.unreached);
      },
      disputeOf: (cluster) => this.#identities.disputeOf(cluster),
      replacedBy: (cluster) => this.#members.get(cluster)?.member.replacedBy,
      knownLogin: (cluster) => this.#logins.get(cluster),
      labelsOf: (cluster) => this.options.source.labelsOf?.(cluster) ?? {},
      subscribe: (listener) => {
        const subscription = { fieldManager, listener };
        this.#subscriptions.add(subscription);
        const taking = this.#taking().map(({ cluster }) => ({ kind: 'joined' as const, cluster }));
        void this.#notify(subscription, taking);
        return () => void this.#subscriptions.delete(subscription);
      },
    };
  }

  /** Has the callback called for each cluster that has left, once all services ended their work there. */
  whenGone(callback: (cluster: string) => void): void {
    this.#onGone.push(callback);
  }

  /** All clients of a service, also of clusters that were not asked yet. */
  allClients(fieldManager: string): readonly KubeClient[] {
    return [...this.#members.values()].flatMap(({ member }) => member.clients.get(fieldManager) ?? []);
  }

  /** The accesses that are in use, by cluster, each with a client of the first service. */
  logins(): ReadonlyMap<string, Readonly<{ access: ClusterAccess; client: KubeClient }>> {
    return new Map(
      [...this.#members.values()].flatMap(({ member }) => {
        const [client] = member.clients.values();
        return client === undefined ? [] : [[member.cluster, { access: member.access, client }] as const];
      }),
    );
  }

  /**
   * True if a cluster that has not taken part yet may be prepared: it is the one that the kubeconfig means,
   * and is neither paused nor only observed.
   */
  mayPrepare(cluster: string, identity: string | undefined): boolean {
    const member = this.#members.get(cluster)?.member;
    return member !== undefined && !member.paused && !member.observed && member.isExpected(identity);
  }

  async #poll(): Promise<void> {
    try {
      const reading = await this.options.source.read();
      if (reading !== this.#reading && !this.#timers.stopped) {
        const before = new Set(this.#members.values());
        this.#take(reading);
        const news = [...this.#members.values()].filter((one) => !before.has(one));
        for (const registered of news) this.#verifyIn(this.#pace.turn(news.length), registered);
      }
    } catch (error) {
      this.options.log.error({ error }, 'could not read the kubeconfigs; the clusters do not change');
    }
  }

  #take(reading: HeldReading<ClusterAccess>): void {
    const before = this.#entries;
    this.#reading = reading;
    this.#logins = knownLogins(reading.members, this.options.kubectlFiles);
    this.#entries = reading.members.map(({ cluster, access }) => memberEntry(cluster, access));
    const accesses = new Map(reading.members.map(({ cluster, access }) => [cluster, access]));
    for (const change of membershipChanges(before, this.#entries)) {
      const access = accesses.get(change.cluster);
      if (change.kind === 'left') this.#remove(change.cluster);
      else if (access !== undefined && change.kind === 'joined') this.#add(change.cluster, access);
      else if (access !== undefined && change.kind === 'changed') this.#change(change.cluster, change.what, access);
    }
    this.#inOrder();
    this.#settle();
  }

  #add(cluster: string, access: ClusterAccess): void {
    const { fieldManagers, makeBudget, makeClient, clock } = this.options;
    const member = new RegisteredCluster({ cluster, access, fieldManagers, makeBudget, makeClient });
    this.#members.set(cluster, { member, timers: new Timers(clock), attempts: 0 });
    this.#left.delete(cluster);
    if (!isLabelValue(cluster)) this.options.log.warn({ cluster }, LABEL_NOTE);
  }

  #change(cluster: string, what: 'access' | 'paused' | 'resumed', access: ClusterAccess): void {
    const registered = this.#members.get(cluster);
    if (registered === undefined) return;
    const { member } = registered;
    if (what === 'access') {
      member.want(access);
      this.#pace.succeeded(cluster);
      this.#verifyIn(0, registered);
      return;
    }
    member.paused = what === 'paused';
    this.options.log.info({ cluster }, `cluster is ${what}`);
    if (member.takesPart) void this.#emit([{ kind: 'changed', cluster, what }]);
  }

  #remove(cluster: string): void {
    const registered = this.#members.get(cluster);
    if (registered === undefined) return;
    this.#members.delete(cluster);
    this.#left.add(cluster);
    registered.timers.stop();
    this.#pace.succeeded(cluster);
    this.#end(registered.member, () => registered.member.close());
  }

  /** Sorts the members as the kubeconfigs do. The order decides between two of one cluster. */
  #inOrder(): void {
    const members = this.#entries.flatMap(({ cluster }) => {
      const registered = this.#members.get(cluster);
      return registered === undefined ? [] : [[cluster, registered] as const];
    });
    this.#members.clear();
    for (const [cluster, registered] of members) this.#members.set(cluster, registered);
  }

  #verifyIn(delayMs: number, registered: Registered): void {
    registered.attempts += 1;
    const attempt = registered.attempts;
    registered.timers.after(delayMs, () => {
      if (registered.attempts === attempt) void this.#verify(registered, attempt);
    });
  }

  async #verify(registered: Registered, attempt: number): Promise<void> {
    const { member, timers } = registered;
    const { cluster } = member;
    const isOver = () => timers.stopped || registered.attempts !== attempt;
    await this.#leaving.get(cluster);
    if (isOver() || member.isCurrent) return;
    try {
      const verification = await member.verify();
      if (isOver() || verification === undefined) return;
      this.#pace.succeeded(cluster);
      member.unreached = undefined;
      if (verification.accepted) await this.#accepted(member, verification.renewed);
      else {
        member.refusal = verification.refusal;
        this.#verifyIn(REFUSED_MS, registered);
      }
    } catch (error) {
      if (isOver()) return;
      const { delayMs, news } = this.#pace.failed(cluster, error);
      member.unreached = troubleOf(error);
      const what = member.isVerified ? 'could not use the new access of a cluster yet' : 'could not reach cluster yet';
      this.options.log[news ? 'warn' : 'debug']({ cluster, error: troubleOf(error), delayMs }, what);
      this.#verifyIn(delayMs, registered);
    }
    this.#settle();
  }

  async #accepted(member: RegisteredCluster, renewed: boolean): Promise<void> {
    const { cluster } = member;
    member.refusal = undefined;
    await this.#identities.learn(member);
    if (!renewed) return;
    this.options.log.info({ cluster }, 'began to use the new address or login of a cluster');
    if (member.takesPart) void this.#emit([{ kind: 'changed', cluster, what: 'access' }]);
  }

  /** Has every cluster take part that may: those that reported their identity, each once. */
  #settle(): void {
    const members = [...this.#members.values()].map(({ member }) => member);
    this.#identities.settle(members);
    const mayTakePart = (member: RegisteredCluster) => this.#identities.mayTakePart(member);
    for (const member of members) if (member.takesPart && !mayTakePart(member)) this.#end(member);
    for (const member of members) {
      if (member.takesPart || !mayTakePart(member) || this.#leaving.has(member.cluster)) continue;
      member.takesPart = true;
      void this.#emit([{ kind: 'joined', cluster: member.cluster }]);
    }
    this.#report();
  }

  /** The services leave the cluster, and `close` is called once they have. */
  #end(member: RegisteredCluster, close: () => Promise<void> = async () => undefined): void {
    const { cluster } = member;
    if (!member.takesPart) return void close();
    member.takesPart = false;
    this.options.log.info({ cluster }, 'cluster has left');
    const ending = this.#emit([{ kind: 'left', cluster }])
      .then(() => {
        for (const gone of this.#onGone) gone(cluster);
        return close();
      })
      .catch((error: unknown) => this.options.log.error({ cluster, error }, 'could not remove cluster cleanly'))
      .finally(() => {
        if (this.#leaving.get(cluster) === ending) this.#leaving.delete(cluster);
        if (!this.#timers.stopped) this.#settle();
      });
    this.#leaving.set(cluster, ending);
  }

  async #emit(changes: readonly MembershipChange[]): Promise<void> {
    await Promise.all([...this.#subscriptions].map((subscription) => this.#notify(subscription, changes)));
  }

  async #notify({ fieldManager, listener }: Subscription, changes: readonly MembershipChange[]): Promise<void> {
    const sent = changes.flatMap((change): ClusterChange[] => {
      if (change.kind !== 'joined') return [change];
      const client = this.#members.get(change.cluster)?.member.clients.get(fieldManager);
      return client === undefined ? [] : [{ ...change, client }];
    });
    try {
      if (sent.length > 0) await listener(sent);
    } catch (error) {
      this.options.log.error(
        { error, changes: sent.map(({ kind, cluster }) => ({ kind, cluster })) },
        'a service failed to apply changes of clusters; restart it, or it may serve them wrongly',
      );
    }
  }

  #taking(): readonly RegisteredCluster[] {
    return [...this.#members.values()].map(({ member }) => member).filter(({ takesPart }) => takesPart);
  }

  /** Without those that are refused: the health names them. */
  #known(): readonly string[] {
    const members = [...this.#members.values()].map(({ member }) => member);
    const counted = members.filter((member) => this.#refusalOf(member) === undefined).map(({ cluster }) => cluster);
    return [...new Set([...counted, ...this.#leaving.keys()])];
  }

  #knows(cluster: string): boolean {
    const member = this.#members.get(cluster)?.member;
    return (member !== undefined && this.#refusalOf(member) === undefined) || this.#leaving.has(cluster);
  }

  #hasLeft(cluster: string): boolean {
    const member = this.#members.get(cluster)?.member;
    return member === undefined ? this.#left.has(cluster) : this.#refusalOf(member) !== undefined;
  }

  /** Returns the reason why the cluster will not take part unless a kubeconfig is changed. */
  #refusalOf({ cluster, isVerified, refusal }: RegisteredCluster): string | undefined {
    return this.#identities.refusals.get(cluster) ?? (isVerified ? undefined : refusal);
  }

  #problems(): readonly string[] {
    const ofMembers = [...this.#members.values()].flatMap(({ member }) => {
      const { isVerified, refusal, unreached } = member;
      const refused = this.#refusalOf(member);
      if (refused !== undefined) return [refused];
      const newest = isVerified ? (refusal ?? unreached) : undefined;
      return newest === undefined ? [] : [`${newest}; the earlier access to ${member.cluster} stays in use`];
    });
    // A cluster that keeps its identity is named in the line of the one that is refused.
    return [...this.#reading.problems.map(({ text }) => text), ...ofMembers];
  }

  /** Logs once the problems of a kubeconfig that users must know. */
  #report(): void {
    const problems = this.#problems();
    for (const problem of problems) if (!this.#reported.has(problem)) this.options.log.warn({ problem }, problem);
    this.#reported = new Set(problems);
  }
}
