import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { counted } from '#core/kernel/text/counted';
import { classOf } from '#core/rollout/controller/facts/cluster-report';
import type { FleetSubject } from '#core/rollout/controller/record/subjects';
import { namedClusters } from '#core/rollout/status/operator-conditions';
import type { LiveFleet, LiveRollout } from '#lifecycle/rollouts/controller/state/live-fleet';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { isData } from '../../../output/data-format.js';
import { folded } from '../../../output/folded-lines.js';
import { NEXT } from '../../../output/next-commands.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { type Columns, table } from '../../../output/table.js';
import { exitCodeOf, verdictOf } from '../../../output/verdict.js';
import type { Io } from '../../../terminal/io.js';
import { meantName, meantRollout, nameOnly, readFleet, shortName } from '../hub/read-fleet.js';
import { deniedBy, liftedBy } from '../rollout/denied-target.js';
import { classPlanText, fromOf, type PlanClass, planClass } from '../rollout/plan-text.js';
import { type ClassAnswer, meantClass, rolloutAnswer } from '../rollout/rollout-answer.js';
import { awaitedClasses, rolloutHints } from '../rollout/rollout-hints.js';
import { type LintedFleet, lintOf, type PlannedWave, plannedWaves, shareText, targetsOf } from './fleet-lint.js';

export type PlanAsked = Readonly<{
  name?: string | undefined;
  namespace?: string | undefined;
  class?: string | undefined;
  output: AnswerFormat;
}>;

/** The plan of one subject, or of one rollout. */
export type SubjectPlan = Readonly<{
  name: string;
  subject: string;
  clusters: number;
  /** Clusters that have reported no plan yet. */
  unplanned: number;
  waves: readonly PlannedWave[];
  classes: readonly PlanClass[];
  lint: readonly string[];
  /** The changes for the adoption of an existing operator. */
  adoption?: string;
}>;

/**
 * Runs `flotilla fleet plan`: prints plan classes of a rollout, or a rollout that would be made, with waves
 * and lint.
 */
export async function showPlan(hub: KubeClient, io: Io, asked: PlanAsked, now: Date): Promise<void> {
  const fleet = await readFleet(hub, now);
  const rollout = rolloutAsked(fleet, asked);
  if (asked.class !== undefined && rollout !== undefined) {
    const answer = meantClass(rolloutAnswer(fleet, rollout).classes, asked.class);
    const found = await planClass(hub, fleet, rollout, answer);
    if (isData(asked.output)) await printData(io, { verdict: 'yes', ...found }, asked.output);
    else io.out(`${classPlanText(found, io.columns)}${approveLine(fleet, rollout, answer)}`);
    return io.exit(0);
  }
  const plans =
    rollout === undefined
      ? subjectsAsked(fleet, asked).map((subject) => subjectPlan(fleet, subject))
      : [await rolloutPlan(hub, fleet, rollout)];
  await printPlans(io, plans, asked.output);
}

/** Prints plans. The exit code is 1 if nothing can be planned. */
export async function printPlans(io: Io, plans: readonly SubjectPlan[], output: AnswerFormat): Promise<void> {
  const verdict = verdictOf(plans.some(({ clusters }) => clusters > 0));
  if (isData(output)) await printData(io, { verdict, plans }, output);
  else if (plans.length === 0)
    io.out('There is no FleetOperator and no Staged FleetCatalog: nothing can be planned.\n');
  else io.out(plans.map((plan) => planText(plan, io.columns)).join('\n'));
  io.exit(exitCodeOf(verdict));
}

const approveLine = (fleet: LiveFleet, rollout: LiveRollout, answer: ClassAnswer): string =>
  awaitedClasses([answer], rolloutHints(fleet, rollout)).length === 0
    ? ''
    : `  → ${NEXT.approveClass(shortName(fleet, rollout.record.spec.name), answer.hash)}\n`;

/**
 * Returns the rollout that the user means. Returns undefined if the user means a subject, or named nothing.
 */
function rolloutAsked(fleet: LiveFleet, { name, namespace }: PlanAsked): LiveRollout | undefined {
  if (name === undefined) return undefined;
  const isSubject = [...fleet.files.subjects.values()].some(
    ({ rolloutPrefix }) => rolloutPrefix === name || nameOnly(rolloutPrefix) === name,
  );
  return isSubject ? undefined : meantRollout(fleet, name, namespace);
}

function subjectsAsked(fleet: LiveFleet, { name, namespace }: PlanAsked): FleetSubject[] {
  const all = [...fleet.files.subjects.values()].filter(
    (one) => namespace === undefined || one.namespace === namespace,
  );
  if (name === undefined) return all;
  const meant = meantName(
    'FleetOperator',
    name,
    all.map(({ rolloutPrefix }) => rolloutPrefix),
    namespace,
  );
  return all.filter(({ rolloutPrefix }) => rolloutPrefix === meant);
}

const lintedFleet = (fleet: LiveFleet): LintedFleet => ({
  ...fleet.state,
  files: fleet.files,
  clusters: [...fleet.clusters.values()],
});

async function rolloutPlan(hub: KubeClient, fleet: LiveFleet, rollout: LiveRollout): Promise<SubjectPlan> {
  const answer = rolloutAnswer(fleet, rollout);
  const classes: PlanClass[] = [];
  for (const one of answer.classes) classes.push(await planClass(hub, fleet, rollout, one));
  return {
    name: answer.name,
    subject: answer.subject,
    clusters: answer.counts.targets,
    unplanned: answer.waiting.find(({ reason }) => reason === 'Planning')?.clusters ?? 0,
    waves: answer.waves.map(({ name, counts, soak }, at) => ({
      name,
      members: counts.targets,
      share: shareText(rollout.record.spec.waves[at]?.spec ?? {}),
      soak,
      isImplicit: at === answer.waves.length - 1,
    })),
    classes,
    lint: [...endNotes(fleet, rollout.record.subject), ...lintOf(rollout.record.subject, lintedFleet(fleet))],
  };
}

/** Returns the plan of a subject: the clusters' reported plans, by equal plans. */
function subjectPlan(fleet: LiveFleet, subject: FleetSubject): SubjectPlan {
  const linted = lintedFleet(fleet);
  const targets = targetsOf(subject, linted).map(({ name }) => name);
  const reports = targets.flatMap((name) => fleet.clusters.get(name)?.report(subject.key) ?? []);
  const planned = targets.filter((name) => {
    const report = fleet.clusters.get(name)?.report(subject.key);
    return report?.planned !== undefined && report.planned !== report.bundle;
  });
  const byPlan = Map.groupBy(planned, (name) => {
    const report = fleet.clusters.get(name)?.report(subject.key);
    return `${classOf(report ?? {})}\n${report?.planned ?? ''}`;
  });
  const classes = [...byPlan].map(([key, names]): PlanClass => {
    const [hash = '', to = ''] = key.split('\n');
    const changes = fleet.clusters.get(names[0] ?? '')?.report(subject.key)?.changes ?? [];
    const base = { hash, clusters: names.length, changes, approval: 'Preview', reason: '', demands: [], plan: null };
    return { ...base, from: fromOf(fleet, subject.key, names), to };
  });
  return {
    name: subject.rolloutPrefix,
    subject: subject.key,
    clusters: targets.length,
    unplanned: targets.length - reports.filter(({ state }) => state !== 'Planning').length,
    waves: plannedWaves(subject, linted),
    classes: classes.sort((a, b) => b.clusters - a.clusters || byCodeUnit(a.hash, b.hash)),
    lint: [...endNotes(fleet, subject), ...deniedNotes(fleet, subject.key, classes), ...lintOf(subject, linted)],
  };
}

/** Returns notes about targets that were rolled back. Clusters plan them, but no rollout starts. */
const deniedNotes = (fleet: LiveFleet, subject: string, classes: readonly PlanClass[]): string[] =>
  [...new Set(classes.map(({ to }) => to))].flatMap((to) => {
    const rollout = deniedBy(fleet, subject, to);
    if (rollout === undefined) return [];
    return [`${to} was rolled back by ${rollout}: it starts nowhere before ${liftedBy(fleet, rollout)}`];
  });

/** Returns notes about paths that end before the last version of the catalog, with their clusters. */
function endNotes(fleet: LiveFleet, subject: FleetSubject): string[] {
  const found = fleet.targetsOf(subject).flatMap((cluster) => {
    const { name } = cluster;
    const { planned, reason, message } = cluster.report(subject.key) ?? {};
    return planned === undefined || reason !== undefined || message === undefined ? [] : [{ name, message }];
  });
  const byText = Map.groupBy(found, ({ message }) => message);
  return [...byText].map(([message, own]) => `${message} [${namedClusters(own.map(({ name }) => name))}]`);
}

/** Adds the unit: a bare number could be read as a position. */
const ofClusters = (share: string): string => (/^\d+$/.test(share) ? counted(Number(share), 'cluster') : share);

const WAVES: Columns<PlannedWave> = [
  ['WAVE', ({ name }) => name],
  ['MEMBERS', ({ members }) => String(members)],
  ['SHARE', ({ share, isImplicit }) => (isImplicit ? 'clusters in no wave' : ofClusters(share))],
  ['SOAK', ({ soak }) => soak],
];

function planText(plan: SubjectPlan, width: number | undefined): string {
  const { name, clusters, unplanned, classes, waves, lint, adoption = 'no cluster plans a change' } = plan;
  const waiting = unplanned === 0 ? '' : `, ${unplanned} without a plan yet`;
  const head = `${name}: ${counted(clusters, 'cluster')}${waiting}\n`;
  const nothing = classes.length === 0 ? folded(`${adoption}\n`, width) : '';
  return [
    head,
    ...classes.map((one) => `\n${classPlanText(one, width)}`),
    nothing,
    `\n${table(waves, WAVES, width)}`,
    ...(lint.length === 0 ? [] : ['\n', ...lint.map((line) => folded(`note: ${line}\n`, width))]),
  ].join('');
}
