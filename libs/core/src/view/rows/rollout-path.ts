import { z } from 'zod';
import type { FleetPlan } from '../../kernel/api/fleet/fleet-plan.js';
import type { FleetRollout } from '../../kernel/api/fleet/fleet-rollout.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { isInFlight, type RolloutRow } from '../../rollout/controller/step/row.js';
import { LONGEST_ROW_TEXT } from './rows.js';

/** Most hops of a path (design: fleet.md §3.1). */
const MOST_STEPS = 20;
/** Clusters that are named of those at one step; the others are counted. */
const MOST_NAMED = 5;
/** Plan classes of a rollout that are shown, those of the most clusters. */
const MOST_PATHS = 10;
const Count = z.int().min(0);
const Name = z.string().max(1_000);
const There = z.strictObject({ clusters: Count, sample: z.array(Name).max(MOST_NAMED) });

/** The InstallPlans of a plan class in the order of their install, and the clusters at each of them. */
const RolloutPath = z.strictObject({
  /** Names the class. */
  hash: z.string().max(LONGEST_ROW_TEXT),
  clusters: Count,
  steps: z
    .array(
      z.strictObject({
        /** Bundles; empty: nothing is installed before. */
        ...{ from: Name, to: Name },
        /** Clusters on their way that are at this step, and those that failed at it. */
        ...{ underWay: There, failed: There },
      }),
    )
    .max(MOST_STEPS),
});

/** The plan classes of a rollout with existing FleetPlans. `more`: classes with fewer clusters. */
export const RolloutPaths = z.strictObject({ classes: z.array(RolloutPath).max(MOST_PATHS), more: Count });
export type RolloutPaths = z.infer<typeof RolloutPaths>;

/** The current or failed step of a cluster on its path, from 1. */
export type ClusterStep = Readonly<{ cluster: string; class: string; step: number; isFailed: boolean }>;

/** Failures that are not those of a step: nothing was begun, or it was the return. */
const NO_STEP: ReadonlySet<string> = new Set(['ResolutionFailed', 'RollbackFailed']);

/** Returns the step of a rollout's row. Returns undefined if the cluster is not on its way. */
export function stepOf(row: RolloutRow): ClusterStep | undefined {
  const { cluster, class: name, hop: step, phase, reason, attempt } = row;
  const isFailed = phase === 'Failed' && attempt > 0 && !NO_STEP.has(reason);
  if (name === null || step < 1 || !(isFailed || isInFlight(row))) return undefined;
  return { cluster, class: name, step, isFailed };
}

const Classes = z.looseObject({
  classes: z.array(z.looseObject({ hash: z.string(), clusters: Count.default(0) })).catch([]),
});
type ShownClass = Readonly<{ hash: string; clusters: number }>;

/** The hash of a plan; returns are a class that has none. */
const HASH = /^[0-9a-f]+$/;

/** Returns the plan classes of a rollout with paths to show. */
export function shownClasses({ status }: Pick<FleetRollout, 'status'>): Readonly<{
  classes: readonly ShownClass[];
  more: number;
}> {
  const all = (Classes.safeParse(status ?? {}).data?.classes ?? [])
    .filter(({ hash, clusters }) => clusters > 0 && HASH.test(hash))
    .map(({ hash, clusters }) => ({ hash: hash.slice(0, LONGEST_ROW_TEXT), clusters }))
    .toSorted((a, b) => b.clusters - a.clusters || byCodeUnit(a.hash, b.hash));
  return { classes: all.slice(0, MOST_PATHS), more: Math.max(0, all.length - MOST_PATHS) };
}

type PathFacts = Readonly<{
  /** Returns the path of a class. Returns undefined if its FleetPlan does not exist. */
  pathOf: (hash: string) => FleetPlan['spec']['path'] | undefined;
  steps: readonly ClusterStep[];
}>;

/** Returns the paths of a rollout's classes, with the current steps of their clusters. */
export function rolloutPaths(rollout: Pick<FleetRollout, 'status'>, { pathOf, steps }: PathFacts): RolloutPaths {
  const { classes, more } = shownClasses(rollout);
  const at = Map.groupBy(steps, (one) => keyOf(one.class, one.step, one.isFailed));
  const there = (key: string) => {
    const names = (at.get(key) ?? []).map(({ cluster }) => cluster).toSorted(byCodeUnit);
    return { clusters: names.length, sample: names.slice(0, MOST_NAMED) };
  };
  return {
    classes: classes.flatMap(({ hash, clusters }) => {
      const path = pathOf(hash);
      if (path === undefined) return [];
      const own = path.slice(0, MOST_STEPS).map(({ from = '', to }, index) => ({
        ...{ from, to },
        underWay: there(keyOf(hash, index + 1, false)),
        failed: there(keyOf(hash, index + 1, true)),
      }));
      return [{ hash, clusters, steps: own }];
    }),
    more,
  };
}

const keyOf = (hash: string, step: number, isFailed: boolean): string => `${hash} ${step} ${isFailed}`;
