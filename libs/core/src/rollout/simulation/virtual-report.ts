import type { AssignmentReport } from '../../kernel/api/fleet/fleet-assignment.js';
import { NOT_OFFERED, RETURN_FAILED, RETURNED, RETURNING } from '../controller/facts/report-reasons.js';
import type { ClusterReport } from '../controller/step/facts.js';
import { isNewer } from '../review/plan-changes.js';
import type { VirtualCluster, VirtualPlan } from './virtual-cluster.js';
import type { VirtualWorld } from './world.js';

const NOTHING = { attempt: 0, hops: [], changes: [], hop: 0, healthy: false, gates: [], denied: [], drift: false };

type Finding = Pick<AssignmentReport, 'state' | 'attempt' | 'hop' | 'healthy' | 'reason' | 'message' | 'since'>;

/**
 * Returns the report of a virtual applier about a subject, as a real applier writes it. It answers each
 * rollout about its own orders; without a rollout it names the installed bundle.
 */
export function reportIn(
  world: VirtualWorld,
  cluster: VirtualCluster,
  key: string,
  rollout: string | undefined,
): AssignmentReport | undefined {
  if (rollout === undefined) {
    const subject = world.options.subjectOf(key);
    const bundle = subject === undefined ? undefined : (world.installed(cluster, subject) ?? undefined);
    return { ...NOTHING, subject: key, state: 'Planned', bundle };
  }
  const plan = cluster.plans.get(rollout);
  if (plan === undefined) return undefined;
  const run = cluster.reports.get(rollout);
  if (plan.state === 'Planning') {
    // A first plan is not reported before it is ready.
    if (!plan.isChanged) return undefined;
    return { ...NOTHING, subject: key, rollout, state: 'Refused', attempt: run?.attempt ?? 0, hop: run?.hop ?? 0 };
  }
  const bundle = world.installed(cluster, plan.subject) ?? undefined;
  const planned = plannedIn(world, cluster, plan, bundle);
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
    returnCheck: returnCheckIn(world, cluster, plan, rollout),
    ...found,
    reason: found.reason ?? (isWithdrawn ? NOT_OFFERED : undefined),
  };
}

const isWithdrawnIn = ({ catalogs }: VirtualWorld, { subject, target }: VirtualPlan): boolean =>
  catalogs.isWithdrawn({ subject: subject.key, to: target });

/** Returns the bundle that comes next in the cluster. Undefined: it has the target, or none is offered. */
function plannedIn(
  world: VirtualWorld,
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
  world: VirtualWorld,
  cluster: VirtualCluster,
  { subject, target, hops }: VirtualPlan,
  rollout: string,
  run: ClusterReport | undefined,
): Finding {
  const order = cluster.orders.get(rollout);
  if (run === undefined || order === undefined || order.order === 'Preview') {
    const hop = world.hopsDone(cluster, subject, target, hops.length);
    return { state: 'Planned', attempt: order?.attempt ?? 0, hop, healthy: true };
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

/** Returns the catalog content for a plan: the one in the cluster, if it is new enough. */
function digestIn(world: VirtualWorld, cluster: VirtualCluster, { subject, target }: VirtualPlan): string | undefined {
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
  world: VirtualWorld,
  cluster: VirtualCluster,
  { subject, target }: VirtualPlan,
  rollout: string,
): AssignmentReport['returnCheck'] {
  const hasNothing = (cluster.previous.get(rollout) ?? null) === null;
  const reason = hasNothing ? 'NothingBefore' : world.target(subject.key, target)?.returnBlocked;
  return reason === undefined ? undefined : { ok: false, reasons: [reason] };
}
