import { shortDuration } from '#core/kernel/durations/short-duration';
import { counted } from '#core/kernel/text/counted';
import { WITHDRAWN_ABORT, withdrawnText } from '#core/rollout/controller/step/withdrawn';
import { durationMs } from '#core/rollout/placement/waves';
import { HALT_ENDS, isGreenAgain } from '#core/rollout/status/rollout-conditions';
import { adviceLine, folded } from '../../../output/folded-lines.js';
import { NEXT } from '../../../output/next-commands.js';
import { type Columns, table } from '../../../output/table.js';
import { cutTo } from '../../../terminal/display-width.js';
import { deniedSteps } from '../rollout/explain-return.js';
import type {
  ClassAnswer,
  FailureAnswer,
  RolloutAnswer,
  WaitingAnswer,
  WaveAnswer,
} from '../rollout/rollout-answer.js';
import { awaitedClasses, type RolloutHints, saidOf } from '../rollout/rollout-hints.js';

/** Options for the text of a rollout. `short` is its name as commands take it. */
type RolloutTextOptions = Readonly<{
  short: string;
  now: number;
  width?: number | undefined;
  wide: boolean;
  /** A rule of its strategy denies that clusters go back. */
  deniesReturns?: boolean;
  hints: RolloutHints;
}>;

const FINAL = new Set(['Completed', 'RolledBack', 'Aborted', 'Superseded']);
/** Most classes waiting for approval that are named. */
const NAMED_CLASSES = 5;
/** Characters of a hash that are enough to type. */
const SHORT_HASH = 12;
/** Most columns of a cause on a terminal; `explain` has the whole text. */
const LONGEST_CAUSE = 200;

/**
 * Returns one rollout for people: a line, its waves, the reasons of waiting clusters, and the next steps.
 */
export function rolloutText(answer: RolloutAnswer, options: RolloutTextOptions): string {
  const { width, wide } = options;
  const parts = [
    folded(wrapped(headline(answer, options), '   ', width), width),
    table(answer.waves, waveColumns(answer, options), wide ? undefined : width).trimEnd(),
    isOver(answer) ? untouchedLine(answer.counts, options.hints) : waitingLine(answer.waiting, options),
    withdrawnLine(answer, options),
    ...answer.failures.flatMap((failure) => [failureLine(failure, options), ...saidLines(failure, options)]),
    wentBackLine(answer, options),
    ...classLines(answer.classes, options),
    ...nextLines(answer, options),
  ];
  return `${parts.filter((part) => part !== '').join('\n')}\n`;
}

/**
 * Returns the rollout's identity and progress. If the terminal is narrow, the parts are lines of their own.
 */
function headline(answer: RolloutAnswer, { now }: RolloutTextOptions): string[] {
  const { name, target, phase, reason, waves, currentWave, startedAt, finishedAt } = answer;
  const until = finishedAt === null ? now : Date.parse(finishedAt);
  const took = shortDuration(until - Date.parse(startedAt));
  const usual = new Set(['Planned', 'AllWavesComplete', 'Released', 'Decision']);
  const why = usual.has(reason) ? '' : ` (${reason})`;
  const state = `${name}  ${target}  ${phase}${why}`;
  if (FINAL.has(phase)) return [state, `after ${took}`];
  const wave = currentWave === null ? undefined : waves[currentWave - 1];
  const place = wave === undefined ? '' : `wave ${currentWave} of ${waves.length} (${wave.name}), `;
  return [state, `${place}${took}`];
}

/** A terminal that is narrower shows members with those that are done, and no skipped ones. */
const ALL_FIT = 80;

function waveColumns(
  { waves, phase }: RolloutAnswer,
  { now, width = ALL_FIT, wide }: RolloutTextOptions,
): Columns<WaveAnswer> {
  const isNarrow = width < ALL_FIT && !wide;
  const number = (heading: string, of: (wave: WaveAnswer) => number) =>
    [heading, (wave: WaveAnswer) => String(of(wave))] as const;
  const hasReturns = waves.some(({ counts }) => counts.rollingBack + counts.rolledBack > 0);
  const isOver = FINAL.has(phase);
  return [
    ['WAVE', ({ name }) => name],
    ['STATE', (wave) => wave.phase],
    ...(isNarrow ? [] : [number('MEMBERS', ({ counts }) => counts.targets)]),
    ['DONE', ({ counts }) => (isNarrow ? `${counts.done}/${counts.targets}` : String(counts.done))],
    ['FLIGHT', (wave) => flightOf(wave, isOver)],
    number('WAIT', ({ counts }) => counts.waiting),
    number('FAILED', ({ counts }) => counts.failed),
    ...(isNarrow ? [] : [number('SKIPPED', ({ counts }) => counts.skipped)]),
    ...(hasReturns ? [number('BACK', ({ counts }) => counts.rollingBack + counts.rolledBack)] : []),
    ['NOTE', (wave) => noteOf(wave, now)],
  ];
}

/** Returns the number of clusters in flight. Adds the limit while the wave is open. */
function flightOf({ phase, counts, limit }: WaveAnswer, isOver: boolean): string {
  const inFlight = counts.applying + counts.verifying;
  const atWork = !isOver && (phase === 'Open' || phase === 'Soaking');
  return atWork ? `${inFlight}/${limit}` : String(inFlight);
}

function soakNote(reason: string, soakUntil: string | null, now: number): string {
  if (reason === 'NotEnoughSuccesses') return 'not enough successes: one was lost';
  if (soakUntil === null) return 'waits for its checks';
  return `soaks for another ${shortDuration(Date.parse(soakUntil) - now)}`;
}

function noteOf({ phase, reason, soak, soakUntil }: WaveAnswer, now: number): string {
  const hasSoak = durationMs(soak) > 0;
  switch (phase) {
    case 'Open':
      if (reason === 'NotEnoughSuccesses') return 'not enough successes';
      return hasSoak ? `soak ${soak} after the last success` : '';
    case 'Soaking':
      return soakNote(reason, soakUntil, now);
    case 'AwaitingPromotion':
      return 'waits for promotion';
    case 'Pending':
      return reason === 'GateBefore' ? 'waits for its checks' : '';
    case 'Complete':
      return reason === 'Promoted' ? 'promoted' : reason === 'Empty' ? 'empty' : '';
    default:
      return '';
  }
}

/**
 * True if the rollout has ended and is not the one that joining clusters get: a waiting cluster waits for
 * nothing any more.
 */
const isOver = ({ phase, role }: RolloutAnswer): boolean => FINAL.has(phase) && role === 'frozen';

function untouchedLine({ waiting }: RolloutAnswer['counts'], { leftOnTheWay }: RolloutHints): string {
  const part = (clusters: number, what: string): string[] =>
    clusters === 0 ? [] : [`${counted(clusters, 'cluster was', 'clusters were')} ${what}`];
  return [...part(waiting - leftOnTheWay, 'not changed'), ...part(leftOnTheWay, 'left midway')].join(' · ');
}

const withdrawnLine = ({ phase, target }: RolloutAnswer, { hints, width }: RolloutTextOptions): string =>
  hints.isWithdrawn && !FINAL.has(phase) ? folded(withdrawnText(target), width) : '';

function waitingLine(waiting: readonly WaitingAnswer[], { hints, width }: RolloutTextOptions): string {
  const parts = waiting.map(({ reason, clusters, window }) => {
    const until = window === null ? '' : ` (${window.until})`;
    return `${clusters} ${reason}${until}`;
  });
  const kept = hints.kept.map(({ reason, clusters }) => `${clusters} waiting between two steps (${reason})`);
  return wrapped([...kept, ...parts], ' · ', width);
}

/** Wraps parts into lines of a terminal. Cuts no part. */
function wrapped(parts: readonly string[], separator: string, width = Number.POSITIVE_INFINITY): string {
  const lines: string[] = [];
  for (const part of parts) {
    const last = lines.at(-1);
    const longer = last === undefined ? part : `${last}${separator}${part}`;
    if (last !== undefined && longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines.join('\n');
}

function failureLine({ reason, cause, clusters, sample }: FailureAnswer, { width }: RolloutTextOptions): string {
  const why = cause === '' ? '' : `: ${width === undefined ? cause : cutTo(cause, LONGEST_CAUSE)}`;
  return folded(`${clusters} Failed (${reason})${why} [${sampleText(clusters, sample)}]`, width);
}

/** Returns the reports in one line each, which is cut: `explain` has the whole text. */
const saidLines = (failure: FailureAnswer, { hints, width }: RolloutTextOptions): string[] =>
  saidOf(failure, hints).map((said) => {
    const line = `  ${said.replaceAll(/\s+/g, ' ')}`;
    return width === undefined ? line : cutTo(line, width);
  });

const sampleText = (clusters: number, sample: readonly string[]): string =>
  `${sample.join(', ')}${clusters > sample.length ? ', …' : ''}`;

/** Returns the cause of the return: clusters that had failed before it. */
function wentBackLine({ wentBack }: RolloutAnswer, { width }: RolloutTextOptions): string {
  return wentBack
    .map(({ cause, clusters, sample }) => {
      const why = cause === '' ? '' : `: ${width === undefined ? cause : cutTo(cause, LONGEST_CAUSE)}`;
      return folded(`${clusters} failed before the rollback${why} [${sampleText(clusters, sample)}]`, width);
    })
    .join('\n');
}

function classLines(classes: readonly ClassAnswer[], { short, width, hints }: RolloutTextOptions): string[] {
  const waiting = awaitedClasses(classes, hints);
  const refused = classes.filter(({ approval }) => approval === 'Rejected' || approval === 'Denied');
  const shown = waiting.slice(0, NAMED_CLASSES);
  const lines = shown.flatMap((one, at) => {
    const head = at === 0 ? `${counted(waiting.length, 'class waits', 'classes wait')} for approval: ` : '  ';
    return [
      folded(`${head}${classText(one, hints)}`, width),
      `  → ${NEXT.fleetClass(short, one.hash.slice(0, SHORT_HASH))}`,
    ];
  });
  const more = waiting.length - shown.length;
  return [
    ...lines,
    ...(more > 0 ? [`  and ${more} more: ${NEXT.fleetPlan(short)}`] : []),
    ...refused.map((one) => folded(`${one.approval}: ${classText(one, hints)}`, width)),
  ];
}

/**
 * Returns `3f9c1e2ab7d0, 44 clusters (Minor, RBACGrowth)`, its target if it is not the rollout's, and the
 * number of approvals if it needs several.
 */
function classText({ hash, clusters, changes, demands }: ClassAnswer, { ownTargets }: RolloutHints): string {
  const own = ownTargets.get(hash);
  const to = own === undefined ? '' : ` to ${own}`;
  const partly = demands.find(({ min, approvedBy }) => min > 1 && approvedBy.length > 0);
  const votes = partly === undefined ? '' : `, ${partly.approvedBy.length} of ${partly.min} approvals`;
  return `${hash}, ${counted(clusters, 'cluster')} (${changes.join(', ')})${to}${votes}`;
}

/** Advises how to end the wait of an open wave, and how to see failures. */
function goingOn(
  { waves, failures }: Pick<RolloutAnswer, 'waves' | 'failures'>,
  short: string,
  next: (command: string, note?: string) => string,
): string[] {
  const promotable = waves.find((wave) => wave.phase === 'AwaitingPromotion' || wave.reason === 'NotEnoughSuccesses');
  const isRetried = promotable?.reason === 'NotEnoughSuccesses' && promotable.counts.failed > 0;
  return [
    ...(promotable === undefined
      ? []
      : [next(NEXT.promoteWave(short, promotable.name), isRetried ? 'without them' : '')]),
    ...(isRetried ? [next(NEXT.retryRollout(short), 'failed clusters are retried')] : []),
    ...(failures.length === 0 ? [] : [next(NEXT.fleetFailures(short))]),
  ];
}

const GREEN = 'continues: its gates are green now';
const FORGIVEN = 'continues; the failures no longer count';

function nextLines(
  { phase, reason, waves, failures }: RolloutAnswer,
  { short, width, deniesReturns = false, hints }: RolloutTextOptions,
): string[] {
  const next = (command: string, note = ''): string => adviceLine(command, note, width).trimEnd();
  const isIncomplete = phase === 'Halted' && reason === 'RollbackIncomplete';
  if (isIncomplete && deniesReturns) {
    return [
      next(NEXT.fleetFailures(short), 'why it stopped'),
      ...deniedSteps(short).map((one) => next(one.command, one.note)),
    ];
  }
  if (isIncomplete) {
    return [
      next(NEXT.fleetFailures(short), 'causes of failed rollbacks'),
      next(NEXT.rollBack(short), 'tries again'),
      next(NEXT.abortRollout(short), HALT_ENDS),
    ];
  }
  if (hints.isWithdrawn && !FINAL.has(phase)) {
    return [next(NEXT.abortRollout(short), WITHDRAWN_ABORT)];
  }
  if (phase === 'Halted') {
    return [
      next(NEXT.fleetFailures(short), 'why it stopped'),
      next(NEXT.resumeRollout(short), isGreenAgain({ phase, reason, waves }) ? GREEN : FORGIVEN),
      ...(deniesReturns ? [] : [next(NEXT.rollBack(short), 'rolls back every cluster that it changed')]),
      next(NEXT.abortRollout(short), HALT_ENDS),
    ];
  }
  if (phase === 'Paused' && reason === 'Decision') return [next(NEXT.resumeRollout(short))];
  if (FINAL.has(phase)) return [];
  return goingOn({ waves, failures }, short, next);
}
