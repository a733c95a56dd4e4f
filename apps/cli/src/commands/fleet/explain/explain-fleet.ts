import { type UnreadableObject } from '#core/kernel/api/fleet/unreadable-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { counted } from '#core/kernel/text/counted';
import { didYouMean } from '#core/kernel/text/did-you-mean';
import { isFinal } from '#core/rollout/controller/step/phases';
import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import { WITHDRAWN_END, withdrawnText } from '#core/rollout/controller/step/withdrawn';
import { heldByUnreadable } from '#core/rollout/placement/held-subject';
import type { SubjectProblem } from '#core/rollout/placement/subject-problem';
import { GREEN_AGAIN, HALT_ENDS, isGreenAgain } from '#core/rollout/status/rollout-conditions';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { problemOf } from '#lifecycle/rollouts/controller/writes/subject-status';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { isData } from '../../../output/data-format.js';
import { adviceLine, folded } from '../../../output/folded-lines.js';
import { NEXT } from '../../../output/next-commands.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { exitCodeOf, verdictOf } from '../../../output/verdict.js';
import { type Io, NotFound, UsageError } from '../../../terminal/io.js';
import { meantName, nameOnly, readFleet, shortName } from '../hub/read-fleet.js';
import { type FleetStep, newRolloutSteps, step } from '../rollout/advised-steps.js';
import { deniedBy, deniedOf, liftedBy } from '../rollout/denied-target.js';
import { type DeprecatedAsked, deprecatedLine, deprecatedOperators } from '../rollout/deprecated-operators.js';
import { deniedSteps, explainReturns, hasDeniedReturns } from '../rollout/explain-return.js';
import { type RolloutAnswer, rolloutAnswer } from '../rollout/rollout-answer.js';
import { awaitedClasses, type RolloutHints, rolloutHints, saidOf } from '../rollout/rollout-hints.js';
import { reportedIn } from '../rollout/row-context.js';
import { explainRow, type FleetExplanation, overThreshold, troubles, wavesBefore } from './explain-row.js';

export type ExplainAsked = Readonly<{
  what: string;
  cluster?: string | undefined;
  namespace?: string | undefined;
  output: AnswerFormat;
}>;

const MOST_EXAMPLES = 5;
/** A cluster in one of these neither waits nor has failed. */
const WELL = new Set(['Done', 'Applying', 'Verifying', 'RollingBack', 'Removed']);

/**
 * Runs `flotilla fleet explain`: prints the one reason behind the state of a cluster, an operator or a
 * rollout.
 */
export async function explainFleet(hub: KubeClient, io: Io, asked: ExplainAsked, now: Date): Promise<void> {
  const fleet = await readFleet(hub, now);
  const explanations = explanationsOf(fleet, asked);
  const isWell = explanations.every(isAllWell);
  const verdict = verdictOf(isWell);
  if (isData(asked.output)) await printData(io, { verdict, explanations }, asked.output);
  else io.out(explanations.map((one) => explanationText(one, io.columns)).join(''));
  io.exit(exitCodeOf(verdict));
}

const isAllWell = ({ phase }: FleetExplanation): boolean => WELL.has(phase);

/** The sentence, the chain behind it, and the commands that help. */
export function explanationText({ about, sentence, chain, todo }: FleetExplanation, width?: number): string {
  const stop = /[.!?]$/.test(sentence) ? '' : '.';
  const steps = todo.map(({ command, note }: FleetStep) => adviceLine(command, note, width));
  const text = `${about} ${sentence}${stop}\n${chain.map((line) => `  ${line}\n`).join('')}`;
  return `${folded(text, width)}${steps.join('')}`;
}

function explanationsOf(fleet: LiveFleet, { what, cluster, namespace }: ExplainAsked): FleetExplanation[] {
  const clusters = [...fleet.clusters.keys()];
  const unreadable = [...fleet.unreadable.values()].flatMap((one) => nameOfUnreadable(one) ?? []);
  const subjects = [...[...fleet.files.subjects.values()].map(({ rolloutPrefix }) => rolloutPrefix), ...unreadable];
  const rollouts = fleet.rollouts.map(({ record }) => record.spec.name);
  const found = cluster === undefined ? kindOf(what, clusters, rollouts, subjects, namespace) : undefined;
  if (found?.kind === 'cluster') return ofCluster(fleet, found.name);
  const named = found ?? kindOf(what, [], rollouts, subjects, namespace);
  const rollout = named.kind === 'rollout' ? rolloutOf(fleet, named.name) : newestOf(fleet, named.name);
  if (rollout === undefined) return [nothingToDo(fleet, named.name)];
  const { subject } = rollout.record.spec;
  if (cluster === undefined) return [withDeprecated(ofRollout(fleet, rollout), fleet, { subject })];
  const name = meantName('cluster', cluster, clusters);
  return [withDeprecated(ofRow(fleet, rollout, name), fleet, { subject, cluster: name })];
}

/** Adds the deprecations of the installed operators. They block nothing. */
const withDeprecated = (found: FleetExplanation, fleet: LiveFleet, asked: DeprecatedAsked): FleetExplanation => ({
  ...found,
  chain: [...found.chain, ...deprecatedOperators(fleet, asked).map(deprecatedLine)],
});

type Named = Readonly<{ kind: 'cluster' | 'rollout' | 'subject'; name: string }>;

/** Returns the kind of the object that a word names, or of the only name that begins with it. */
function kindOf(
  word: string,
  clusters: readonly string[],
  rollouts: readonly string[],
  subjects: readonly string[],
  namespace?: string,
): Named {
  const lists = [
    ['cluster', clusters],
    ['rollout', rollouts],
    ['subject', subjects],
  ] as const;
  const place = (name: string): boolean => namespace === undefined || name.startsWith(`${namespace}/`);
  const all = lists.flatMap(([kind, names]) =>
    names.filter((name) => kind === 'cluster' || place(name)).map((name) => ({ kind, name })),
  );
  const exact = all.filter(({ name }) => name === word || nameOnly(name) === word);
  const found = exact.length > 0 ? exact : all.filter(({ name }) => nameOnly(name).startsWith(word));
  const [first, ...others] = found;
  // Rollouts begin with the name of their subject: the subject is the shorter word.
  if (first !== undefined && (others.length === 0 || exact.length === 1)) return first;
  if (first === undefined) {
    const meant = didYouMean(
      word,
      all.map(({ name }) => nameOnly(name)),
    );
    throw new NotFound(`"${word}" is not the name of a cluster, rollout, FleetOperator or Staged FleetCatalog${meant}`);
  }
  const names = found.slice(0, MOST_EXAMPLES).map(({ kind, name }) => `${kind} ${name}`);
  throw new UsageError(`"${word}" is ambiguous: ${names.join(', ')}; write more of the name`);
}

const rolloutOf = (fleet: LiveFleet, name: string): LiveRollout | undefined =>
  fleet.rollouts.find(({ record }) => record.spec.name === name);

/** Returns the subject's active rollout, otherwise its newest one. */
function newestOf(fleet: LiveFleet, subject: string): LiveRollout | undefined {
  const own = fleet.rollouts.filter(({ record }) => record.subject.rolloutPrefix === subject);
  return own.find(({ facts }) => facts.role === 'active') ?? own.at(-1);
}

/** `NAMESPACE/NAME` of a FleetOperator that cannot be read. */
const nameOfUnreadable = ({ kind, object: { metadata } }: UnreadableObject): string | undefined =>
  kind === 'FleetOperator' ? `${metadata.namespace}/${metadata.name}` : undefined;

function nothingToDo(fleet: LiveFleet, name: string): FleetExplanation {
  const subject = [...fleet.files.subjects.values()].find(({ rolloutPrefix }) => rolloutPrefix === name);
  const unreadable = [...fleet.unreadable.values()].find((one) => nameOfUnreadable(one) === name);
  if (unreadable !== undefined) return heldText(name, heldByUnreadable(unreadable));
  const problem = subject && problemOf(subject, fleet);
  const chain = subject === undefined ? [] : deprecatedOperators(fleet, { subject: subject.key }).map(deprecatedLine);
  const about = { about: name, chain, todo: [] };
  if (problem === undefined) {
    return { ...about, phase: 'Done', reason: 'UpToDate', sentence: 'has no rollout: no cluster plans a change' };
  }
  const { reason, message } = problem;
  return { ...about, phase: 'Waiting', reason, sentence: `has no rollout (${reason}): ${message}` };
}

function ofRow(fleet: LiveFleet, rollout: LiveRollout, cluster: string): FleetExplanation {
  const { record, facts } = rollout;
  const row = record.rows.get(cluster);
  const short = shortName(fleet, record.spec.name);
  if (row !== undefined) return explainRow({ fleet, rollout, row, short });
  const sentence = facts.isTarget(cluster)
    ? `does not belong to ${record.spec.name} yet`
    : `is not a target of ${record.spec.name}: clusters of the subject or of its catalog do not match, or the cluster does not allow its namespace`;
  return { about: cluster, phase: 'Removed', reason: 'Unplaced', sentence, chain: [], todo: [] };
}

/** Explains the troubles of the cluster itself, then its part in each rollout that is not over. */
function ofCluster(fleet: LiveFleet, name: string): FleetExplanation[] {
  const object = fleet.state.clusters.find(({ metadata }) => metadata.name === name);
  const wrong = object === undefined ? [] : troubles(object);
  const rows = fleet.rollouts
    .filter(({ record, facts }) => facts.role !== 'frozen' && record.rows.has(name))
    .map((rollout) => {
      const explained = ofRow(fleet, rollout, name);
      return { ...explained, about: `${name}, ${rollout.record.spec.name}:` };
    });
  const own: FleetExplanation = {
    about: name,
    phase: wrong.length === 0 ? 'Done' : 'Waiting',
    reason: wrong.length === 0 ? 'Well' : 'Troubled',
    sentence: wrong.length === 0 ? `is healthy, with ${counted(rows.length, 'rollout')}` : 'has a problem',
    chain: wrong,
    todo: [],
  };
  return [withDeprecated(own, fleet, { cluster: name }), ...rows];
}

/** The input for the explanation of a rollout. `causes`: the causes of failed clusters. */
type RolloutPlace = Readonly<{
  fleet: LiveFleet;
  rollout: LiveRollout;
  answer: RolloutAnswer;
  hints: RolloutHints;
  short: string;
  causes: readonly string[];
}>;
type Explained = Omit<FleetExplanation, 'about' | 'reason'>;

/** Explains a subject that is held, with the reason and message of its problem. */
const heldText = (about: string, { reason, message }: SubjectProblem): FleetExplanation => ({
  ...{ about, phase: 'Waiting', reason, sentence: `is held (${reason}): ${message}`, chain: [], todo: [] },
});

function ofRollout(fleet: LiveFleet, rollout: LiveRollout): FleetExplanation {
  const { status, spec } = rollout.record;
  const hold = isFinal(status.phase) ? undefined : fleet.held.holdOf(spec.subject);
  if (hold !== undefined) return heldText(spec.name, hold);
  const answer = rolloutAnswer(fleet, rollout);
  const hints = rolloutHints(fleet, rollout);
  const causes = [
    ...answer.failures.flatMap((one) => [
      causeText(`${one.clusters} Failed (${one.reason})`, one),
      ...saidOf(one, hints),
    ]),
    ...answer.wentBack.map((one) => causeText(`${one.clusters} failed before the rollback`, one)),
  ];
  const place = { fleet, rollout, answer, hints, short: shortName(fleet, spec.name), causes };
  return { about: spec.name, reason: status.reason, ...wordsOf(place) };
}

function wordsOf(place: RolloutPlace): Explained {
  const { phase, reason } = place.rollout.record.status;
  if (isFinal(phase)) return ended(place);
  if (place.hints.isWithdrawn && phase !== 'RollingBack' && reason !== 'RollbackIncomplete') return withdrawn(place);
  if (phase === 'Halted' || phase === 'Paused') return stopped(place);
  if (phase !== 'RollingBack') return atWork(place);
  const { sentence, chain, todo } = explainReturns(place);
  const isWaiting = place.answer.counts.rollingBack === 0 && todo.length > 0;
  return { phase: isWaiting ? 'Waiting' : 'RollingBack', sentence, chain: [...chain, ...place.causes], todo };
}

function ended({ fleet, rollout, answer, hints, short, causes }: RolloutPlace): Explained {
  const { phase, reason } = rollout.record.status;
  const isWell = phase === 'Completed' && answer.counts.failed === 0;
  return {
    phase: isWell ? 'Done' : 'Failed',
    sentence: `ended ${phase} (${reason}): ${answer.counts.done} of ${answer.counts.targets} done`,
    chain: [...causes, ...endedEarly(hints), ...deniedLine(fleet, answer), ...withdrawnLine(hints, answer)],
    todo: [
      ...answer.failures.flatMap(({ sample: [first] }) => failureStep(short, first)),
      ...newRolloutSteps({ rollout, short }),
    ],
  };
}

const resumeNote = (status: RolloutStatus): string => {
  if (isGreenAgain(status)) return GREEN_AGAIN;
  return status.phase === 'Halted' ? 'the failures no longer count' : '';
};

function stopped({ rollout, answer, hints, short, causes }: RolloutPlace): Explained {
  const { phase, reason } = rollout.record.status;
  const base = { phase: 'Waiting', sentence: stopText(phase, reason) };
  if (reason === 'RollbackIncomplete') {
    const isDenied = hasDeniedReturns(rollout);
    const todo = isDenied
      ? deniedSteps(short)
      : [step(NEXT.rollBack(short), 'tries again'), step(NEXT.abortRollout(short), HALT_ENDS)];
    return { ...base, chain: [...overThreshold(rollout), ...causes, ...(isDenied ? [RETURNS_DENIED] : [])], todo };
  }
  const todo = [
    { command: NEXT.resumeRollout(short), note: resumeNote(rollout.record.status) },
    ...answer.failures.flatMap(({ sample: [first] }) => failureStep(short, first)),
    ...(phase === 'Halted' && !rollout.facts.hasQueued ? [step(NEXT.abortRollout(short), HALT_ENDS)] : []),
  ];
  return { ...base, chain: [...overThreshold(rollout), ...causes, ...keptLines(hints)], todo };
}

function atWork(place: RolloutPlace): Explained {
  const { fleet, rollout, answer, hints, short, causes } = place;
  const { phase, reason, waves } = rollout.record.status;
  const inFlight = answer.counts.applying + answer.counts.verifying;
  const [most] = heldRows(rollout);
  const at = waves.findIndex((wave) => wave.phase !== 'Complete');
  const { chain = [], todo = [] } = wavesBefore(rollout, at, short);
  const sentence = `is ${phase} (${reason}): ${inFlight} in flight`;
  if (inFlight > 0 || most === undefined) {
    const lines = [...chain, ...keptLines(hints), ...causes];
    const steps = [...todo, ...approvalSteps(place)];
    return { phase: inFlight > 0 ? 'Applying' : 'Waiting', sentence, chain: lines, todo: steps };
  }
  const example = explainRow({ fleet, rollout, row: most, short });
  const waiting = answer.waiting.map((one) => `${one.clusters} ${one.reason}`).join(' · ');
  return {
    phase: 'Waiting',
    sentence: `waits: ${waiting}`,
    chain: [...chain, `${example.about} ${example.sentence}`, ...example.chain],
    todo: [...todo, ...example.todo],
  };
}

/**
 * Explains a rollout with a withdrawn target. No decision brings that target: the rollout ends with the
 * next one, or by an abort.
 */
function withdrawn({ fleet, rollout, answer, hints, short, causes }: RolloutPlace): Explained {
  const [first] = [...rollout.record.rows.values()].sort((a, b) => byCodeUnit(a.cluster, b.cluster));
  const said = first === undefined ? [] : reportedIn({ fleet, rollout, row: first });
  return {
    phase: 'Waiting',
    sentence: WITHDRAWN_END,
    chain: [...withdrawnLine(hints, answer), ...said.map((text) => `${first?.cluster}: ${text}`), ...causes],
    todo: [step(NEXT.abortRollout(short), 'ends it now')],
  };
}

const withdrawnLine = ({ isWithdrawn }: RolloutHints, { target }: RolloutAnswer): string[] =>
  isWithdrawn ? [withdrawnText(target)] : [];

/** Returns, for a rollout that has ended, the clusters that are neither as they were nor at the target. */
const endedEarly = ({ leftOnTheWay }: RolloutHints): string[] =>
  leftOnTheWay === 0 ? [] : [`${counted(leftOnTheWay, 'cluster was', 'clusters were')} left midway`];

const keptLines = ({ kept }: RolloutHints): string[] =>
  kept.map(({ reason, clusters }) => `${counted(clusters, 'cluster')} waiting between two steps (${reason})`);

/** Classes that wait for approval while clusters of others are changed. */
const approvalSteps = ({ answer, hints, short }: RolloutPlace): FleetStep[] =>
  awaitedClasses(answer.classes, hints)
    .slice(0, MOST_EXAMPLES)
    .map(({ hash }) => step(NEXT.fleetClass(short, hash), 'waits for approval'));

const RETURNS_DENIED = 'a rule of the strategy denies Rollback: no cluster is rolled back';

const causeText = (what: string, { cause, sample }: Readonly<{ cause: string; sample: readonly string[] }>): string =>
  `${what}${cause === '' ? '' : `: ${cause}`} [${sample.join(', ')}]`;

/**
 * Returns a line about versions that are not offered again by themselves: a rolled-back target, and a version
 * on its path that failed.
 */
const deniedLine = (fleet: LiveFleet, { name, subject, target }: RolloutAnswer): string[] =>
  deniedBy(fleet, subject, target) === name ? [deniedText(deniedOf(fleet, subject, name), liftedBy(fleet, name))] : [];

const deniedText = (bundles: readonly string[], lifted: string): string =>
  `${bundles.join(' and ')} ${bundles.length === 1 ? 'is' : 'are'} not offered again before ${lifted}`;

const stopText = (phase: string, reason: string): string =>
  phase === 'Paused'
    ? reason === 'SubjectPaused'
      ? 'is paused: spec.paused of its subject is set (SubjectPaused)'
      : 'is paused by a decision'
    : `has halted (${reason}): it starts nothing without a decision`;

const failureStep = (short: string, cluster: string | undefined): FleetStep[] =>
  cluster === undefined ? [] : [{ command: NEXT.fleetExplain(short, cluster), note: 'one of them' }];

/** Waiting clusters of the first wave that is not over, those with the commonest reason first. */
function heldRows({ record }: LiveRollout) {
  const at = record.status.waves.findIndex(({ phase }) => phase !== 'Complete');
  const rows = [...record.rows.values()].filter(({ phase, wave }) => phase === 'Waiting' && wave === at);
  const counts = Map.groupBy(rows, ({ reason }) => reason);
  return rows.sort(
    (a, b) =>
      (counts.get(b.reason)?.length ?? 0) - (counts.get(a.reason)?.length ?? 0) || byCodeUnit(a.cluster, b.cluster),
  );
}
