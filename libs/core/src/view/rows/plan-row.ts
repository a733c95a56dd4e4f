import { deciderOfPlan, type FleetWork } from '../../cluster/diagnosis/fleet-work.js';
import type { InstallPlanStep } from '../../kernel/api/install-plan.js';
import type { Subscription } from '../../kernel/api/subscription.js';
import { hopHashOf } from '../../rollout/review/hop-hash.js';
import { versionChange } from '../../rollout/review/plan-changes.js';
import type { RowPart } from './row-parts.js';
import { rowText } from './row-text.js';
import type { PlanMove, PlanRow } from './rows.js';

/** A plan that is not complete, as the poller keeps it. */
export type PlanFacts = Extract<RowPart, { kind: 'InstallPlan' }>;

type PlanPlace = Readonly<{
  cluster: string;
  namespace: string;
  /** All of the namespace. */
  subscriptions: readonly Subscription[];
  isShared: (definition: string) => boolean;
}>;

const MOST_MOVES = 50;
const RBAC_KINDS: ReadonlySet<string> = new Set(['Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding']);
const CHANGE_OF = {
  ...{ Install: 'new', Patch: 'patch', Minor: 'minor', Major: 'major', Downgrade: 'downgrade' },
} as const satisfies Partial<Record<ReturnType<typeof versionChange>, PlanRow['change']>>;
/** Changes by weight, from the smallest to the one that an approver must see. */
const BY_WEIGHT: readonly PlanRow['change'][] = ['new', 'patch', 'minor', 'major', 'downgrade'];

/** Returns the hash of a plan's effect. Equal plans of other clusters have the same hash. */
export const planHash = ({ plan, steps }: PlanFacts, subscriptions: readonly Subscription[]): string =>
  hopHashOf(
    steps,
    moved(plan.spec.clusterServiceVersionNames, subscriptions).map(({ metadata, status }) => ({
      subscription: metadata.name ?? '',
      from: status?.installedCSV ?? null,
      to: status?.currentCSV ?? '',
    })),
  );

export function planRow(facts: PlanFacts, place: PlanPlace, now: string): PlanRow {
  const { plan, createdAt, approval } = facts;
  const { cluster, namespace, subscriptions, isShared } = place;
  const { name = '' } = plan.metadata;
  const steps = (plan.status?.plan ?? []).filter((step): step is InstallPlanStep => step !== null);
  const definitions = steps.filter(({ resource }) => resource.kind === 'CustomResourceDefinition');
  const moves = movesOf(plan.spec.clusterServiceVersionNames, subscriptions);
  const changes = moves.map(({ from, to }) => changeOf(from, to));
  return {
    ...{ kind: 'plan', id: `plan/${namespace}/${name}`, cluster, namespace, name, updatedAt: now },
    hash: planHash(facts, subscriptions),
    moves: moves.slice(0, MOST_MOVES),
    change: changes.toSorted((a, b) => BY_WEIGHT.indexOf(b) - BY_WEIGHT.indexOf(a))[0] ?? 'new',
    crds: definitions.length > 0,
    rbac: steps.some(({ resource }) => RBAC_KINDS.has(resource.kind)),
    shared: definitions.some(({ resource }) => isShared(resource.name)),
    createdAt,
    phase: rowText(plan.status?.phase ?? ''),
    approved: plan.spec.approved,
    approvedBy: rowText(approval?.by ?? ''),
    ...(approval && approval.comment !== '' && { approvalComment: approval.comment }),
    ...fleetPart(deciderOfPlan(plan, subscriptions)),
  };
}

/** Returns the deciding object of the fleet. Absent if the fleet does not work the plan. */
export const fleetPart = (work: FleetWork | undefined): Pick<PlanRow, 'fleet'> =>
  work === undefined ? {} : { fleet: work.operator || work.rollout || 'not known' };

function changeOf(from: string, to: string): PlanRow['change'] {
  const change = versionChange(from === '' ? null : from, to);
  return change in CHANGE_OF ? CHANGE_OF[change as keyof typeof CHANGE_OF] : 'major';
}

const moved = (names: readonly string[], subscriptions: readonly Subscription[]): readonly Subscription[] =>
  subscriptions.filter(({ status }) => status?.currentCSV !== undefined && names.includes(status.currentCSV));

/**
 * Returns the moves of a plan. A bundle without a Subscription yet is a dependency: its package is known from
 * its name alone.
 */
function movesOf(names: readonly string[], subscriptions: readonly Subscription[]): PlanMove[] {
  return names.map((to) => {
    const [subscription] = moved([to], subscriptions);
    const from = subscription?.status?.installedCSV ?? '';
    return { package: subscription?.spec.name ?? to.replace(/\.v?\d.*$/, ''), from: from === to ? '' : from, to };
  });
}
