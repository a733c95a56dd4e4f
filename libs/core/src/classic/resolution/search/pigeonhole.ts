/** A requirement of at least one of its candidates. `id`: index of its constraint. */
export type AtLeastOne = Readonly<{ id: number; candidates: readonly number[] }>;
/**
 * Requirements that cannot all be satisfied, because their at-most-one constraints allow one candidate too
 * few. Ids are those of constraints.
 */
type PigeonholeConflict = Readonly<{ demands: readonly AtLeastOne[]; holes: ReadonlySet<number> }>;
/** A requirement with the at-most-one constraints that its candidates belong to: it must use one of them. */
type Seeker = Readonly<{ demand: AtLeastOne; holes: readonly number[] }>;

/**
 * Pigeonhole check (Hall's theorem): finds n + 1 requirements with candidates that all belong to n
 * at-most-one constraints. Clause learning alone takes exponential time to find that. A reported conflict is
 * always real, but not every conflict is found. The result is minimal: without any one of its requirements or
 * constraints, the others fit.
 */
export function findPigeonholeConflict(
  demands: readonly AtLeastOne[],
  rulesOf: (variable: number) => readonly number[],
): PigeonholeConflict | undefined {
  let seekers = unplaceable(seekersOf(withoutSharing(demands), rulesOf));
  if (seekers === undefined) return undefined;
  for (const one of seekers) {
    const smaller = unplaceable(seekers.filter((other) => other !== one));
    if (smaller !== undefined) seekers = smaller;
  }
  return { demands: seekers.map(({ demand }) => demand), holes: new Set(seekers.flatMap(({ holes }) => holes)) };
}

/**
 * A candidate that satisfies two requirements takes one place for both: only requirements without common
 * candidates can be counted.
 */
function withoutSharing(demands: readonly AtLeastOne[]): AtLeastOne[] {
  const taken = new Set<number>();
  return demands.filter(({ candidates }) => {
    if (candidates.some((candidate) => taken.has(candidate))) return false;
    for (const candidate of candidates) taken.add(candidate);
    return true;
  });
}

/**
 * Counts each candidate on the constraint that most requirements compete for; a requirement with a candidate
 * under no constraint is free.
 */
function seekersOf(demands: readonly AtLeastOne[], rulesOf: (variable: number) => readonly number[]): Seeker[] {
  const demand = new Map<number, number>();
  for (const { candidates } of demands) {
    for (const rule of new Set(candidates.flatMap(rulesOf))) demand.set(rule, (demand.get(rule) ?? 0) + 1);
  }
  const holeOf = (candidate: number): number | undefined =>
    rulesOf(candidate).toSorted((a, b) => (demand.get(b) ?? 0) - (demand.get(a) ?? 0) || a - b)[0];
  return demands.flatMap((demand) => {
    const holes = demand.candidates.map(holeOf);
    const known = holes.filter((place) => place !== undefined);
    return known.length < holes.length ? [] : [{ demand, holes: [...new Set(known)] }];
  });
}

/**
 * Gives each requirement a place; the first that finds none, with all requirements it asked to move, is
 * one more than their places.
 */
function unplaceable(seekers: readonly Seeker[]): Seeker[] | undefined {
  const placed = new Map<number, Seeker>();
  for (const seeker of seekers) {
    const asked = new Set<Seeker>();
    if (!place(seeker, placed, asked)) return [...asked];
  }
  return undefined;
}

/** Finds augmenting paths, level by level: a chain of moves may be as long as there are requirements. */
function place(newcomer: Seeker, placed: Map<number, Seeker>, asked: Set<Seeker>): boolean {
  const cameFrom = new Map<number, Seeker>();
  const previousHole = new Map<Seeker, number>([...placed].map(([at, seeker]) => [seeker, at]));
  const pending = [newcomer];
  for (const seeker of pending) {
    asked.add(seeker);
    for (const wanted of seeker.holes) {
      if (cameFrom.has(wanted)) continue;
      cameFrom.set(wanted, seeker);
      const occupant = placed.get(wanted);
      if (occupant === undefined) {
        moveAlong(wanted, placed, cameFrom, previousHole);
        return true;
      }
      pending.push(occupant);
    }
  }
  return false;
}

function moveAlong(
  free: number,
  placed: Map<number, Seeker>,
  cameFrom: ReadonlyMap<number, Seeker>,
  previousHole: ReadonlyMap<Seeker, number>,
): void {
  for (let at: number | undefined = free; at !== undefined; ) {
    const seeker = cameFrom.get(at);
    if (seeker === undefined) return;
    placed.set(at, seeker);
    at = previousHole.get(seeker);
  }
}
