/** The processes that share the shards, and the current owner of each shard. */
export type ShardState = Readonly<{
  /** Names of the processes that may own shards: alive, and not about to end. */
  members: readonly string[];
  /**
   * The owner of each shard, undefined for a free shard. An owner that is no member is about to end: it
   * releases its shards by itself.
   */
  owners: readonly (string | undefined)[];
  /** The work of each shard. */
  weights: readonly number[];
}>;

export type ShardMove = Readonly<{ shard: number; from: string; to: string }>;

/** The next step: free shards get an owner. If none is free, one shard may move to another owner. */
type ShardPlan = Readonly<{ grants: ReadonlyMap<number, string>; move?: ShardMove }>;

/**
 * A member's part that differs from the average by less is even enough: to move a shard has its price, too.
 */
const TOLERANCE = 0.1;

/**
 * The next step towards an even assignment of shards to members. Every process computes it from the same
 * state and does its own part, so the answer depends on nothing else, not even on the order of the members.
 * A shard with an owner that is alive stays there unless its move makes the parts more even; one moves at a
 * time.
 */
export function planShards(state: ShardState): ShardPlan {
  const loads = new Loads(state);
  const grants = grantsOf(state, loads);
  const isSettled = state.owners.every((owner) => owner !== undefined && loads.has(owner));
  const move = isSettled && !loads.areEven ? nextMove(state, loads) : undefined;
  return move === undefined ? { grants } : { grants, move };
}

type Owned = Readonly<{ shard: number; owner: string; weight: number }>;

/**
 * Assigns free shards. The heaviest shard goes first, each to the member with the least work. Then moves and
 * swaps improve their places while the loads are uneven. At the end one shard may go to a member that should
 * give a shard away in a swap. That makes it the first half of a swap: the second half follows, and no shard
 * returns to its previous owner.
 */
function grantsOf({ owners, weights }: ShardState, loads: Loads): ReadonlyMap<number, string> {
  const grants = new Map<number, string>();
  const weightOf = (shard: number) => weights[shard] ?? 0;
  const free = [...owners.keys()].filter((shard) => owners[shard] === undefined);
  for (const shard of free.toSorted((a, b) => weightOf(b) - weightOf(a) || a - b)) {
    const member = loads.least;
    if (member === undefined) break;
    grants.set(shard, member);
    loads.add(member, weightOf(shard));
  }
  const granted = (): Owned[] => [...grants].map(([shard, owner]) => ({ shard, owner, weight: weightOf(shard) }));
  for (let best = placesAmong(granted(), loads); best.length > 0; best = placesAmong(granted(), loads)) {
    for (const { shard, from, to } of best) {
      grants.set(shard, to);
      loads.add(from, -weightOf(shard));
      loads.add(to, weightOf(shard));
    }
  }
  const [half] = loads.areEven ? [] : bestExchange(granted(), ownedIn({ owners, weights }, loads), loads);
  if (half !== undefined) grants.set(half.shard, half.to);
  return grants;
}

/** Returns the move or swap of free shards that balances the loads best. Returns none if none is needed. */
function placesAmong(free: readonly Owned[], loads: Loads): readonly ShardMove[] {
  if (loads.areEven) return [];
  const move = bestMove(free, loads);
  return move.length > 0 ? move : bestExchange(free, free, loads);
}

const ownedIn = ({ owners, weights }: Pick<ShardState, 'owners' | 'weights'>, loads: Loads): readonly Owned[] =>
  owners.flatMap((owner, shard) =>
    owner === undefined || !loads.has(owner) ? [] : [{ shard, owner, weight: weights[shard] ?? 0 }],
  );

/**
 * Returns the move that balances the loads best. If no single move improves the balance, returns the first
 * half of a swap of two shards. The next call then finds the second half, or a better move.
 */
function nextMove(state: ShardState, loads: Loads): ShardMove | undefined {
  const owned = ownedIn(state, loads);
  return bestMove(owned, loads)[0] ?? bestExchange(owned, owned, loads)[0];
}

function bestMove(shards: readonly Owned[], loads: Loads): readonly ShardMove[] {
  const best = new Best();
  for (const { shard, owner: from, weight } of shards) {
    for (const to of loads.members) best.offer([{ shard, from, to }], loads.gainOf(from, to, weight));
  }
  return best.moves;
}

/** Returns the best swap of one of these shards with one of the others: its two moves, or none. */
function bestExchange(shards: readonly Owned[], others: readonly Owned[], loads: Loads): readonly ShardMove[] {
  const best = new Best();
  for (const { shard, owner: from, weight } of shards) {
    for (const { shard: other, owner: to, weight: otherWeight } of others) {
      const moves = [
        { shard, from, to },
        { shard: other, from: to, to: from },
      ];
      best.offer(moves, loads.gainOf(from, to, weight - otherWeight));
    }
  }
  return best.moves;
}

/** Keeps the first of several changes with the highest gain. A change without a gain is dropped. */
class Best {
  #gain = 0;
  moves: readonly ShardMove[] = [];

  offer(moves: readonly ShardMove[], gain: number): void {
    if (gain <= this.#gain) return;
    this.#gain = gain;
    this.moves = moves;
  }
}

/** The work of each member. */
class Loads {
  readonly #loads: Map<string, number>;

  constructor({ members, owners, weights }: ShardState) {
    this.#loads = new Map(members.toSorted().map((member) => [member, 0]));
    for (const [shard, owner] of owners.entries()) {
      if (owner !== undefined && this.has(owner)) this.add(owner, weights[shard] ?? 0);
    }
  }

  get members(): readonly string[] {
    return [...this.#loads.keys()];
  }

  has(member: string): boolean {
    return this.#loads.has(member);
  }

  add(member: string, weight: number): void {
    this.#loads.set(member, this.#of(member) + weight);
  }

  /** The member that has least to do. */
  get least(): string | undefined {
    let least: string | undefined;
    for (const member of this.#loads.keys()) {
      if (least === undefined || this.#of(member) < this.#of(least)) least = member;
    }
    return least;
  }

  get areEven(): boolean {
    const loads = [...this.#loads.values()];
    const average = loads.reduce((sum, load) => sum + load, 0) / loads.length;
    return loads.every((load) => Math.abs(load - average) <= TOLERANCE * average);
  }

  /**
   * Returns the decrease of the sum of squares of all loads if that much work moves. Positive means that the
   * loads are more even afterwards.
   */
  gainOf(from: string, to: string, weight: number): number {
    return 2 * weight * (this.#of(from) - this.#of(to) - weight);
  }

  #of(member: string): number {
    return this.#loads.get(member) ?? 0;
  }
}
