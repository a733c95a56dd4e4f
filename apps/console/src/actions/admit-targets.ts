import { type ConsoleVerb, ROLE_OF_VERB } from '#core/view/rights/console-verbs';
import { type LabelsOf, placeOf, type Rights } from '#core/view/rights/rights';
import type { OperatorRow, PlanRow, ViewRow } from '#core/view/rows/rows';
import type { ActionRequest, ActionResult, ActionTarget } from '../api/actions.schema.js';

/** Targets to send to the applier, and results of those that have ended already. */
type AdmittedTargets = Readonly<{ sent: readonly ActionTarget[]; ended: readonly ActionResult[] }>;

type RowOf = (cluster: string, id: string) => ViewRow | undefined;

/** Says the same of a target that is gone and of one that the person may not see. */
const GONE = 'The plan or extension is no longer visible to you; review again.';
const OTHER_HASH = 'The content of the plan changed since the review; review again.';

export const planRowId = ({ namespace, name }: Pick<ActionTarget, 'namespace' | 'name'>): string =>
  `plan/${namespace}/${name}`;

const rowIdOf = (verb: ActionRequest['verb'], target: ActionTarget): string =>
  verb === 'roll-back' ? `extension/${target.name}` : planRowId(target);

/**
 * Admits the targets that the person may act on: the person sees the row, and has the role for all its
 * packages. A plan with another hash than the reviewed plan is not admitted: it may move other packages.
 */
export function admitTargets(
  { verb, targets, planHash }: ActionRequest,
  rights: Rights,
  rowOf: RowOf,
  labels: LabelsOf,
): AdmittedTargets {
  const sent: ActionTarget[] = [];
  const ended: ActionResult[] = [];
  for (const target of targets) {
    const row = rowOf(target.cluster, rowIdOf(verb, target));
    const refusal = refusalOf({ verb, planHash, row }, rights, labels);
    if (refusal === undefined) sent.push(target);
    else ended.push({ ...target, ...refusal });
  }
  return { sent, ended };
}

type Asked = Readonly<{ verb: ConsoleVerb; planHash: string | undefined; row: ViewRow | undefined }>;

function refusalOf({ verb, planHash, row }: Asked, rights: Rights, labels: LabelsOf) {
  if (!isSubject(row) || !rights.sees(row, labels)) return { outcome: 'changed-meanwhile', message: GONE } as const;
  const decision = rights.decide(verb, placeOf(row), labels);
  if (!decision.allowed) return { outcome: 'refused', message: `Not allowed: ${decision.because}.` } as const;
  if (verb === 'approve' && row.kind === 'plan' && row.fleet !== undefined)
    return {
      outcome: 'refused',
      message: `Decided by rollouts of FleetOperator ${row.fleet}: see Rollouts.`,
    } as const;
  if (row.kind === 'plan' && planHash !== undefined && row.hash !== planHash)
    return { outcome: 'changed-meanwhile', message: OTHER_HASH } as const;
  return undefined;
}

const isSubject = (row: ViewRow | undefined): row is PlanRow | OperatorRow =>
  row?.kind === 'plan' || row?.kind === 'operator';

/** True if the person may do it in any place at all. */
export const mayActAnywhere = (rights: Rights, verb: ConsoleVerb): boolean => rights.mayAnywhere(ROLE_OF_VERB[verb]);
