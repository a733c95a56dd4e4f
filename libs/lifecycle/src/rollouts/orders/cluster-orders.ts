import type { OrderedExtension, OrderedPackage } from '#core/cluster/diagnosis/fleet-work';
import { type AssignmentRow, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Subject } from '#core/kernel/subject/subject';
import { selectedCluster } from '#core/rollout/placement/select-clusters';
import type { Clock } from '#platform/clock/clock.port';
import { Timers } from '#platform/clock/timers';
import { FleetStore } from '#platform/fleet/fleet-store';
import { WriteWithheld } from '#platform/joining/cluster-writes';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ClusterLimiter } from '#platform/kube/limits/cluster-limiter';
import type { HealthCheck } from '#platform/telemetry/health-check';
import type { Log } from '#platform/telemetry/log.port';
import type { ClusterPart } from '../../engine/membership/cluster-membership.js';
import { PassClient } from '../../engine/passes/pass-client.js';
import type { ClusterReads } from '../../engine/passes/pass-reader.js';
import { WrittenVersions } from '../previews/written-versions.js';
import { carryOutOrders, soonest } from './carry-out-orders.js';
import { AppliedNotes, UNSIGNED } from './place/applied-notes.js';
import { OrderMemo } from './place/order-memo.js';
import type { OrderPlace, OrderPreviews } from './place/order-place.js';

/** The fleet kinds that are read for orders. */
const ORDER_KINDS = ['FleetAssignment', 'FleetOperator', 'FleetCatalog', 'FleetCluster'];
/** Changes that come together are carried out together. */
const TOGETHER_MS = 100;
const FIRST_RETRY_MS = 1_000;
/**
 * Bounds of the pause before a missing object is requested again; the pause equals the time waited so far.
 */
const FIRST_ASK_MS = 10_000;
const LONGEST_ASK_MS = 300_000;
const LONGEST_RETRY_MS = 60_000;

type ClusterOrdersOptions = Readonly<{
  /** The hub API, as the applier's field manager. */
  hub: KubeClient;
  clock: Clock;
  log: Log;
  limiter: Pick<ClusterLimiter, 'run'>;
  globalCatalogNamespaceOf: (client: KubeClient) => Promise<string>;
  /** Returns the reads for orders after a pass. Absent: orders read by requests. */
  readsOf?: (client: KubeClient) => Promise<ClusterReads>;
  /** Returns the other inputs of orders, in addition to the clients. Absent: nothing is previewed. */
  placeOf?: (
    client: KubeClient,
    globalCatalogNamespace: string,
  ) => Readonly<{ notes: AppliedNotes; previews: OrderPreviews }>;
}>;

/**
 * A cluster of this applier. `about`: the subjects of its orders. Absent before the orders were carried out
 * once.
 */
type Member = {
  readonly client: KubeClient;
  readonly timers: Timers;
  /** Time at which its orders are carried out next, in milliseconds. Undefined: with the next change. */
  due: Readonly<{ atMs: number; cancel: () => void }> | undefined;
  isRunning: boolean;
  failures: number;
  /**
   * Time since which its orders wait for unavailable input, in milliseconds. Undefined if they do not wait.
   */
  waitsSinceMs: number | undefined;
  generation: number | undefined;
  /** The properties of the cluster that selectors of overrides have seen. */
  selectedBy: string | undefined;
  about: OrderedPlaces | undefined;
  readonly memo: OrderMemo;
};
/** The places that the orders of a cluster concern. */
type OrderedPlaces = Readonly<{ namespaces: ReadonlySet<string>; hasExtensions: boolean }>;

/**
 * Carries out the FleetAssignments of the clusters that an applier works for. It does so when their orders
 * change in the hub API, and after each pass over a namespace or extension that they concern. Nothing is
 * polled.
 */
export class ClusterOrders {
  readonly #store: FleetStore;
  readonly #members = new Map<string, Member>();
  readonly #written = new WrittenVersions();
  readonly #keptPlans: OrderMemo['keptPlans'] = new Map();
  #isListed = false;
  #unsubscribe: () => void = () => undefined;

  constructor(private readonly options: ClusterOrdersOptions) {
    const { hub, clock, log } = options;
    this.#store = new FleetStore({ client: hub, clock, log, kinds: ORDER_KINDS, checkName: 'fleet-orders' });
  }

  get check(): HealthCheck {
    return this.#store.check;
  }

  start(): void {
    const unsubscribe = this.#store.onMoved((kind, metadata) => void this.#moved(kind, metadata));
    const unfollow = this.#store.onOtherHistory(() => this.#wentBack());
    this.#unsubscribe = () => {
      unsubscribe();
      unfollow();
    };
    this.#store.start();
    void this.#store.whenSynced().then(() => {
      this.#isListed = true;
      this.#touchAll();
    });
  }

  async stop(): Promise<void> {
    this.#unsubscribe();
    for (const member of this.#members.values()) member.timers.stop();
    await this.#store.stop();
  }

  /** The orders as a part of the cluster's membership. */
  partOf(client: KubeClient): ClusterPart {
    const timers = new Timers(this.options.clock);
    const member: Member = {
      ...{ client, timers, due: undefined, isRunning: false, failures: 0, waitsSinceMs: undefined },
      ...{ generation: undefined, selectedBy: undefined, about: undefined },
      memo: new OrderMemo(this.#keptPlans),
    };
    const end = async () => {
      timers.stop();
      if (this.#members.get(client.cluster) === member) this.#members.delete(client.cluster);
    };
    return {
      start: async () => {
        this.#members.set(client.cluster, member);
        this.#touch(member);
      },
      touchAll: () => undefined,
      resyncs: () => [{ name: 'orders', run: () => this.#resync(member) }],
      stop: end,
      leave: end,
    };
  }

  /** Notes the end of a pass over a subject: the report of the orders about it may have changed. */
  passed(subject: Subject): void {
    const member = this.#members.get(subject.cluster);
    if (member === undefined) return;
    const { about } = member;
    const isConcerned =
      about === undefined || ('namespace' in subject ? about.namespaces.has(subject.namespace) : about.hasExtensions);
    if (isConcerned) this.#touch(member);
  }

  /** The packages of a namespace that orders for the cluster are about. */
  async orderedIn(cluster: string, namespace: string): Promise<readonly OrderedPackage[]> {
    const all = await this.#ordered(cluster, 'Classic');
    return all.flatMap(({ namespace: where, ...ordered }) => (where === namespace ? [ordered] : []));
  }

  /** The ClusterExtensions that orders for the cluster are about. */
  orderedExtensions(cluster: string): Promise<readonly OrderedExtension[]> {
    return this.#ordered(cluster, 'V1');
  }

  async #ordered(cluster: string, api: FleetOperator['spec']['api']): Promise<OrderedExtension[]> {
    const { spec } = FleetAssignment.safeParse(await this.#assignmentOf(cluster)).data ?? {};
    const found: OrderedExtension[] = [];
    for (const { subject, rollout = '' } of spec?.rows ?? []) {
      const operator = await this.#operatorOf(subject);
      if (operator?.spec.api !== api) continue;
      const { metadata, spec: wanted } = operator;
      const name = `${metadata.namespace}/${metadata.name}`;
      found.push({ package: wanted.package, operator: name, rollout, namespace: wanted.namespace });
    }
    return found;
  }

  async #moved(kind: string, metadata: KubernetesObject['metadata']): Promise<void> {
    const { name = '' } = metadata;
    const member = this.#members.get(name);
    if (kind === 'FleetCluster') {
      // Reports about the cluster are changes of the object, too.
      if (member !== undefined && (await this.#selectedBy(name)) !== member.selectedBy) this.#touch(member);
      return;
    }
    if (kind !== 'FleetAssignment') {
      // The hub counts in statuses of FleetOperators; no order depends on these counts.
      if (kind !== 'FleetOperator' || (await this.#written.noteVersion(this.#store.client, kind, metadata)))
        this.#touchAll();
      return;
    }
    if (member === undefined) return;
    // The reports of this applier are changes of the object, too.
    const { generation } = (await this.#assignmentOf(name))?.metadata ?? {};
    if (generation === undefined || generation !== member.generation) this.#touch(member);
  }

  /** The hub API has other orders than before, and generations of now may be those of others then. */
  #wentBack(): void {
    this.#written.forget();
    this.#keptPlans.clear();
    for (const member of this.#members.values()) {
      member.generation = undefined;
      member.selectedBy = undefined;
      member.memo.forget();
    }
    void this.#store.whenSynced().then(() => this.#touchAll());
  }

  /** A safety net: nothing that is known from before counts. */
  #resync(member: Member): void {
    member.memo.noReturns.clear();
    this.#touch(member);
  }

  #touchAll(): void {
    for (const member of this.#members.values()) this.#touch(member);
  }

  /**
   * Schedules the orders of a cluster. A change does not wait for later input, but does wait for the pause
   * after a failure.
   */
  #touch(member: Member, afterMs = TOGETHER_MS): void {
    const { due, failures } = member;
    const atMs = this.options.clock.now().getTime() + afterMs;
    if (due !== undefined && (failures > 0 || due.atMs <= atMs)) return;
    due?.cancel();
    const cancel = member.timers.after(afterMs, () => {
      member.due = undefined;
      // Changes that come while orders are carried out are handled after that.
      if (member.isRunning) this.#touch(member);
      else void this.#run(member);
    });
    member.due = { atMs, cancel };
  }

  async #run(member: Member): Promise<void> {
    // `start` has all orders carried out once the fleet's objects were listed.
    if (!this.#isListed) return;
    member.isRunning = true;
    try {
      const againAfterMs = await this.#inTurn(member);
      if (againAfterMs !== undefined) this.#touch(member, againAfterMs);
    } finally {
      member.isRunning = false;
    }
  }

  /** Returns the milliseconds until the next turn. Undefined: with the next change. */
  async #inTurn(member: Member): Promise<number | undefined> {
    const { cluster } = member.client;
    const { limiter, log } = this.options;
    try {
      // Another API server's trouble is none of the cluster.
      const entered = await limiter.run(cluster, () => this.#carryOut(member).catch(fromElsewhere(cluster)));
      if (!entered.admitted) return entered.againAfterMs;
      if (entered.value instanceof Error) throw entered.value;
      member.failures = 0;
      return entered.value;
    } catch (error) {
      member.memo.noReturns.clear();
      // The end of a pause, and a cluster that is taken over, have all orders carried out again.
      if (error instanceof WriteWithheld) return error.againAfterMs;
      const pause = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(member.failures, 10));
      log[member.failures === 0 ? 'warn' : 'debug']({ cluster, error }, 'could not carry out orders of the fleet');
      member.failures += 1;
      return pause;
    }
  }

  /**
   * Carries out the orders. Returns the milliseconds after which they are carried out again if nothing
   * changes.
   */
  async #carryOut(member: Member): Promise<number | undefined> {
    const { client } = member;
    const assignment = await this.#assignmentOf(client.cluster);
    const generation = assignment?.metadata.generation;
    const selectedBy = await this.#selectedBy(client.cluster);
    const { spec, status } = FleetAssignment.safeParse(assignment).data ?? {};
    const rows = spec?.rows ?? [];
    member.about = await this.#placesOf(rows);
    let againAfterMs: number | undefined;
    let isWaiting = false;
    // Reports about orders that were withdrawn go with them.
    if (rows.length > 0 || (status?.rows ?? []).length > 0) {
      const noteWait = (): void => {
        isWaiting = true;
      };
      againAfterMs = await this.#carryOutIn(member, noteWait);
    }
    const askAfterMs = this.#askAfter(member, isWaiting);
    member.generation = generation;
    member.selectedBy = selectedBy;
    return soonest([againAfterMs, askAfterMs]);
  }

  async #carryOutIn(member: Member, noteWait: () => void): Promise<number | undefined> {
    const { client, memo, failures } = member;
    const { globalCatalogNamespaceOf, placeOf, readsOf, clock } = this.options;
    const globalCatalogNamespace = await globalCatalogNamespaceOf(client);
    const placeWith = (used: KubeClient): OrderPlace => {
      const { notes = UNSIGNED, previews = {} } = placeOf?.(used, globalCatalogNamespace) ?? {};
      const cluster = { client: used, globalCatalogNamespace, clock, notes };
      return { hub: this.#store.client, cluster, previews: { ...previews, noteWait }, memo };
    };
    // Stale reads may be the reason for the last failure.
    const reads = failures > 0 ? undefined : await readsOf?.(client);
    const live = placeWith(client);
    return carryOutOrders(reads === undefined ? live : placeWith(new PassClient(client, reads)), live);
  }

  #askAfter(member: Member, isWaiting: boolean): number | undefined {
    const now = this.options.clock.now().getTime();
    member.waitsSinceMs = isWaiting ? (member.waitsSinceMs ?? now) : undefined;
    if (member.waitsSinceMs === undefined) return undefined;
    return Math.min(LONGEST_ASK_MS, Math.max(FIRST_ASK_MS, now - member.waitsSinceMs));
  }

  async #selectedBy(name: string): Promise<string | undefined> {
    const found = await this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetCluster', name });
    const cluster = FleetCluster.safeParse(found).data;
    return cluster && canonicalJson(selectedCluster(cluster));
  }

  #assignmentOf(name: string) {
    return this.#store.client.get({ apiVersion: FLEET_API, kind: 'FleetAssignment', name });
  }

  async #placesOf(rows: readonly AssignmentRow[]): Promise<OrderedPlaces> {
    const namespaces = new Set<string>();
    let hasExtensions = false;
    for (const { subject } of rows) {
      const spec = (await this.#operatorOf(subject))?.spec;
      if (spec !== undefined) namespaces.add(spec.namespace);
      if (spec?.api === 'V1') hasExtensions = true;
    }
    return { namespaces, hasExtensions };
  }

  /** Undefined of another kind, and of one that is gone. */
  async #operatorOf(subject: string): Promise<FleetOperator | undefined> {
    const [kind = '', namespace, name = ''] = subject.split('/');
    const found = await this.#store.client.get({ apiVersion: FLEET_API, kind, namespace, name });
    return FleetOperator.safeParse(found).data;
  }
}

/** An error of the hub API as a value; others are thrown on. */
const fromElsewhere =
  (cluster: string) =>
  (error: unknown): Error => {
    if (KubeApiError.is(error) && error.cluster !== cluster) return error;
    throw error;
  };
