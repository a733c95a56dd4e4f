import { planShards } from '#core/cluster/ownership/plan-shards';
import { shardOf } from '#core/cluster/ownership/shard';
import type { Clock } from '../clock/clock.port.js';
import { elapsedSince } from '../clock/elapsed.js';
import type { Log } from '../telemetry/log.port.js';
import type { Leases, LeaseTable } from './leases.port.js';
import type { ShardFollower, ShardLoss, ShardSource } from './shard-follower.port.js';

type ShardOwnershipOptions = Readonly<{
  leases: Leases;
  clock: Clock;
  log: Log;
  /** How many shards there are. */
  shards: number;
  /** How long a lease lasts that is not renewed. */
  leaseMs: number;
  /** The name of the process. No other process ever has it. */
  member: string;
  /** Amount of work by shard. */
  weights: () => readonly number[];
}>;

/** `leaving`: its work is being ended. `left`: that is done, and the next exchange gives the lease up. */
type OwnedShard = { fence: number; state: 'held' | 'leaving' | 'left' };

/** Leases are renewed so often before they end. */
const RENEWALS_PER_LEASE = 5;
/**
 * Part of a lease at its end in which the owner does nothing: earlier requests get time to arrive, and clocks
 * may differ a little in speed.
 */
const IDLE_PART = 0.2;
/** While shards must move, the next exchange is after this part of a lease. */
const MOVING_PART = 0.05;
/** Part of a lease in which owners may take their leases again after all were lost. */
const CALM_PART = 0.5;
/** How long after the end of another process's lease it is asked whether the shard is free. */
const AFTER_END_MS = 20;
const SHORTEST_WAIT_MS = 50;
/** Time for the last exchange of a process that ends. */
const FAREWELL_MS = 2_000;

/**
 * The shards of one process. It renews its leases, takes free shards and gives shards away, by the plan of
 * {@link planShards}. A process that cannot renew its leases stops acting before another could take them
 * ({@link acts}). It keeps its memory, and continues if it finds its shards still free.
 */
export class ShardOwnership implements ShardSource {
  readonly #owned = new Map<number, OwnedShard>();
  /** Shards by cluster: each request asks if the process may act there. */
  readonly #shards = new Map<string, number>();
  /** Shards with work that is being ended here: until then they are not taken again. */
  readonly #leaving = new Map<number, Promise<void>>();
  readonly #followers = new Set<ShardFollower>();
  /** Shards that no process owns, with the time since that was seen first. */
  readonly #freeFor = new Map<number, () => number>();
  /** Time since the last exchange that was answered, counted from when it was sent. */
  #sinceRenewal: (() => number) | undefined;
  #sinceLoss: (() => number) | undefined;
  #epoch: string | undefined;
  /** Table of the last answered exchange. */
  #table: LeaseTable | undefined;
  #ending = false;
  #ended = false;
  #wake = new AbortController();
  #running: Promise<void> | undefined;

  constructor(private readonly options: ShardOwnershipOptions) {}

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends all work, and gives the shards to others. */
  async stop(): Promise<void> {
    this.#ending = true;
    const held = [...this.#owned].filter(([, { state }]) => state === 'held');
    for (const [shard, owned] of held) this.#leave(shard, owned);
    this.#wake.abort();
    await Promise.all(this.#leaving.values());
    const parted = new AbortController();
    await Promise.race([this.#running, this.options.clock.sleep(FAREWELL_MS, parted.signal)]);
    parted.abort();
    this.#ended = true;
    this.#wake.abort();
  }

  follow(follower: ShardFollower): void {
    this.#followers.add(follower);
    for (const [shard, { state }] of this.#owned) if (state === 'held') follower.gained(shard);
  }

  /** True if the process may act on the cluster at this moment. */
  acts(cluster: string): boolean {
    return this.fenceOf(cluster) !== undefined;
  }

  /**
   * Returns the fencing number with which the process acts on the cluster. Returns undefined if it must not
   * act.
   */
  fenceOf(cluster: string): number | undefined {
    const owned = this.#owned.get(this.shardOf(cluster));
    return owned === undefined || owned.state === 'left' || !this.isSure ? undefined : owned.fence;
  }

  /** True if the process works for the cluster, even if it must not act at this moment. */
  owns(cluster: string): boolean {
    return this.#owned.get(this.shardOf(cluster))?.state === 'held';
  }

  /** The name of the other process that works for the cluster, as of the last exchange. */
  otherOwnerOf(cluster: string): string | undefined {
    const owner = this.#table?.leases.get(this.shardOf(cluster))?.owner;
    return owner === this.options.member ? undefined : owner;
  }

  /** The names of the other processes that are alive, as of the last exchange. */
  others(): readonly string[] {
    return [...(this.#table?.members.keys() ?? [])].filter((name) => name !== this.options.member);
  }

  /** The shards that the process works for, in their order. */
  get shards(): readonly number[] {
    const held = [...this.#owned].flatMap(([shard, { state }]) => (state === 'held' ? [shard] : []));
    return held.toSorted((a, b) => a - b);
  }

  /** True if Redis has answered once: before that, nothing is known of the shards. */
  get hasBegun(): boolean {
    return this.#sinceRenewal !== undefined;
  }

  /** True if no other process can have taken a lease of this one. */
  get isSure(): boolean {
    const { leaseMs } = this.options;
    return this.#sinceRenewal !== undefined && this.#sinceRenewal() < leaseMs * (1 - IDLE_PART);
  }

  shardOf(cluster: string): number {
    const shard = this.#shards.get(cluster) ?? shardOf(cluster, this.options.shards);
    this.#shards.set(cluster, shard);
    return shard;
  }

  async #run(): Promise<void> {
    while (!this.#ended) {
      this.#wake = new AbortController();
      const { signal } = this.#wake;
      const waitMs = await this.#turn();
      if (!this.#ended) await this.options.clock.sleep(waitMs, signal);
    }
  }

  /** Does one exchange, and acts on its answer. Returns the milliseconds until the next one is due. */
  async #turn(): Promise<number> {
    const { leaseMs, log } = this.options;
    const renewMs = leaseMs / RENEWALS_PER_LEASE;
    try {
      let table = await this.#exchange();
      const { granted, isSettled } = this.#planned(table);
      if (granted.length > 0) table = await this.#exchange(granted);
      const dueMs = isSettled ? renewMs : leaseMs * MOVING_PART;
      return Math.max(SHORTEST_WAIT_MS, Math.min(dueMs, firstEnd(table, this.options.member) + AFTER_END_MS));
    } catch (error) {
      log.debug({ error }, 'could not renew the leases of shards');
      return renewMs;
    }
  }

  async #exchange(granted: readonly number[] = []): Promise<LeaseTable> {
    const { leases, clock, leaseMs, member } = this.options;
    const wanted = [...this.#owned].flatMap(([shard, { state }]) => (state === 'left' ? [] : [shard]));
    const sinceSent = elapsedSince(clock);
    const request = { member, ending: this.#ending, wanted: [...wanted, ...granted], leaseMs };
    const table = await leases.exchange(request);
    const lapsed = this.#sinceRenewal !== undefined && !this.isSure;
    if (lapsed || (this.#epoch !== undefined && this.#epoch !== table.epoch)) this.#sinceLoss = elapsedSince(clock);
    this.#epoch = table.epoch;
    this.#table = table;
    this.#sinceRenewal = sinceSent;
    this.#settle(table);
    if (request.ending && this.#owned.size === 0) this.#ended = true;
    return table;
  }

  /** Updates the process's own shards from the table. */
  #settle(table: LeaseTable): void {
    const { member, log } = this.options;
    const mine = new Map([...table.leases].filter(([, { owner }]) => owner === member));
    const taken: number[] = [];
    for (const [shard, { state }] of this.#owned) {
      if (mine.has(shard)) continue;
      this.#owned.delete(shard);
      if (state !== 'left') taken.push(shard);
    }
    if (taken.length > 0) log.warn({ shards: taken }, 'lost shards to another process: their leases had ended');
    for (const shard of taken) void this.#end(shard, 'taken');
    const gained: number[] = [];
    for (const [shard, { fence }] of mine) {
      const owned = this.#owned.get(shard);
      if (owned !== undefined) owned.fence = fence;
      else if (!this.#ending) gained.push(shard);
    }
    for (const shard of gained) this.#gain(shard, mine.get(shard)?.fence ?? 0);
    if (gained.length > 0) log.info({ shards: gained }, 'acquired shards');
  }

  #gain(shard: number, fence: number): void {
    this.#owned.set(shard, { fence, state: 'held' });
    for (const follower of this.#followers) follower.gained(shard);
  }

  /**
   * Returns the free shards that this process must take now. `isSettled`: no process has to take or give away
   * any. Begins to give away the one that must move.
   */
  #planned({ members, leases }: LeaseTable): Readonly<{ granted: readonly number[]; isSettled: boolean }> {
    const { member, shards, weights, leaseMs } = this.options;
    const forgotten = this.#forgotten(leases);
    const isCalm = this.#sinceLoss === undefined || this.#sinceLoss() >= leaseMs * CALM_PART;
    if (this.#ending || !isCalm) return { granted: [], isSettled: true };
    const owners = Array.from({ length: shards }, (_, shard) => leases.get(shard)?.owner);
    const { grants, move } = planShards({ members: [...members.keys()], owners, weights: weights() });
    const owned = move?.from === member ? this.#owned.get(move.shard) : undefined;
    if (move !== undefined && owned?.state === 'held') this.#leave(move.shard, owned);
    const mine = (shard: number, to: string) => (to === member || forgotten.has(shard)) && !this.#leaving.has(shard);
    const granted = [...grants].flatMap(([shard, to]) => (mine(shard, to) ? [shard] : []));
    return { granted, isSettled: grants.size === 0 && move === undefined };
  }

  /**
   * Returns shards that stayed free for a whole lease. If processes do not read the same kubeconfigs, each
   * may take the shard for another's; the first to ask has it then.
   */
  #forgotten(leases: LeaseTable['leases']): ReadonlySet<number> {
    const { clock, shards, leaseMs } = this.options;
    const all = Array.from({ length: shards }, (_, shard) => shard);
    for (const shard of all) {
      if (leases.has(shard)) this.#freeFor.delete(shard);
      else if (!this.#freeFor.has(shard)) this.#freeFor.set(shard, elapsedSince(clock));
    }
    return new Set(all.filter((shard) => (this.#freeFor.get(shard)?.() ?? 0) >= leaseMs));
  }

  #leave(shard: number, owned: OwnedShard): void {
    owned.state = 'leaving';
    const left = () => {
      owned.state = 'left';
      this.#wake.abort();
    };
    void this.#end(shard, 'moved').then(left);
  }

  /** Has the work for the shard ended. */
  #end(shard: number, how: ShardLoss): Promise<void> {
    const before = this.#leaving.get(shard);
    const ends = [...this.#followers].map((follower) => follower.lost(shard, how));
    const end = Promise.all([before, ...ends]).then(() => {
      if (this.#leaving.get(shard) === end) this.#leaving.delete(shard);
    });
    this.#leaving.set(shard, end);
    return end;
  }
}

/** Returns the milliseconds until the first lease or life of another process ends. */
function firstEnd({ leases, members }: LeaseTable, member: string): number {
  const others = [...leases.values()].flatMap(({ owner, leftMs }) => (owner === member ? [] : [leftMs]));
  const lives = [...members].flatMap(([name, leftMs]) => (name === member ? [] : [leftMs]));
  return Math.min(Number.POSITIVE_INFINITY, ...others, ...lives);
}
