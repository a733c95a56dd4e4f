import { SeededDraws } from './seeded-draws.js';

/** What the user of a cluster changes about one operator. */
export type WishKind = 'subscribe' | 'configure' | 'damage' | 'remove';

/** One change of what is wanted in a cluster; the next one is made once this one has been carried out. */
export type PlannedWish = Readonly<{
  cluster: string;
  operator: string;
  wish: WishKind;
  /** `subscribe`: InstallPlans are approved by the user. */
  manual: boolean;
  /** Not before, in milliseconds since the run begins. */
  atMs: number;
}>;

/** A catalog offers a newer version of every operator. */
export type PlannedEdition = Readonly<{ catalog: string; edition: number; atMs: number }>;

export type WishPlan = Readonly<{ wishes: readonly PlannedWish[]; editions: readonly PlannedEdition[] }>;

export type WishesWanted = Readonly<{
  seed: number;
  seconds: number;
  clusters: readonly string[];
  operators: readonly string[];
  catalogs: readonly string[];
  /** The last edition of each catalog; all begin with the first. */
  editions: number;
}>;

/** Between two changes of one cluster, in milliseconds. */
const GAP: readonly [least: number, most: number] = [2_000, 12_000];
/** Of ten changes that are possible because the operator is there. */
const OF_TEN: readonly WishKind[] = [
  ...Array.from({ length: 5 }, () => 'configure' as const),
  ...Array.from({ length: 3 }, () => 'damage' as const),
  ...Array.from({ length: 2 }, () => 'remove' as const),
];

/** What users and catalogs change in the course of a run: a function of its arguments alone. */
export function planWishes(wanted: WishesWanted): WishPlan {
  const draws = new SeededDraws(wanted.seed ^ 0x5eed);
  const wishes = wanted.clusters.flatMap((cluster, index) =>
    wishesOf(cluster, wanted, new SeededDraws(draws.between(0, 1e9)), index > 0),
  );
  const editions = wanted.catalogs.flatMap((catalog) =>
    Array.from({ length: wanted.editions - 1 }, (_, index) => ({
      catalog,
      edition: index + 2,
      atMs: Math.round((wanted.seconds * 1_000 * (index + 0.5 + draws.next() / 2)) / (wanted.editions - 1)),
    })),
  );
  return { wishes, editions };
}

/** Not `removes`: every operator is subscribed to at once and stays, so that it goes through all versions. */
function wishesOf(
  cluster: string,
  { operators, seconds }: WishesWanted,
  draws: SeededDraws,
  removes: boolean,
): PlannedWish[] {
  const there = new Set<string>(removes ? [] : operators);
  const wishes = [...there].map(
    (operator): PlannedWish => ({ cluster, operator, wish: 'subscribe', manual: false, atMs: 0 }),
  );
  const last = seconds * 1_000;
  for (let atMs = draws.between(0, 1_000); atMs < last; atMs += draws.between(...GAP)) {
    const operator = draws.oneOf(operators);
    const drawn = there.has(operator) ? draws.oneOf(OF_TEN) : 'subscribe';
    const wish = drawn === 'remove' && !removes ? 'damage' : drawn;
    if (wish === 'subscribe') there.add(operator);
    if (wish === 'remove') there.delete(operator);
    wishes.push({ cluster, operator, wish, manual: draws.next() < 0.3, atMs });
  }
  return wishes;
}
