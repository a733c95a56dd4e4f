import type { PackageRecord } from '../../catalog/model/package-record.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { propertiesAnnotation } from '../install-plan/creation/bundle-steps.js';
import { FAIL_FORWARD } from '../resolution/problem/desired-namespace.js';
import { isFor } from '../resolution/problem/resolution-of.js';
import type {
  ChosenBundle,
  DesiredNamespace,
  DesiredSubscription,
  InstalledCsv,
  Resolution,
  ResolutionProblem,
} from '../resolution/problem/resolution-problem.js';
import { resolve } from '../resolution/resolve.js';

/** Largest number of InstallPlans in a path. */
export const MOST_HOPS = 20;

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** One InstallPlan: its CSVs, and the Subscriptions that it moves. `from`: empty if nothing was installed. */
export type ResolvedHop = Readonly<{
  resolution: Resolved;
  moves: readonly Readonly<{ subscription: string; from: string; to: string }>[];
}>;

/** The InstallPlans of a namespace one after the other, each from the result of the ones before. */
export type ResolvedPath = Readonly<{
  hops: readonly ResolvedHop[];
  /** The answer after the last hop, if that is not a solution. */
  ends?: Exclude<Resolution, Resolved>;
}>;

/**
 * Resolves the whole path of a namespace: the chosen bundles of each answer count as installed in the next,
 * until nothing moves. The slices of the problem are closed under requirements, so that they suffice for all
 * hops (design: fleet.md §3.1). Pure: equal problems give equal paths. `record` gives the package record of a
 * hash.
 */
export function resolvePath(problem: ResolutionProblem, record: (hash: string) => PackageRecord): ResolvedPath {
  const hops: ResolvedHop[] = [];
  let { wishes } = problem;
  while (hops.length < MOST_HOPS) {
    const resolution = resolve({ ...problem, wishes }, record);
    if (resolution.result !== 'resolved') return { hops, ends: resolution };
    const hop = { resolution, moves: movesOf(wishes, resolution) };
    if (hop.moves.length + resolution.subscriptionsCreated.length === 0) break;
    hops.push(hop);
    wishes = afterHop(wishes, hop);
  }
  return { hops };
}

const brought = ({ chosen }: Resolved): readonly ChosenBundle[] => chosen.filter(({ upToDate }) => upToDate !== true);

/**
 * Returns the moves of Subscriptions, with those of a waiting plan: such a Subscription already names its
 * bundle, but does not have it.
 */
export const movesOf = ({ subscriptions }: DesiredNamespace, resolution: Resolved): ResolvedHop['moves'] =>
  subscriptions.flatMap((desired) => {
    const bundle = brought(resolution).find((one) => isFor(desired, one));
    if (bundle === undefined) return [];
    return [{ subscription: desired.name, from: desired.installedCSV, to: bundle.name }];
  });

/** The namespace once the InstallPlan of a hop is complete and its CSVs have succeeded. */
export function afterHop(before: DesiredNamespace, { resolution, moves }: ResolvedHop): DesiredNamespace {
  const moved = new Map(moves.map(({ subscription, to }) => [subscription, to]));
  const subscriptions = before.subscriptions.map((one): DesiredSubscription => {
    const to = moved.get(one.name);
    return to === undefined ? one : { ...one, currentCSV: to, installedCSV: to };
  });
  const made = resolution.subscriptionsCreated.map(({ name, spec }) => ({
    ...{ name, package: spec['name'] ?? '', channel: spec['channel'] ?? '' },
    ...{ source: spec['source'] ?? '', sourceNamespace: spec['sourceNamespace'] ?? '' },
    startingCSV: spec['startingCSV'] ?? '',
    ...{ installedCSV: spec['startingCSV'] ?? '', currentCSV: spec['startingCSV'] ?? '' },
  }));
  const failForward = before.operatorGroups.some(({ upgradeStrategy }) => upgradeStrategy === FAIL_FORWARD);
  const bundles = brought(resolution);
  const left = new Set([
    ...moves.map(({ from }) => from),
    ...bundles.flatMap(({ name, replaces }) => [name, replaces]),
  ]);
  const csvs = [
    ...before.csvs.filter(({ name }) => !left.has(name)),
    ...bundles.map((bundle) => installed(bundle, failForward)),
  ];
  return { ...before, subscriptions: [...subscriptions, ...made].sort(byName), csvs: csvs.sort(byName) };
}

const installed = ({ name, version, replaces, properties }: ChosenBundle, failForward: boolean): InstalledCsv => ({
  ...{ name, version, replaces: failForward ? replaces : '', phase: failForward ? 'Succeeded' : '' },
  propertiesAnnotation: propertiesAnnotation(properties),
  ...{ ownedApis: [], requiredApis: [] },
});

const byName = (a: Readonly<{ name: string }>, b: Readonly<{ name: string }>): number => byCodeUnit(a.name, b.name);
