import type { PlanRow } from '#core/view/rows/rows';
import type { PlanClassSummary, PlansOfFleet } from '../api/lists.schema.js';
import { byText } from '../rows/sorted-rows.js';
import type { RowColumns } from './filter.js';

/** Parts of a plan class that an approver reviews first. */
const RISKS = ['crds', 'rbac', 'shared'] as const;
const risksOf = (row: PlanClassSummary): readonly string[] => RISKS.filter((name) => row[name]);

export const planClassColumns: RowColumns<PlanClassSummary> = {
  hash: (row) => row.hash,
  package: (row) => row.moves.map((move) => move.package),
  change: (row) => row.change,
  risk: risksOf,
  clusters: (row) => row.clusters,
  plans: (row) => row.plans,
  oldest: (row) => row.oldest,
  since: (row) => row.oldest,
};

const isOpen = ({ approved, phase }: PlanRow): boolean => !approved && phase === 'RequiresApproval';

/** True if a person may approve it here: rollouts decide the plans of fleet operators. */
export const waitsForApproval = (plan: PlanRow): boolean => isOpen(plan) && plan.fleet === undefined;

const MOST_OPERATORS = 20;

/** The plans that rollouts of the fleet decide about, by FleetOperator, the most first. */
export function plansOfFleet(plans: readonly PlanRow[]): PlansOfFleet {
  const open = plans.filter((plan) => isOpen(plan) && plan.fleet !== undefined);
  const operators = [...Map.groupBy(open, ({ fleet = '' }) => fleet)]
    .map(([operator, own]) => ({
      operator,
      plans: own.length,
      clusters: new Set(own.map(({ cluster }) => cluster)).size,
    }))
    .toSorted((a, b) => b.plans - a.plans || byText(a.operator, b.operator));
  return { plans: open.length, operators: operators.slice(0, MOST_OPERATORS) };
}

type MayApprove = (plan: PlanRow) => boolean;

/** Plans with one hash that wait for approval, oldest first. `mayApprove`: absent if rights do not matter. */
export const planClasses = (plans: readonly PlanRow[], mayApprove: MayApprove = () => false): PlanClassSummary[] =>
  [...Map.groupBy(plans.filter(waitsForApproval), ({ hash }) => hash)]
    .flatMap(([hash, own]) => {
      const [first] = own;
      if (first === undefined) return [];
      const { moves, change } = first;
      return [
        {
          hash,
          moves,
          change,
          crds: own.some(({ crds }) => crds),
          rbac: own.some(({ rbac }) => rbac),
          shared: own.some(({ shared }) => shared),
          clusters: new Set(own.map(({ cluster }) => cluster)).size,
          plans: own.length,
          mayApprove: own.filter(mayApprove).length,
          oldest: own.map(({ createdAt }) => createdAt).toSorted(byText)[0] ?? '',
        },
      ];
    })
    .toSorted((a, b) => byText(a.oldest, b.oldest) || byText(a.hash, b.hash));
