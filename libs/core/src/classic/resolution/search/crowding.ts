/** Something that needs one of its candidates. `id`: index of the constraint that says so. */
export type Need = Readonly<{ id: number; candidates: readonly number[] }>;
/**
 * Needs that cannot all be met, because at-most-one rules leave them one seat too few. Ids
 * are those of constraints.
 */
export type Crowd = Readonly<{ needs: readonly Need[]; seats: ReadonlySet<number> }>;
/** A need with the at-most-one rules of which it must use one. */
type Seeker = Readonly<{ need: Need; seats: readonly number[] }>;

/**
 * Finds needs that compete for too few seats (Hall's theorem): n + 1 needs whose every candidate sits on one
 * of n at-most-one rules. Clauses alone take exponential time to see that. What it finds holds; it does not
 * find everything. The crowd is minimal: without any one of its needs or seats, the others fit.
 */
export function findCrowd(needs: readonly Need[], rulesOf: (variable: number) => readonly number[]): Crowd | undefined {
  let seekers = unseatable(seekersOf(withoutSharing(needs), rulesOf));
  if (seekers === undefined) return undefined;
  for (const one of seekers) {
    const smaller = unseatable(seekers.filter((other) => other !== one));
    if (smaller !== undefined) seekers = smaller;
  }
  return { needs: seekers.map(({ need }) => need), seats: new Set(seekers.flatMap(({ seats }) => seats)) };
}

/**
 * A candidate that meets two needs takes one seat for both: only needs without common
 * candidates can be counted.
 */
function withoutSharing(needs: readonly Need[]): Need[] {
  const taken = new Set<number>();
  return needs.filter(({ candidates }) => {
    if (candidates.some((candidate) => taken.has(candidate))) return false;
    for (const candidate of candidates) taken.add(candidate);
    return true;
  });
}

/**
 * Counts each candidate on the rule that most needs compete for; a need with a
 * candidate under no rule is free.
 */
function seekersOf(needs: readonly Need[], rulesOf: (variable: number) => readonly number[]): Seeker[] {
  const demand = new Map<number, number>();
  for (const { candidates } of needs) {
    for (const rule of new Set(candidates.flatMap(rulesOf))) demand.set(rule, (demand.get(rule) ?? 0) + 1);
  }
  const seatOf = (candidate: number): number | undefined =>
    rulesOf(candidate).toSorted((a, b) => (demand.get(b) ?? 0) - (demand.get(a) ?? 0) || a - b)[0];
  return needs.flatMap((need) => {
    const seats = need.candidates.map(seatOf);
    const known = seats.filter((seat) => seat !== undefined);
    return known.length < seats.length ? [] : [{ need, seats: [...new Set(known)] }];
  });
}

/**
 * Seats one after the other; the first that finds no seat, with all it asked to move, is
 * one more than their seats.
 */
function unseatable(seekers: readonly Seeker[]): Seeker[] | undefined {
  const sitting = new Map<number, Seeker>();
  for (const seeker of seekers) {
    const asked = new Set<Seeker>();
    if (!seat(seeker, sitting, asked)) return [...asked];
  }
  return undefined;
}

/** Augmenting paths, level by level: a chain of moves may be as long as there are needs. */
function seat(newcomer: Seeker, sitting: Map<number, Seeker>, asked: Set<Seeker>): boolean {
  const cameFrom = new Map<number, Seeker>();
  const previousSeat = new Map<Seeker, number>([...sitting].map(([at, seeker]) => [seeker, at]));
  const pending = [newcomer];
  for (const seeker of pending) {
    asked.add(seeker);
    for (const wanted of seeker.seats) {
      if (cameFrom.has(wanted)) continue;
      cameFrom.set(wanted, seeker);
      const occupant = sitting.get(wanted);
      if (occupant === undefined) {
        moveAlong(wanted, sitting, cameFrom, previousSeat);
        return true;
      }
      pending.push(occupant);
    }
  }
  return false;
}

function moveAlong(
  free: number,
  sitting: Map<number, Seeker>,
  cameFrom: ReadonlyMap<number, Seeker>,
  previousSeat: ReadonlyMap<Seeker, number>,
): void {
  for (let at: number | undefined = free; at !== undefined; ) {
    const seeker = cameFrom.get(at);
    if (seeker === undefined) return;
    sitting.set(at, seeker);
    at = previousSeat.get(seeker);
  }
}
