import type { FleetRolloutRow } from '../rows/rollout-row.js';
import type { OperatorRow } from '../rows/rows.js';

type Wave = Pick<
  FleetRolloutRow['waves'][number],
  'name' | 'phase' | 'code' | 'members' | 'done' | 'underWay' | 'waiting' | 'failed' | 'accepted' | 'gates'
>;
type Judged = Pick<FleetRolloutRow, 'phase' | 'code' | 'target' | 'decisions'> &
  Readonly<{
    withdrawn?: boolean | undefined;
    classes: readonly Pick<FleetRolloutRow['classes'][number], 'hash' | 'clusters'>[];
    waves: readonly Wave[];
    failures: readonly Readonly<{ examples: readonly string[] }>[];
  }>;

/** The answer to "is it safe to go on?": the state in its colour, the reason, and what ends the state. */
type RolloutVerdict = Readonly<{
  standing: OperatorRow['standing'];
  /** The state in one or two words. */
  state: string;
  why: string;
  /** Empty: nothing is to be done. */
  next: string;
}>;

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;
const sumOf = ({ waves }: Judged, key: 'done' | 'members' | 'failed' | 'underWay'): number =>
  waves.reduce((sum, wave) => sum + wave[key], 0);

/** Judges a rollout. A rollout that is derived from the clusters has no waves and no code. */
export function rolloutVerdict(of: Judged): RolloutVerdict {
  return (VERDICTS[of.phase] ?? moving)(of);
}

type Judge = (of: Judged) => RolloutVerdict;

const VERDICTS: Readonly<Record<string, Judge>> = {
  Halted: halted,
  Stopped: (of) => ({ ...halted(of), next: `${fixFailures(of)}.` }),
  Paused: (of) => paused(of),
  RollingBack: (of) => ({
    ...{ standing: 'failed', state: 'Rolling back' },
    why: `${counted(sumOf(of, 'underWay'), 'cluster')} on the way back from ${of.target}.`,
    next: waitsForReturns(of) ? 'Approve the rollback, or it stays as it is.' : '',
  }),
  Completed: (of) => completed(of),
  RolledBack: (of) => ({
    ...{ standing: 'failed', state: 'Rolled back' },
    why: `${of.target} was rolled back${by(of, 'Rollback')}. It is not rolled out again by itself.`,
    next: 'Retry it, or wait for the next version.',
  }),
  Aborted: (of) => ({
    ...{ standing: 'blocked', state: 'Aborted' },
    why: `It was aborted${by(of, 'Abort')}: ${counted(sumOf(of, 'done'), 'cluster')} of ${sumOf(of, 'members')} ${sumOf(of, 'done') === 1 ? 'has' : 'have'} ${of.target}.`,
    next: 'Retry it, or roll back the clusters that have it.',
  }),
  Superseded: () => ({ standing: 'well', state: 'Superseded', why: 'A newer version took its place.', next: '' }),
};

/** Names the person of the last decision of a kind, with the reason. */
function by({ decisions = [] }: Judged, action: string): string {
  const last = decisions.find((one) => one.action === action && one.outcome === 'effective');
  return last === undefined ? '' : ` by ${last.by}${last.reason === '' ? '' : ` (${last.reason})`}`;
}

const waitsForReturns = ({ classes }: Judged): boolean => classes.some(({ hash }) => hash === 'rollback');

/** Names the clusters to check first. */
function fixFailures({ failures }: Judged): string {
  const names = [...new Set(failures.flatMap(({ examples }) => examples))].slice(0, 3);
  return names.length === 0 ? 'Fix the cause' : `Fix ${names.join(', ')}`;
}

const redGates = ({ waves }: Judged): readonly Readonly<{ wave: string; gate: string }>[] =>
  waves.flatMap(({ name, gates }) =>
    gates.filter(({ red }) => red > 0).map((gate) => ({ wave: name, gate: gate.name })),
  );

function halted(of: Judged): RolloutVerdict {
  const verdict = { standing: 'failed', state: 'Stopped' } as const;
  const back = 'or roll back';
  if (of.code === 'RollbackIncomplete') {
    const why = 'Some clusters could not be rolled back.';
    return { ...verdict, why, next: `${fixFailures(of)}, then roll back again, or abort.` };
  }
  const [red] = redGates(of);
  if (of.code === 'GateRed') {
    const which = red === undefined ? 'A gate' : `Gate ${red.gate} of wave ${red.wave}`;
    return { ...verdict, why: `${which} is red.`, next: `Fix the cause and resume, ${back}.` };
  }
  if (of.code === 'GateTimeout') {
    return { ...verdict, why: 'A gate was not green in time.', next: `Check the gate and resume, ${back}.` };
  }
  return { ...verdict, why: overBudget(of), next: `${fixFailures(of)}, then retry, ${back}.` };
}

/** Names the wave with more failures than it accepts. */
function overBudget(of: Judged): string {
  const over = of.waves.find(({ failed, accepted }) => accepted !== undefined && failed > accepted);
  if (over !== undefined) {
    const budget = `budget ${over.accepted}`;
    return `${over.failed} of ${counted(over.members, 'cluster')} failed in wave ${over.name}, ${budget}.`;
  }
  return `${counted(sumOf(of, 'failed'), 'cluster')} failed.`;
}

function paused(of: Judged): RolloutVerdict {
  if (of.code === 'SubjectPaused') {
    const next = 'Set spec.paused of its FleetOperator or FleetCatalog to false.';
    return { standing: 'blocked', state: 'Paused', why: 'Its operator or catalog is paused.', next };
  }
  const why = `It was paused${by(of, 'Pause')}. Running upgrades finish.`;
  return { standing: 'blocked', state: 'Paused', why, next: 'Resume it.' };
}

function completed(of: Judged): RolloutVerdict {
  const [done, members, failed] = [sumOf(of, 'done'), sumOf(of, 'members'), sumOf(of, 'failed')];
  const why = `${done} of ${counted(members, 'cluster')} ${members === 1 ? 'has' : 'have'} ${of.target}.`;
  if (failed === 0) return { standing: 'well', state: 'Completed', why, next: '' };
  const failures = `${counted(failed, 'cluster')} failed.`;
  return {
    standing: 'blocked',
    state: 'Completed',
    why: `${why} ${failures}`,
    next: `${fixFailures(of)}, then retry.`,
  };
}

/** Judges a rollout that continues, or waits for a person, a gate, a soak or a window. */
function moving(of: Judged): RolloutVerdict {
  if (of.withdrawn) {
    return { standing: 'blocked', state: 'Withdrawn', why: `${of.target} was withdrawn.`, next: 'Abort it.' };
  }
  if (of.code === 'Queued') {
    return { standing: 'under-way', state: 'Queued', why: 'An earlier rollout has to end first.', next: '' };
  }
  const at = of.waves.findIndex(({ phase }) => phase !== 'Complete');
  const wave = of.waves[at];
  if (wave === undefined) return { standing: 'under-way', state: 'Planning', why: 'Its plans are made.', next: '' };
  return waitsForPerson(of, wave) ?? goesOn(of, wave, at);
}

function waitsForPerson(of: Judged, wave: Wave): RolloutVerdict | undefined {
  const waits = { standing: 'needs-approval', state: 'Needs a decision' } as const;
  if (of.classes.length > 0) {
    const clusters = of.classes.reduce((sum, one) => sum + one.clusters, 0);
    const why = `${counted(of.classes.length, 'plan class').replace(/classs$/, 'classes')} for ${counted(clusters, 'cluster')} not approved.`;
    return { ...waits, why, next: 'Review and approve.' };
  }
  if (wave.phase === 'AwaitingPromotion') {
    return { ...waits, why: `Wave ${wave.name} opens by a decision.`, next: 'Promote it.' };
  }
  if (of.phase === 'WaitingForApproval') {
    return { ...waits, why: `${counted(wave.waiting, 'plan')} not approved.`, next: 'Review and approve.' };
  }
  if (wave.code === 'NotEnoughSuccesses') {
    const next = 'Promote it, or retry the clusters that failed.';
    return { ...waits, why: `Wave ${wave.name} has too few successes.`, next };
  }
  return undefined;
}

function goesOn(of: Judged, wave: Wave, at: number): RolloutVerdict {
  const place = of.waves.length > 1 ? `wave ${at + 1} of ${of.waves.length} (${wave.name})` : '';
  const done = `${wave.done} of ${counted(wave.members, 'cluster')} done${place === '' ? '' : ` in ${place}`}`;
  const failed = sumOf(of, 'failed');
  const some = failed === 0 ? '' : ` ${counted(failed, 'cluster')} failed, within budget.`;
  const standing = failed > 0 ? 'blocked' : 'under-way';
  const [red] = redGates(of);
  if (red !== undefined) {
    const why = `Gate ${red.gate} of wave ${red.wave} is red in some clusters.${some}`;
    return { standing: 'blocked', state: 'Progressing', why, next: 'It stops if the gate stays red.' };
  }
  if (wave.phase === 'Soaking') return { standing, state: 'Soaking', why: `${done}.${some}`, next: '' };
  if (wave.code === 'GateBefore') {
    return {
      standing,
      state: 'Waiting for a gate',
      why: `Wave ${wave.name} opens when its gate is green.${some}`,
      next: '',
    };
  }
  const moves = wave.underWay > 0 ? `, ${wave.underWay} in progress` : '';
  return { standing, state: 'Progressing', why: `${done}${moves}.${some}`, next: '' };
}
