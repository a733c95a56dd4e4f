import type { AssignmentReport } from '../../kernel/api/fleet/fleet-assignment.js';
import { NOT_OFFERED, RETURN_FAILED, RETURNED, RETURNING } from '../controller/facts/report-reasons.js';
import type { FleetSubject } from '../controller/record/subjects.js';
import type { ClusterReport } from '../controller/step/facts.js';
import { isNewer } from '../review/plan-changes.js';
import type { TargetEntry } from './scenario-schema.js';
import type { VirtualCatalogs } from './virtual-catalogs.js';
import type { VirtualCluster, VirtualPlan } from './virtual-cluster.js';
import type { WorldOptions } from './world-options.js';

/** The parts of a simulated world that its reports follow from. */
type ReportedWorld = Readonly<{
  options: Pick<WorldOptions, 'subjectOf' | 'isAtLeast'>;
  catalogs: VirtualCatalogs;
  target: (subject: string, bundle: string) => TargetEntry | undefined;
  installed: (cluster: VirtualCluster, subject: FleetSubject) => string | null;
  hopsDone: (cluster: VirtualCluster, subject: FleetSubject, target: string, hops: number) => number;
}>;

const NOTHING = { attempt: 0, hops: [], changes: [], hop: 0, healthy: false, gates: [], denied: [], drift: false };

type Finding = Pick<AssignmentReport, 'state' | 'attempt' | 'hop' | 'healthy' | 'reason' | 'message' | 'since'>;

/**
 * Returns the report of a virtual applier about a subject, as a real applier writes it. It answers each
 * rollout about its own orders; without a rollout it names the installed bundle.
 */
export function reportIn(
  world: ReportedWorld,
  cluster: VirtualCluster,
  key: string,
  rollout: string | undefined,
): AssignmentReport | undefined {
  if (rollout === undefined)
    return { ...NOTHING, subject: key, state: 'Planned', bundle: bundleIn(world, cluster, key) };
  const plan = cluster.plans.get(rollout);
  if (plan === undefined) return undefined;
  if (isStillReturning(cluster, key, rollout)) {
    return { ...NOTHING, subject: key, rollout, state: 'Running', reason: RETURNING, denied: deniedIn(cluster, key) };
  }
  const run = cluster.reports.get(rollout);
  if (plan.state === 'Planning') {
    // A first plan is not reported before it is ready.
    if (!plan.isChanged) return undefined;
    return { ...NOTHING, subject: key, rollout, state: 'Refused', attempt: run?.attempt ?? 0, hop: run?.hop ?? 0 };
  }
  const bundle = world.installed(cluster, plan.subject) ?? undefined;
  const planned = ledOn(world, cluster, plan, rollout) ?? plannedIn(world, cluster, plan, bundle);
  const isWithdrawn = planned === undefined && bundle !== plan.target && isWithdrawnIn(world, plan);
  const found = findingIn(world, cluster, plan, rollout, run);
  return {
    ...NOTHING,
    subject: key,
    rollout,
    bundle,
    planned,
    planHash: isWithdrawn ? undefined : plan.class,
    hops: plan.hops,
    changes: [...world.catalogs.changesOf({ subject: key, to: plan.target }, plan.changes)],
    catalogDigest: digestIn(world, cluster, plan),
    denied: deniedIn(cluster, key),
    last: lastIn(world, cluster, key, rollout),
    returnCheck: returnCheckIn(world, cluster, plan, rollout),
    ...found,
    reason: found.reason ?? (isWithdrawn ? NOT_OFFERED : undefined),
  };
}

function bundleIn(world: ReportedWorld, cluster: VirtualCluster, key: string): string | undefined {
  const subject = world.options.subjectOf(key);
  return subject === undefined ? undefined : (world.installed(cluster, subject) ?? undefined);
}

/** True if a cluster is on its way back and no order says so any more. */
function isStillReturning(cluster: VirtualCluster, key: string, rollout: string): boolean {
  if (cluster.reports.size === 0 || (cluster.orders.get(rollout)?.attempt ?? 0) > 0) return false;
  return newestRun(cluster, key)?.run.state === 'Returning';
}

/** Returns the newer target that a cluster is led to. It has begun nothing, or is at rest. */
function ledOn(
  { catalogs }: ReportedWorld,
  cluster: VirtualCluster,
  { subject, target }: VirtualPlan,
  rollout: string,
): string | undefined {
  const next = catalogs.leadTo(subject.key);
  const order = cluster.orders.get(rollout)?.order;
  const isMoving = order === 'Go' || order === 'Return';
  return isMoving || next === target || next === cluster.installed.get(subject.key) ? undefined : next;
}

const isWithdrawnIn = ({ catalogs }: ReportedWorld, { subject, target }: VirtualPlan): boolean =>
  catalogs.isWithdrawn({ subject: subject.key, to: target });

/** Returns the bundle that comes next in the cluster. Undefined: it has the target, or none is offered. */
function plannedIn(
  world: ReportedWorld,
  cluster: VirtualCluster,
  plan: VirtualPlan,
  bundle: string | undefined,
): string | undefined {
  const { subject, target, first } = plan;
  if (bundle === target) return undefined;
  if (first !== undefined && first !== bundle) return first;
  if (isWithdrawnIn(world, plan)) return undefined;
  const leadsBack = plan.changes.includes('Downgrade') && cluster.byHand.get(subject.key) !== bundle;
  return bundle !== undefined && !leadsBack && isNewer(bundle, target) ? undefined : target;
}

/** States of work in a cluster, as its report has them. */
const STATES: Readonly<Record<ClusterReport['state'], Pick<AssignmentReport, 'state' | 'reason'>>> = {
  Running: { state: 'Running' },
  Refused: { state: 'Refused' },
  Failed: { state: 'Failed' },
  Ready: { state: 'Ready' },
  Unhealthy: { state: 'Ready' },
  Returning: { state: 'Running', reason: RETURNING },
  Returned: { state: 'Ready', reason: RETURNED },
  ReturnFailed: { state: 'Failed', reason: RETURN_FAILED },
};

function findingIn(
  world: ReportedWorld,
  cluster: VirtualCluster,
  { subject, target, hops }: VirtualPlan,
  rollout: string,
  run: ClusterReport | undefined,
): Finding {
  const order = cluster.orders.get(rollout);
  if (run === undefined || order === undefined || order.order === 'Preview') {
    const hop = world.hopsDone(cluster, subject, target, hops.length);
    const newest = cluster.reports.size === 0 ? undefined : newestRun(cluster, subject.key);
    const isComingUp = newest?.plan.target === target && newest.run.state !== 'Ready';
    return { state: 'Planned', attempt: order?.attempt ?? 0, hop, healthy: !isComingUp };
  }
  const { attempt, hop, message, isHealthy, isIdle, since } = run;
  const { state, reason } = STATES[run.state];
  return {
    state: state === 'Running' && isIdle ? 'Ready' : state,
    reason,
    ...{ attempt, hop, message, healthy: isHealthy },
    since: since === undefined ? undefined : new Date(since).toISOString(),
  };
}

/** Returns the newest rollout of a subject that has begun something in a cluster. */
function newestRun({ reports, plans }: VirtualCluster, key: string) {
  const found = [...reports].findLast(([name]) => plans.get(name)?.subject.key === key);
  if (found === undefined) return undefined;
  const [name, run] = found;
  const plan = plans.get(name);
  return plan && { name, run, plan };
}

/** Returns the newest attempt that a cluster has kept, while its order names none. */
function lastIn(world: ReportedWorld, cluster: VirtualCluster, key: string, rollout: string): AssignmentReport['last'] {
  if (cluster.reports.size === 0 || (cluster.orders.get(rollout)?.attempt ?? 0) > 0) return undefined;
  const newest = newestRun(cluster, key);
  if (newest === undefined) return undefined;
  const { name, run, plan } = newest;
  const wave = cluster.waves.get(name);
  const { phase: result, reason, attempt = run.attempt } = cluster.results.get(name) ?? {};
  const isPath = plan.hops.length > 1;
  const isThere = world.installed(cluster, plan.subject) === plan.target;
  const running = run.state === 'Running' && !isPath && (!run.isIdle || isThere) ? { running: true } : {};
  const hop = isPath ? { hop: run.hop } : {};
  return { rollout: name, attempt, wave, ...(result === undefined ? { ...hop, ...running } : { result, reason }) };
}

/** Returns the catalog content for a plan: the one in the cluster, if it is new enough. */
function digestIn(world: ReportedWorld, cluster: VirtualCluster, { subject, target }: VirtualPlan): string | undefined {
  const needs = world.target(subject.key, target)?.needs;
  const catalog = needs === undefined ? undefined : world.options.subjectOf(needs.subject);
  if (needs === undefined || catalog === undefined) return undefined;
  const held = world.installed(cluster, catalog);
  return held !== null && world.options.isAtLeast(catalog.key, held, needs.to) ? held : needs.to;
}

function deniedIn(cluster: VirtualCluster, key: string): AssignmentReport['denied'] {
  const denied = cluster.denied.get(key);
  return denied === undefined ? [] : [...denied].map(([bundle, scope]) => ({ bundle, scope }));
}

function returnCheckIn(
  world: ReportedWorld,
  cluster: VirtualCluster,
  { subject, target }: VirtualPlan,
  rollout: string,
): AssignmentReport['returnCheck'] {
  const hasNothing = (cluster.previous.get(rollout) ?? null) === null;
  const reason = hasNothing ? 'NothingBefore' : world.target(subject.key, target)?.returnBlocked;
  return reason === undefined ? undefined : { ok: false, reasons: [reason] };
}
