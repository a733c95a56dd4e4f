import type { OperatorRow, PlanRow } from '#core/view/rows/rows';
import type { ActionRequest } from '../../../src/api/actions.schema.js';
import { rowKey, type Selection } from '../../list/selection.js';
import { withQuery } from '../../live/address.js';
import { allRows } from '../../live/all-rows.js';
import type { Query } from '../../live/query.js';

/** Operators that were selected and could have a failed plan, and the plans of theirs that failed. */
export type FailedPlans = Readonly<{ operators: readonly OperatorRow[]; plans: readonly PlanRow[] }>;

/** An operator of a failed plan has failed, or another one of its namespace keeps it back. */
const COULD = 'failed,blocked';

/**
 * Returns the failed plans of the selected operators. `asked`: the filter of the list, used if everything is
 * selected.
 */
export async function failedPlans({ all, rows }: Selection<OperatorRow>, asked: Query): Promise<FailedPlans> {
  const matched = all ? await allRows<OperatorRow>(withQuery('operators', { standing: COULD, ...asked })) : [];
  const operators = all ? matched.filter((row) => !rows.has(rowKey(row))) : [...rows.values()];
  const inNamespace = Map.groupBy(operators, ({ cluster, namespace }) => `${cluster}\0${namespace}`);
  const failed = await allRows<PlanRow>('plans?phase=Failed');
  const plans = failed.filter(({ cluster, namespace, moves }) =>
    inNamespace.get(`${cluster}\0${namespace}`)?.some((row) => moves.some((move) => move.package === row.package)),
  );
  return { operators, plans };
}

/**
 * Makes requests to retry plans. Plans that do the same are one request: its hash is the hash that was shown.
 */
export const retryRequests = (plans: readonly PlanRow[]): readonly ActionRequest[] =>
  [...Map.groupBy(plans, ({ hash }) => hash)].map(([planHash, own]) => ({
    ...{ verb: 'retry', planHash },
    targets: own.map(({ cluster, namespace, name }) => ({ cluster, namespace, name })),
  }));
