import { shortDuration } from '#core/kernel/durations/short-duration';
import type { LiveFleet } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NEXT } from '../../../output/next-commands.js';
import { type Columns, table } from '../../../output/table.js';
import { rolloutAnswer } from '../../fleet/rollout/rollout-answer.js';
import { HUB } from './fleet-environment.js';

type Line = Readonly<{ rollout: string; target: string; phase: string; wave: string; took: string; done: string }>;
type Approval = Readonly<{ what: string; by: string; reason: string }>;

const LINES: Columns<Line> = [
  ['ROLLOUT', ({ rollout }) => rollout],
  ['TARGET', ({ target }) => target],
  ['PHASE', ({ phase }) => phase],
  ['WAVE', ({ wave }) => wave],
  ['DONE', ({ done }) => done],
  ['TOOK', ({ took }) => took],
];
const APPROVALS: Columns<Approval> = [
  ['DECISION', ({ what }) => what],
  ['BY', ({ by }) => by],
  ['REASON', ({ reason }) => reason],
];

/** Returns the time of each wave, and each approval with its user. */
export function fleetSummary(fleet: LiveFleet, width: number | undefined): string {
  const lines = fleet.rollouts.flatMap((rollout) => {
    const { name, target, phase, waves } = rolloutAnswer(fleet, rollout);
    return waves
      .filter(({ counts }) => counts.targets > 0)
      .map(
        ({ name: wave, counts, openedAt, completedAt }, at): Line => ({
          ...(at === 0 ? { rollout: name, target, phase } : { rollout: '', target: '', phase: '' }),
          wave,
          done: `${counts.done}/${counts.targets}`,
          took: openedAt === null ? 'never opened' : tookOf(openedAt, completedAt),
        }),
      );
  });
  const approvals = fleet.state.decisions.map(
    ({ spec }): Approval => ({
      what: `${spec.action} ${spec.rollout}${spec.class === undefined ? '' : `, class ${spec.class}`}`,
      by: spec.by.user,
      reason: spec.reason,
    }),
  );
  return [table(lines, LINES, width), table(approvals, APPROVALS, width)].join('\n');
}

const tookOf = (from: string, to: string | null): string =>
  to === null ? 'never completed' : shortDuration(Date.parse(to) - Date.parse(from));

/** Returns the commands that show the same while the demo is kept. */
export const fleetCommands = (kubeconfig: string): string =>
  [
    'Still running. Look around from another terminal:',
    `  export FLOTILLA_KUBECONFIG=${kubeconfig} FLOTILLA_FLEET=context:${HUB}`,
    `  ${NEXT.fleetRollout('lighthouse-2')}`,
    `  ${NEXT.fleetFailures('lighthouse-2')}`,
    `  ${NEXT.fleetWindows('store-11')}`,
    `  kubectl --kubeconfig ${kubeconfig} --context ${HUB} get fleetrollouts,fleetdecisions -A`,
    'End it with Ctrl-C.',
    '',
  ].join('\n');
