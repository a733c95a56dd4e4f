import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { isFinal } from '#core/rollout/controller/step/phases';
import { ROLLBACK_CLASS } from '#core/rollout/controller/step/returns';
import { isBetweenHops, isReturnDue, type RolloutRow } from '#core/rollout/controller/step/row';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { targetThere } from './cluster-target.js';
import type { ClassAnswer, FailureAnswer } from './rollout-answer.js';

/** Facts that texts add to the answer for programs. They follow from single rows. */
export type RolloutHints = Readonly<{
  /** True if its target is no longer available, and no cluster has it (decision 0469): no promotion helps. */
  isWithdrawn: boolean;
  /** Clusters that are kept between two steps of their path, by reason. */
  kept: readonly Readonly<{ reason: string; clusters: number }>[];
  /** Clusters that wait, and have had the first steps of their path, or an attempt that failed. */
  leftOnTheWay: number;
  /** Classes with a cluster that still waits: an approval of another class starts nothing. */
  awaited: ReadonlySet<string>;
  /** Classes that lead to another version than the target of the rollout, with that version. */
  ownTargets: ReadonlyMap<string, string>;
  /** Reports of failed clusters, by cluster: the version that has not come up, and the reason. */
  said: ReadonlyMap<string, string>;
}>;

/** Reasons in a row that keep a cluster between two steps. */
const KEPT_REASONS: ReadonlySet<string> = new Set(['ClusterPaused', 'RolloutPaused', 'Halted', 'WindowClosed']);

export const NO_HINTS: RolloutHints = {
  ...{ isWithdrawn: false, kept: [], leftOnTheWay: 0 },
  ...{ awaited: new Set(), ownTargets: new Map(), said: new Map() },
};

const isKept = (row: RolloutRow): boolean => isBetweenHops(row) && KEPT_REASONS.has(row.reason);

/**
 * True if the cluster waits after the first steps of its path, or after a failed attempt: its state has
 * changed.
 */
export const isLeftOnTheWay = ({ phase, attempt, hop, isRetry }: RolloutRow): boolean =>
  phase === 'Waiting' && attempt > 0 && (hop > 1 || isRetry);

/** Returns the classes that start a cluster when they are approved. */
export const awaitedClasses = (classes: readonly ClassAnswer[], { awaited }: RolloutHints): ClassAnswer[] =>
  classes.filter(({ approval, hash }) => approval === 'Waiting' && awaited.has(hash));

/** Returns the report of the first of clusters that failed alike, if the cause does not contain it. */
export function saidOf({ cause, sample: [first] }: FailureAnswer, { said }: RolloutHints): string[] {
  const message = first === undefined ? undefined : said.get(first);
  return message === undefined || cause.endsWith(message) ? [] : [`${first}: ${message}`];
}

export function rolloutHints(fleet: LiveFleet, rollout: LiveRollout): RolloutHints {
  const { record } = rollout;
  const rows = [...record.rows.values()];
  const kept = Map.groupBy(rows.filter(isKept), ({ reason }) => reason);
  const isOver = isFinal(record.status.phase) && rollout.facts.role === 'frozen';
  const waiting = isOver ? [] : rows.filter(({ phase }) => phase === 'Waiting').flatMap((row) => row.class ?? []);
  const failed = rows.filter(({ phase }) => phase === 'Failed');
  const returns = rows.some(isReturnDue) ? [ROLLBACK_CLASS] : [];
  return {
    isWithdrawn: rollout.facts.isTargetWithdrawn,
    kept: [...kept]
      .map(([reason, own]) => ({ reason, clusters: own.length }))
      .sort((a, b) => b.clusters - a.clusters || byCodeUnit(a.reason, b.reason)),
    leftOnTheWay: rows.filter(isLeftOnTheWay).length,
    said: new Map(
      failed.flatMap(({ cluster }): [string, string][] => {
        const message = fleet.clusters.get(cluster)?.report(record.spec.subject)?.message;
        return message === undefined ? [] : [[cluster, message]];
      }),
    ),
    awaited: new Set([...waiting, ...returns]),
    ownTargets: new Map(
      rows.flatMap((row): [string, string][] => {
        const target = targetThere(fleet, rollout, row);
        return row.class === null || target === record.spec.target ? [] : [[row.class, target]];
      }),
    ),
  };
}
