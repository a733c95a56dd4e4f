import type { ConsoleQuestion } from '../questions/console-question.js';
import type { CatalogRow, OperatorRow, PlanRow, ViewRow } from '../rows/rows.js';
import { type LabelsOf, type Rights, wholeNamespace } from './rights.js';

/** The rows that a person may see. */
type SeenRows = Readonly<{
  operators: readonly OperatorRow[];
  plans: readonly PlanRow[];
  catalogs: readonly CatalogRow[];
}>;

type AskedObject = Readonly<{ cluster: string; kind: string; namespace: string; name: string }>;

/** Returns the operator that an object belongs to, among those that the person may see. */
export function operatorOfObject(
  { operators, plans }: Pick<SeenRows, 'operators' | 'plans'>,
  { cluster, kind, namespace, name }: AskedObject,
  rights: Rights,
  labels: LabelsOf,
): OperatorRow | undefined {
  const here = operators.filter((row) => row.cluster === cluster && row.namespace === namespace);
  if (kind === 'ClusterServiceVersion')
    return here.find(({ installed, next, stillRuns }) => [installed, next, stillRuns].includes(name));
  if (kind === 'InstallPlan') {
    const plan = plans.find((row) => row.cluster === cluster && row.namespace === namespace && row.name === name);
    if (plan !== undefined)
      return here.find((row) => plan.moves.some((move) => move.package === row.package)) ?? here[0];
    // A completed plan has no row, so its packages are not known: the user must see all of the namespace.
    return rights.may('viewer', wholeNamespace(cluster, namespace), labels) ? here[0] : undefined;
  }
  return here.find((row) => row.name === name && row.api === (kind === 'ClusterExtension' ? 'v1' : 'classic'));
}

/** True if it is a catalog that the person may see. */
export const hasCatalog = (
  { catalogs }: Pick<SeenRows, 'catalogs'>,
  { cluster, kind, namespace, name }: AskedObject,
): boolean =>
  catalogs.some(
    (row) => row.cluster === cluster && row.source === kind && row.namespace === namespace && row.name === name,
  );

/** True if the person may see the answer to a question. `rows`: all of the place that it is about. */
export function seesAnswer(
  question: Exclude<ConsoleQuestion, { ask: 'icon' }>,
  rows: readonly ViewRow[],
  rights: Rights,
  labels: LabelsOf,
): boolean {
  if (rights.unbounded) return true;
  const visible = rows.filter((row) => rights.sees(row, labels));
  const seen: SeenRows = {
    operators: visible.filter((row) => row.kind === 'operator'),
    plans: visible.filter((row) => row.kind === 'plan'),
    catalogs: visible.filter((row) => row.kind === 'catalog'),
  };
  const { cluster, namespace, name } = question;
  if ('digest' in question) return hasCatalog(seen, { cluster, kind: question.source, namespace, name });
  if (question.ask === 'review') return seen.plans.some((row) => row.namespace === namespace && row.name === name);
  const asked = { cluster, kind: question.kind, namespace, name };
  return operatorOfObject(seen, asked, rights, labels) !== undefined || hasCatalog(seen, asked);
}
