import type { DecisionAction } from '#core/kernel/api/fleet/fleet-decision';
import { counted } from '#core/kernel/text/counted';
import { isFinal } from '#core/rollout/controller/step/phases';
import { ROLLBACK_CLASS } from '#core/rollout/controller/step/returns';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { parseDuration } from '#platform/config/duration';
import { FolderVisitor } from '#platform/fleet/folder/folder-visitor';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { whoAmI } from '../../../clusters/who-am-i.js';
import { isData } from '../../../output/data-format.js';
import { NEXT } from '../../../output/next-commands.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { exitCodeOf, type Verdict } from '../../../output/verdict.js';
import { type Io, UsageError } from '../../../terminal/io.js';
import { meantName, meantRollout, readFleet, shortName } from '../hub/read-fleet.js';
import { groupsOf, openDemands } from '../rollout/approval-text.js';
import { planClassText } from '../rollout/plan-text.js';
import { type ClassAnswer, meantClass, rolloutAnswer } from '../rollout/rollout-answer.js';
import { holdOf } from '../rollout/window-hold.js';
import { type DecisionAsked, type DecisionOutcome, decide, foreseen } from './decide.js';
import { DECISION_WORDS, effectOf } from './decision-words.js';

/** A decision verb as it was typed. */
export type DecisionOrder = Readonly<{
  action: DecisionAction;
  rollout: string;
  namespace?: string | undefined;
  class?: string | undefined;
  allClasses?: boolean | undefined;
  wave?: string | undefined;
  clusters?: readonly string[] | undefined;
  /** The time for which windows are lifted. */
  for?: string | undefined;
  reason?: string | undefined;
  dryRun: boolean;
  wait: boolean;
  timeout: string;
  output: AnswerFormat;
}>;

const LEAST_REASON = 3;
const MOST_BREAK_GLASS_MS = 4 * 3_600_000;

/** Runs a verb that decides: checks the decision in advance, makes it, and waits for its effect. */
export async function makeDecisions(hub: KubeClient, io: Io, order: DecisionOrder): Promise<void> {
  const reason = await reasonOf(order.reason, io);
  const timeoutMs = durationOf('--timeout', order.timeout);
  const waitMs = order.wait && (await hasController(hub)) ? timeoutMs : undefined;
  const fleet = await readFleet(hub, new Date());
  const rollout = meantRollout(fleet, order.rollout, order.namespace);
  const by = await whoAmI(hub);
  const decisions = decisionsAsked(fleet, rollout, order, reason);
  const outcomes: DecisionOutcome[] = [];
  for (const asked of decisions) {
    if (asked.class !== undefined) io.err(await planClassText(hub, fleet, rollout, asked.class));
    const { reason: verdict, message = '' } = foreseen(fleet, rollout, asked, by);
    const known = { decision: null, rollout: rollout.record.spec.name, action: asked.action, by: by.user };
    outcomes.push(
      verdict === 'Effective'
        ? await decide(hub, rollout.record.spec.name, asked, by, { dryRun: order.dryRun, waitMs })
        : { ...known, class: asked.class ?? null, result: 'refused', reason: verdict, message },
    );
  }
  const after = order.dryRun ? fleet : await readFleet(hub, new Date());
  await report(after, outcomes, order, io);
}

/** True unless the fleet is in files that no hub uses. A decision without a hub waits for one. */
const hasController = async (hub: KubeClient): Promise<boolean> =>
  !(hub instanceof FolderVisitor) || (await hub.hasHub());

async function report(
  fleet: LiveFleet,
  outcomes: readonly DecisionOutcome[],
  { output }: DecisionOrder,
  io: Io,
): Promise<void> {
  const verdict = verdictOn(outcomes);
  if (isData(output)) await printData(io, { verdict, decisions: outcomes }, output);
  else for (const outcome of outcomes) (isLost(outcome) ? io.err : io.out)(`${outcomeText(fleet, outcome)}\n`);
  if (outcomes.length === 0 && !isData(output)) io.err('error: nothing waits for this decision\n');
  io.exit(exitCodeOf(verdict));
}

const isLost = ({ result }: DecisionOutcome): boolean => result === 'refused' || result === 'unanswered';

function verdictOn(outcomes: readonly DecisionOutcome[]): Verdict {
  if (outcomes.length === 0 || outcomes.some(({ result }) => result === 'refused')) return 'no';
  return outcomes.some(isLost) ? 'incomplete' : 'yes';
}

/** Returns the given reason, or otherwise asks for one at a terminal. */
async function reasonOf(given: string | undefined, io: Io): Promise<string> {
  const reason = (given ?? (await io.ask?.('reason: ')) ?? '').trim();
  if (reason.length >= LEAST_REASON) return reason;
  throw new UsageError('a decision needs a reason of at least three characters, such as --reason "CHG-1182"');
}

function durationOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined && ms > 0) return ms;
  throw new UsageError(`invalid ${option} "${text}": expected a duration such as 30s or 1h`);
}

/** The decisions that a command line stands for: one, or one for each class that waits. */
function decisionsAsked(fleet: LiveFleet, rollout: LiveRollout, order: DecisionOrder, reason: string): DecisionAsked[] {
  const { action, allClasses = false } = order;
  const { classes } = rolloutAnswer(fleet, rollout);
  const base = {
    action,
    reason,
    wave: order.wave,
    clusters: order.clusters?.map((name) => meantName('cluster', name, [...fleet.clusters.keys()])),
    expiresAt: expiresAt(fleet, order),
  };
  if (action !== 'Approve' && action !== 'Reject') {
    return [{ ...base, class: order.class === undefined ? undefined : meantClass(classes, order.class).hash }];
  }
  if (allClasses === (order.class !== undefined)) {
    throw new UsageError('name one plan class with --class HASH, or all waiting classes with --all-classes');
  }
  const about = ({ hash, changes }: ClassAnswer): DecisionAsked => ({
    ...{ ...base, class: hash },
    ...(action === 'Approve' ? { changes } : {}),
  });
  if (order.class !== undefined) return [about(meantClass(classes, order.class))];
  return classes.filter(({ approval }) => approval === 'Waiting').map(about);
}

function expiresAt(fleet: LiveFleet, order: DecisionOrder): string | undefined {
  if (order.action !== 'BreakGlass') return undefined;
  if (order.for === undefined) throw new UsageError('specify a duration with --for 1h, at most 4h');
  const ms = durationOf('--for', order.for);
  if (ms > MOST_BREAK_GLASS_MS) throw new UsageError(`--for ${order.for}: windows are lifted for 4h at most`);
  return new Date(fleet.now + ms).toISOString();
}

const REFUSALS: Readonly<Record<string, string>> = {
  UnknownClass: 'the rollout has no such plan class',
  UnknownWave: 'the rollout has no such wave',
  UnknownCluster: 'a cluster does not belong to the rollout',
  UnknownRollout: 'it is gone',
  Expired: 'the decision expired before it could take effect',
};

function outcomeText(fleet: LiveFleet, outcome: DecisionOutcome): string {
  const { action, result, reason, message, by } = outcome;
  const { verb, past } = DECISION_WORDS[action];
  const found = fleet.rollouts.find(({ record }) => record.spec.name === outcome.rollout);
  const effect = effectOf(action, found?.record.status.phase);
  const short = shortName(fleet, outcome.rollout);
  const what = outcome.class === null ? short : `class ${outcome.class} of ${short}`;
  switch (result) {
    case 'effective':
      return action === 'Approve' ? approvedText(fleet, outcome, what) : `${what} ${past} by ${by}: ${effect}`;
    case 'would-be-effective':
      return `${what} would be ${past} by ${by}: ${effect} (--dry-run)`;
    case 'made':
      return `decision ${outcome.decision} made: ${verb} ${what} (${NEXT.fleetRollout(short)} shows its effect)`;
    case 'unanswered':
      return `error: decision ${outcome.decision} is stored, but ${message}; it takes effect when the controller runs`;
    case 'refused':
      return `error: ${what} is not ${past}: ${message === '' ? `${refusalText(fleet, outcome)} (${reason})` : message}`;
  }
}

function refusalText(fleet: LiveFleet, { rollout, action, class: hash, reason, by }: DecisionOutcome): string {
  const found = fleet.rollouts.find(({ record }) => record.spec.name === rollout);
  if (reason === 'NotAllowed') {
    const groups =
      action === 'BreakGlass' ? groupsOfWindows(fleet, found) : groupsOf(classOf(fleet, rollout, hash)?.demands ?? []);
    const what = action === 'BreakGlass' ? 'every window in the way' : 'one of its rules';
    return `${what} must name a group of ${by}; named ${groups.length === 0 ? 'is none' : `are ${groups.join(', ')}`}`;
  }
  if (reason !== 'NotApplicable') return REFUSALS[reason] ?? reason;
  const phase = found === undefined ? '' : `; it is ${found.record.status.phase}, ${found.record.status.reason}`;
  const newer = action === 'Retry' && found !== undefined ? newerThan(fleet, found) : undefined;
  if (newer !== undefined) return `its subject has a newer rollout, ${newer}${phase}`;
  return `${DECISION_WORDS[action].applies}${phase}`;
}

/**
 * Returns the subject's newest rollout if this one has ended and another one is newer: the newest one is
 * active.
 */
function newerThan(fleet: LiveFleet, { record, facts }: LiveRollout): string | undefined {
  if (facts.isNewest || !isFinal(record.status.phase)) return undefined;
  return fleet.rolloutsOf(record.spec.subject).newest?.spec.name;
}

/** Groups of the windows that would hold clusters of a rollout now, whatever else they wait for. */
function groupsOfWindows(fleet: LiveFleet, found: LiveRollout | undefined): string[] {
  const rows = [...(found?.record.rows.values() ?? [])].filter(({ phase }) => phase === 'Waiting');
  const groups = rows.flatMap(({ cluster }) =>
    found === undefined ? [] : (holdOf(fleet, found.record.subject, cluster)?.breakGlassGroups ?? []),
  );
  return [...new Set(groups)];
}

function classOf(fleet: LiveFleet, rollout: string, hash: string | null): ClassAnswer | undefined {
  const found = fleet.rollouts.find(({ record }) => record.spec.name === rollout);
  return found === undefined ? undefined : rolloutAnswer(fleet, found).classes.find((one) => one.hash === hash);
}

/** Clusters of a class that start nothing, whatever is approved. */
function setAsideOf(fleet: LiveFleet, rollout: string, hash: string | null): number {
  const rows = fleet.rollouts.find(({ record }) => record.spec.name === rollout)?.record.rows.values() ?? [];
  return [...rows].filter((row) => row.class === hash && row.phase === 'Skipped').length;
}

/**
 * Returns `class … approved by anna (1 of 1): 44 clusters may start`, or the approvals that are still
 * missing.
 */
function approvedText(fleet: LiveFleet, { rollout, class: hash, by }: DecisionOutcome, what: string): string {
  const answer = classOf(fleet, rollout, hash);
  if (answer === undefined) return `${what} approved by ${by}`;
  const { demands, clusters } = answer;
  const open = openDemands(demands);
  const given = demands.reduce((sum, { min, approvedBy }) => sum + Math.min(min, approvedBy.length), 0);
  const needed = demands.reduce((sum, { min }) => sum + min, 0);
  const votes = needed === 0 ? '' : ` (${given} of ${needed})`;
  const may = hash === ROLLBACK_CLASS ? 'may go back' : 'may start';
  if (open.length === 0) {
    const starting = clusters - setAsideOf(fleet, rollout, hash);
    const effect = starting === 0 ? 'all its clusters are skipped' : `${counted(starting, 'cluster')} ${may}`;
    return `${what} approved by ${by}${votes}: ${effect}`;
  }
  const groups = open.map((one) => (one.groups.length === 0 ? 'another user' : one.groups.join(' or ')));
  return `${what} approved by ${by}${votes}: an approval of ${groups.join(', and of ')} is still needed`;
}
