import type { FleetCluster } from '#core/kernel/api/fleet/fleet-cluster';
import { shortDuration } from '#core/kernel/durations/short-duration';
import { counted } from '#core/kernel/text/counted';
import { NOT_OFFERED } from '#core/rollout/controller/facts/report-reasons';
import { isFinal } from '#core/rollout/controller/step/phases';
import { isInFlight, type RolloutRow } from '#core/rollout/controller/step/row';
import { durationMs, placesOf, thresholdOf } from '#core/rollout/placement/waves';
import { approvalDemands } from '#core/rollout/review/class-approval';
import type { LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import { NEXT } from '../../../output/next-commands.js';
import { type FleetStep, newRolloutSteps, retrySteps, skipSteps, step } from '../rollout/advised-steps.js';
import { demandText, openDemands } from '../rollout/approval-text.js';
import { targetThere, upToDateText } from '../rollout/cluster-target.js';
import { explainReturn } from '../rollout/explain-return.js';
import { isLeftOnTheWay } from '../rollout/rollout-hints.js';
import { type RowPlace, type RowWords, reportedIn } from '../rollout/row-context.js';
import { holdOf } from '../rollout/window-hold.js';
import { applying, breakGlassSteps } from './explain-applying.js';

/** The one reason behind the state of an object, the causes behind that, and possible steps. */
export type FleetExplanation = Readonly<{
  about: string;
  phase: string;
  reason: string;
  /** `waits for …`, without its subject. */
  sentence: string;
  chain: readonly string[];
  todo: readonly FleetStep[];
}>;

/** Explains the state of a cluster in a rollout. */
export function explainRow(place: RowPlace): FleetExplanation {
  const { row } = place;
  const own = wordsOf(place);
  const returning = explainReturn(place, row);
  const { sentence, chain = [], todo = [] } = returning === undefined ? own : togetherWith(own, returning);
  return { about: row.cluster, phase: row.phase, reason: row.reason, sentence, chain, todo };
}

/**
 * Adds the pending return to the words for the cluster's state. The steps for that state alone do not help.
 */
const togetherWith = ({ sentence, chain = [] }: RowWords, returning: Required<RowWords>): RowWords => ({
  sentence,
  chain: [...chain, `it ${returning.sentence}`, ...returning.chain],
  todo: returning.todo,
});

function wordsOf(place: RowPlace): RowWords {
  const { row, rollout, fleet } = place;
  const target = targetThere(fleet, rollout, row);
  switch (row.phase) {
    case 'Waiting':
      if (isOver(rollout)) return leftBy(place);
      return withEnd(place, waits(place));
    case 'Applying':
      return applying(place);
    case 'Verifying':
      return verifying(place);
    case 'Done':
      return {
        sentence: row.reason === 'UpToDate' ? upToDateText(fleet, rollout, row) : `has ${target}, healthy`,
        chain: driftIn(place),
      };
    case 'Failed':
      return failed(place);
    case 'RollingBack':
      return { sentence: `is being rolled back (${row.reason})` };
    case 'RolledBack':
      return {
        sentence: `was rolled back to its version before ${target}`,
        chain: row.message !== '' ? [`the earlier failure: ${row.message}`] : [],
        todo: retrySteps(place, row.cluster, 'tries the target again there'),
      };
    case 'Skipped':
      return SKIPPED[row.reason]?.(place) ?? { sentence: `is skipped (${row.reason})` };
    case 'Removed':
      return { sentence: `is no longer a target (${row.reason}), as of ${new Date(fleet.now).toISOString()}` };
  }
}

const waits = (place: RowPlace): RowWords =>
  WAITING[place.row.reason]?.(place) ?? { sentence: `waits (${place.row.reason})` };

/**
 * True if the rollout has ended and is not the one that joining clusters get: a waiting cluster waits for
 * nothing any more.
 */
const isOver = ({ record, facts }: LiveRollout): boolean => isFinal(record.status.phase) && facts.role === 'frozen';

/** Explains a cluster that the rollout did not reach before it ended, or not to the end of its path. */
function leftBy(place: RowPlace): RowWords {
  const { rollout, row } = place;
  const { phase, reason } = rollout.record.status;
  const left = isLeftOnTheWay(row) ? 'was left midway' : 'was not changed';
  const sentence = `${left}: its rollout ended ${phase} (${reason})`;
  return { sentence, todo: newRolloutSteps(place) };
}

/** Adds the cluster's report if its path ends before the last version of its catalog. */
function withEnd(place: RowPlace, words: RowWords): RowWords {
  const { fleet, rollout, row } = place;
  const report = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject);
  const isOfPath = report?.planned !== undefined && report.reason === undefined && row.reason !== 'Planning';
  return isOfPath ? { ...words, chain: [...(words.chain ?? []), ...reportedIn(place)] } : words;
}

const since = ({ fleet }: RowPlace, ms: number): string => shortDuration(fleet.now - ms);

const waveOfRow = ({ rollout, row }: RowPlace) => {
  const { spec, status, tallies } = rollout.record;
  return { wave: spec.waves[row.wave], state: status.waves[row.wave], tally: tallies[row.wave] };
};

/** Returns the text that the refused step was not begun. The steps of the path before it are done. */
const unbegun = ({ hop }: RolloutRow): string =>
  hop > 1 ? `its step ${hop} did not begin` : 'the change did not begin';

const WAITING: Readonly<Record<string, (place: RowPlace) => RowWords>> = {
  Offline: (place) => {
    const member = place.fleet.clusters.get(place.row.cluster);
    const { wave } = waveOfRow(place);
    const policy = wave?.spec.offline ?? 'Skip';
    const what = {
      Skip: `after ${wave?.spec.offlineGrace} in an open wave it is skipped, and catches up when it returns`,
      Wait: 'its wave waits for it',
      Fail: `after ${wave?.spec.offlineGrace} in an open wave it counts as failed`,
    }[policy];
    const ago = member === undefined ? '' : ` since ${since(place, member.lastContact)}`;
    return { sentence: `waits: it is unreachable${ago} (Offline): ${what}` };
  },
  Planning: (place) => ({ sentence: 'waits for its plan (Planning)', chain: reportedIn(place) }),
  PlanChanged: ({ row }) => ({
    sentence: `waits for a new plan (PlanChanged): its changes differ from the old plan, and ${unbegun(row)}`,
  }),
  Rejected: (place) => {
    const vote = classOf(place)?.votes.findLast(({ approves }) => !approves);
    const who = vote === undefined ? '' : ` by ${vote.by.user}, ${since(place, vote.at)} ago`;
    const hash = place.row.class ?? '';
    return {
      sentence: `waits: its plan was rejected${who} (Rejected)`,
      chain: [`class ${hash}: ${classOf(place)?.changes.join(', ') ?? ''}`],
      todo: [step(NEXT.approveClass(place.short, hash), 'cancels the rejection')],
    };
  },
  Denied: (place) => ({
    sentence: 'waits: a rule of the strategy denies its plan (Denied)',
    chain: [`class ${place.row.class ?? ''}: ${classOf(place)?.changes.join(', ') ?? ''}`],
  }),
  Approval: approval,
  RolloutPaused: (place) => {
    const isSubject = place.rollout.facts.isSubjectPaused;
    return {
      sentence: `waits: ${isSubject ? 'spec.paused of the subject is set' : 'the rollout is paused'} (RolloutPaused)`,
      todo: isSubject ? [] : [step(NEXT.resumeRollout(place.short))],
    };
  },
  Halted: (place) => {
    const { phase, reason } = place.rollout.record.status;
    return {
      sentence: 'waits: its rollout starts nothing now (Halted)',
      chain: [`the rollout is ${phase} (${reason})`, ...overThreshold(place.rollout)],
      todo: [step(NEXT.fleetFailures(place.short), 'why it stopped')],
    };
  },
  WaveNotOpen: (place) => ({
    sentence: `waits for wave ${waveOfRow(place).wave?.name ?? ''} (WaveNotOpen)`,
    ...wavesBefore(place.rollout, place.row.wave, place.short),
  }),
  WaitingCatalog: () => ({ sentence: 'waits for a catalog that its target needs (WaitingCatalog)' }),
  OtherRollout: (place) => ({
    sentence: 'waits for another rollout in the same namespace (OtherRollout)',
    chain: otherRollouts(place).map((name) => `${name} is in progress there`),
  }),
  Neighbour: ({ rollout, row }) => ({
    sentence: 'waits for the approval of the other operators that its plan moves (Neighbour)',
    chain: rollout.facts.unapprovedNeighbours(row.cluster).map((key) => `${key} has not approved the plan`),
  }),
  Frozen: windowWords,
  Window: windowWords,
  GateBefore: (place) => ({
    sentence: 'waits for a check that comes before the change (GateBefore)',
    chain: gateLines(place, 'Before'),
  }),
  Budget: (place) => {
    const { wave, tally } = waveOfRow(place);
    const limit = placesOf(wave?.spec.maxConcurrent ?? 1, tally?.targets ?? 0);
    return {
      sentence: `waits for its turn (Budget): ${tally?.inFlight ?? 0} of ${limit} are in flight in wave ${wave?.name ?? ''}`,
    };
  },
};

const classOf = ({ rollout, row }: RowPlace) => rollout.record.status.classes.find(({ name }) => name === row.class);

function approval(place: RowPlace): RowWords {
  const { rollout, row, fleet, short } = place;
  const found = classOf(place);
  const rules = rollout.record.spec.strategy.approval;
  const demands = approvalDemands(found?.changes ?? [], rules, found?.votes ?? [], fleet.now);
  const open = openDemands(demands);
  const hash = row.class ?? '';
  const groups = [...new Set(open.flatMap((one) => one.groups))];
  return {
    sentence: `waits for approval (Approval) of class ${hash}: ${found?.changes.join(', ') ?? ''}`,
    chain: open.map((one) => `needs ${demandText(one)}`),
    todo: [
      step(NEXT.fleetClass(short, hash), 'its changes'),
      step(NEXT.approveClass(short, hash), groups.length === 0 ? '' : `needs group ${groups.join(' or ')}`),
    ],
  };
}

function windowWords(place: RowPlace): RowWords {
  const { fleet, rollout, row, short } = place;
  const hold = holdOf(fleet, rollout.record.subject, row.cluster);
  if (hold === undefined) return { sentence: `waits for a window (${row.reason})` };
  const what = hold.isFreeze ? 'waits for the end of a freeze' : 'waits for a window';
  return {
    sentence: `${what} (${row.reason}): ${hold.sentence}`,
    todo: breakGlassSteps(short, hold.breakGlassGroups),
  };
}

function gateLines({ rollout, row }: RowPlace, when: 'Before' | 'After'): string[] {
  const gates = rollout.record.spec.waves[row.wave]?.spec.gates ?? [];
  return gates
    .filter((gate) => gate.when === when && gate.scope === 'Cluster')
    .map(({ name }) => `check ${name}: ${row.gates[name]?.state ?? 'not asked yet'}`);
}

const otherRollouts = ({ fleet, rollout, row }: RowPlace): string[] =>
  fleet.rollouts.flatMap(({ record }) => {
    const other = record === rollout.record ? undefined : record.rows.get(row.cluster);
    const isAtWork = other !== undefined && (isInFlight(other) || other.phase === 'RollingBack');
    return isAtWork ? [record.spec.name] : [];
  });

/** Waves with more failures than they accept. */
export const overThreshold = ({ record }: LiveRollout): string[] =>
  record.spec.waves.flatMap(({ name, spec }, at) => {
    const tally = record.tallies[at];
    const accepted = thresholdOf(spec.failureThreshold, tally?.targets ?? 0);
    const failures = tally?.failures ?? 0;
    return failures > accepted ? [`wave ${name}: ${counted(failures, 'failure')}, ${accepted} accepted`] : [];
  });

/** Explains the first wave that is not over and that blocks this one. */
export function wavesBefore({ record }: LiveRollout, wave: number, short: string): Pick<RowWords, 'chain' | 'todo'> {
  const { spec, status, tallies } = record;
  const at = status.waves.findIndex(({ phase }, index) => index <= wave && phase !== 'Complete');
  const [rules, state, tally] = [spec.waves[at], status.waves[at], tallies[at]];
  if (rules === undefined || state === undefined || tally === undefined) return {};
  const { waiting, done, failed, targets } = tally.counts;
  const counts = `${done} of ${targets} done, ${tally.inFlight} in flight, ${waiting} waiting, ${failed} failed`;
  const isManual = state.phase === 'AwaitingPromotion' || state.reason === 'NotEnoughSuccesses';
  return {
    chain: [`wave ${rules.name} is ${state.phase} (${state.reason}): ${counts}`],
    todo: [
      ...(isManual ? [step(NEXT.promoteWave(short, rules.name))] : []),
      ...(state.reason === 'NotEnoughSuccesses' && failed > 0 ? [step(NEXT.retryRollout(short))] : []),
    ],
  };
}

function verifying(place: RowPlace): RowWords {
  const { fleet, row } = place;
  const left = row.deadlineAt === undefined ? '' : `; ${shortDuration(row.deadlineAt - fleet.now)} until its deadline`;
  return { sentence: `has the target, and its health is not known yet${left}`, chain: gateLines(place, 'After') };
}

/** Obstacles to a return, in addition to the check's own text about the cluster. */
const OBSTACLES: Readonly<Record<string, string>> = {
  NothingBefore: 'the rollout replaced no earlier version there',
  StoredVersionRemoved: 'objects are stored in a version that the earlier CRD lacks',
  StorageVersionUnknown: 'objects are stored in a version that the earlier CRD does not serve',
  ObjectsDoNotFit: 'objects do not fit the earlier CRD',
  ConversionLost: 'objects are converted by a webhook that the earlier operator does not have',
  NeededByOthers: 'another operator needs an API that only the newer version has',
  NotUpgradeable: 'the operator does not allow a replacement now',
  ContentGone: 'the earlier version is no longer available',
};

function failed(place: RowPlace): RowWords {
  const { row, rollout, short } = place;
  const { cluster, reason, message, goBack } = row;
  const why = message === '' ? '' : `: ${message}`;
  const texts: Readonly<Record<string, string>> = {
    ApplyFailed: `could not be changed${why}`,
    ResolutionFailed: `has no plan that leads to ${targetThere(place.fleet, rollout, row)}${why}`,
    ProgressDeadlineExceeded: `was not done in ${deadlineOf(rollout, row)}${why}`,
    GateRed: `did not pass a check${why}`,
    GateTimeout: `did not pass its checks in time${why}`,
    HealthLost: `was healthy with the target, and is unhealthy now${why}`,
    Offline: 'was unreachable for longer than its wave accepts',
    RollbackBlocked: `cannot be rolled back: ${obstacleOf(goBack?.blocked)}; upgrade to a corrected version instead`,
    RollbackFailed: `did not return to its previous version${why}`,
  };
  const sentence = `${texts[reason] ?? `failed${why}`} (${reason})`;
  if (!reason.startsWith('Rollback')) {
    const chain = reportedIn(place).filter((text) => !message.endsWith(text));
    const todo = [...retrySteps(place, cluster, 'once the cause is gone'), ...skipSteps(place, cluster)];
    return { sentence, chain, todo };
  }
  const isIncomplete = rollout.record.status.reason === 'RollbackIncomplete';
  const todo = isIncomplete
    ? [step(NEXT.rollBack(short), 'once the cause is gone')]
    : retrySteps(place, cluster, 'once the cause is gone');
  return { sentence, chain: reportedIn(place), todo };
}

const obstacleOf = (blocked: string | undefined): string =>
  blocked === undefined ? 'no reason is known' : `${OBSTACLES[blocked] ?? 'the check says so'}, ${blocked}`;

const deadlineOf = ({ record }: LiveRollout, { wave }: RolloutRow): string =>
  shortDuration(durationMs(record.spec.waves[wave]?.spec.progressDeadline ?? '30m'));

const SKIPPED: Readonly<Record<string, (place: RowPlace) => RowWords>> = {
  Offline: () => ({ sentence: 'is skipped: it was unreachable (Offline); it catches up when it returns' }),
  LostContact: () => ({
    sentence: 'is skipped: contact was lost during the change (LostContact); it continues when it returns',
  }),
  ClusterPaused: (place) => ({
    sentence: 'is skipped: spec.paused of its FleetCluster is set (ClusterPaused)',
    chain: conditionLines(place),
  }),
  IdentityChanged: (place) => ({
    sentence: 'is skipped: another cluster answers under its name (IdentityChanged)',
    chain: conditionLines(place),
    todo: [step(NEXT.acceptCluster(place.row.cluster), 'if the other cluster is meant to replace it')],
  }),
  LeftToOLM: () => ({ sentence: 'is left alone: OLM itself runs there (LeftToOLM)' }),
  Conflict: (place) => ({
    sentence: 'is skipped: another FleetOperator, or an object that is not adopted, has this place (Conflict)',
    chain: reportedIn(place),
  }),
  VersionNotAllowed: (place) => ({
    sentence: 'is skipped: spec.versions allows no version there (VersionNotAllowed)',
    chain: reportedIn(place),
  }),
  OtherTarget: otherTarget,
  ByDecision: (place) => ({
    sentence: 'was skipped by a decision (ByDecision)',
    chain: isOver(place.rollout) ? lastStep(place) : [],
    todo: retrySteps(place, place.row.cluster, 'includes it again'),
  }),
  Superseded: (place) => ({
    sentence: 'was skipped for a newer target (Superseded)',
    chain: lastStep(place),
  }),
};

function otherTarget(place: RowPlace): RowWords {
  const { fleet, rollout, row } = place;
  const report = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject);
  if (report?.reason === NOT_OFFERED) {
    return {
      sentence:
        'is skipped: its catalog no longer leads to the target (OtherTarget); it receives the next target of the catalog',
      chain: reportedIn(place),
    };
  }
  const { planned } = report ?? {};
  return planned === undefined
    ? { sentence: 'was skipped: its next version was not the target (OtherTarget)' }
    : {
        sentence: `is skipped: it plans ${planned} and not the target (OtherTarget); a rollout of its own delivers that version`,
      };
}

/** Returns the users' changes in the cluster to fields of the fleet. */
function driftIn({ fleet, rollout, row }: RowPlace): string[] {
  const report = fleet.clusters.get(row.cluster)?.report(rollout.record.spec.subject);
  if (report?.drift === true) return [`changed in the cluster by others: ${report.message}`];
  return report?.reason === 'DriftCorrected' ? [`${report.message}, at ${report.since}`] : [];
}

/** Returns the last step of a cluster that was in flight when its rollout ended. */
const lastStep = ({ row }: RowPlace): string[] =>
  row.attempt > 0 && row.hop > 0 ? [`step ${row.hop} is the last step that began there`] : [];

/** Conditions of the cluster that are not as they should be. */
function conditionLines({ fleet, row }: RowPlace): string[] {
  const object = fleet.state.clusters.find(({ metadata }) => metadata.name === row.cluster);
  return object === undefined ? [] : troubles(object);
}

/** `Reachable: False (Timeout): …` of each condition that is not as it should be. */
export function troubles({ status }: FleetCluster): string[] {
  const { conditions = [] } = (status ?? {}) as Readonly<{
    conditions?: readonly Readonly<{ type: string; status: string; reason?: string; message?: string }>[];
  }>;
  return conditions
    .filter((one) => one.status !== 'True')
    .map(({ type, status: value, reason = '', message = '' }) => {
      const why = message === '' ? '' : `: ${message}`;
      return `${type} is ${value} (${reason})${why}`;
    });
}
