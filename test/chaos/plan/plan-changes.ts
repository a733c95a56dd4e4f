import { SeededDraws } from '#testing/seeded-draws';

/** Change of one operator by the user of a cluster. */
export type ChangeKind = 'subscribe' | 'configure' | 'damage' | 'remove';

/** One change of the desired state of a cluster. The next one is made once this one has been carried out. */
export type PlannedChange = Readonly<{
  cluster: string;
  operator: string;
  kind: ChangeKind;
  /** `subscribe`: InstallPlans are approved by the user. */
  manual: boolean;
  /** Not before, in milliseconds since the run begins. */
  atMs: number;
}>;

/** A catalog offers a newer version of every operator. */
export type PlannedEdition = Readonly<{ catalog: string; edition: number; atMs: number }>;

export type ChangePlan = Readonly<{ changes: readonly PlannedChange[]; editions: readonly PlannedEdition[] }>;

export type ChangesWanted = Readonly<{
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
/** Kinds of change, drawn from ten, if the operator exists. */
const OF_TEN: readonly ChangeKind[] = [
  ...Array.from({ length: 5 }, () => 'configure' as const),
  ...Array.from({ length: 3 }, () => 'damage' as const),
  ...Array.from({ length: 2 }, () => 'remove' as const),
];

/** Plans the changes of users and catalogs in a run: a function of its arguments alone. */
export function planChanges(wanted: ChangesWanted): ChangePlan {
  const draws = new SeededDraws(wanted.seed ^ 0x5eed);
  const changes = wanted.clusters.flatMap((cluster, index) =>
    changesOf(cluster, wanted, new SeededDraws(draws.between(0, 1e9)), index > 0),
  );
  const editions = wanted.catalogs.flatMap((catalog) =>
    Array.from({ length: wanted.editions - 1 }, (_, index) => ({
      catalog,
      edition: index + 2,
      atMs: Math.round((wanted.seconds * 1_000 * (index + 0.5 + draws.next() / 2)) / (wanted.editions - 1)),
    })),
  );
  return { changes, editions };
}

/** Not `removes`: every operator is subscribed to at once and stays, so that it goes through all versions. */
function changesOf(
  cluster: string,
  { operators, seconds }: ChangesWanted,
  draws: SeededDraws,
  removes: boolean,
): PlannedChange[] {
  const there = new Set<string>(removes ? [] : operators);
  const changes = [...there].map(
    (operator): PlannedChange => ({ cluster, operator, kind: 'subscribe', manual: false, atMs: 0 }),
  );
  const last = seconds * 1_000;
  for (let atMs = draws.between(0, 1_000); atMs < last; atMs += draws.between(...GAP)) {
    const operator = draws.oneOf(operators);
    const drawn = there.has(operator) ? draws.oneOf(OF_TEN) : 'subscribe';
    const kind = drawn === 'remove' && !removes ? 'damage' : drawn;
    if (kind === 'subscribe') there.add(operator);
    if (kind === 'remove') there.delete(operator);
    changes.push({ cluster, operator, kind, manual: draws.next() < 0.3, atMs });
  }
  return changes;
}
