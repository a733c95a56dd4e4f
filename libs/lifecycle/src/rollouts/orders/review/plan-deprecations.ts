import type { FleetOperator } from '#core/kernel/api/fleet/fleet-operator';
import { CHANGES } from '#core/kernel/api/fleet/fleet-strategy';
import { endOf, type PlannedThere } from '../../previews/planned-there.js';
import type { OrderPreviews } from '../place/order-place.js';
import type { RowFinding } from '../place/row-finding.js';
import { reportText } from '../place/row-finding.js';
import { withoutPlan } from './fleet-plans.js';

type Found = Readonly<{ finding: RowFinding; planned: PlannedThere | undefined }>;

/**
 * Returns a finding that is Deprecated if the catalog deprecates a version that its plan leads to (why:
 * fleet-operators.md "Deprecations"). Nothing is planned until the catalog was read. If it has no answer the
 * plan counts as deprecated: no plan passes an approval rule unread.
 */
export async function withDeprecations(
  { askDeprecations, noteWait }: Pick<OrderPreviews, 'askDeprecations' | 'noteWait'>,
  { spec: { namespace } }: FleetOperator,
  finding: RowFinding,
  planned: PlannedThere | undefined,
): Promise<Found> {
  if (finding.planHash === undefined || planned === undefined) return { finding, planned };
  const { asked } = planned;
  const bundle = endOf(planned);
  const isToAsk = planned.deprecations === undefined && asked !== undefined && askDeprecations !== undefined;
  const found = isToAsk ? await askDeprecations(namespace, asked, bundle) : (planned.deprecations ?? []);
  if ('waits' in found) {
    noteWait?.();
    if (finding.state !== 'Planned') return { finding, planned };
    const message = reportText(`whether ${bundle} is deprecated is not known yet: ${found.waits}`);
    return { finding: { ...withoutPlan(finding), state: 'Planning', message }, planned: undefined };
  }
  const deprecations = 'gone' in found ? [`not known: ${found.gone}`] : found;
  const { changes = [] } = finding;
  const all = CHANGES.filter((kind) => changes.includes(kind) || (kind === 'Deprecated' && deprecations.length > 0));
  return { finding: { ...finding, changes: all }, planned: { ...planned, deprecations } };
}
