import { shortDuration } from '#core/kernel/durations/short-duration';
import { hopsOnTheWay } from '#core/rollout/controller/facts/cluster-report';
import { NEXT } from '../../../output/next-commands.js';
import { type FleetStep, step } from '../rollout/advised-steps.js';
import { targetThere } from '../rollout/cluster-target.js';
import type { RowPlace, RowWords } from '../rollout/row-context.js';
import { holdOf } from '../rollout/window-hold.js';

/** The words for the block between a cluster and its next step, by the reason of its row. */
const KEPT: Readonly<Record<string, string>> = {
  ClusterPaused: 'waits between two steps: the cluster is paused',
  RolloutPaused: 'waits between two steps: the rollout is paused',
  Halted: 'waits between two steps: the rollout has halted',
  WindowClosed: 'waits between two steps until its window opens',
  Unreachable: 'is being changed, and is unreachable now',
};

/** Describes a cluster on its path: its present step, or the block before the next one. */
export function applying(place: RowPlace): RowWords {
  const { fleet, row, rollout } = place;
  const left = row.deadlineAt === undefined ? '' : `; ${shortDuration(row.deadlineAt - fleet.now)} until its deadline`;
  const { subject, spec } = rollout.record;
  const hops = hopsOnTheWay(fleet.clusters.get(row.cluster)?.order(subject.key), spec.name) ?? 1;
  const ofHops = hops > 1 ? ` of ${hops}` : '';
  const kept = KEPT[row.reason];
  if (kept === undefined) {
    const target = targetThere(fleet, rollout, row);
    return { sentence: `is being changed to ${target}, step ${row.hop}${ofHops}${left} (${row.reason})` };
  }
  const last = hops > 1 ? [`step ${row.hop}${ofHops} is the last step that began there`] : [];
  const { chain, todo } = keeper(place);
  return { sentence: `${kept} (${row.reason})`, chain: [...last, ...chain], todo };
}

/** Returns the known facts about the block, and the steps that lift it. */
function keeper({ fleet, rollout, row, short }: RowPlace): Readonly<{ chain: string[]; todo: FleetStep[] }> {
  switch (row.reason) {
    case 'RolloutPaused':
      return { chain: [], todo: rollout.facts.isSubjectPaused ? [] : [step(NEXT.resumeRollout(short))] };
    case 'Halted':
      return { chain: [], todo: [step(NEXT.fleetFailures(short), 'why it stopped')] };
    case 'WindowClosed': {
      const hold = holdOf(fleet, rollout.record.subject, row.cluster);
      return { chain: hold === undefined ? [] : [hold.sentence], todo: breakGlassSteps(short, hold?.breakGlassGroups) };
    }
    default:
      return { chain: [], todo: [] };
  }
}

/** Returns the steps that lift windows. If the windows name groups with that right, the steps name them. */
export const breakGlassSteps = (short: string, groups: readonly string[] = []): FleetStep[] =>
  groups.length === 0 ? [] : [step(NEXT.breakGlass(short), `needs group ${groups.join(' or ')}`)];
