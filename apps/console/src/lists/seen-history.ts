import { type Place, wholeNamespace } from '#core/view/rights/rights';
import type { HistoryEntry } from '#core/view/rows/history-entry';
import type { OperatorRow } from '#core/view/rows/rows';
import type { AuditTrail } from '#platform/console/audit-trail.port';
import type { ViewReader } from '#platform/view/view-store.port';
import type { ListedChange } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import type { LiveRows } from '../rows/live-rows.js';
import { labelsIn } from '../rows/visible-rows.js';
import type { Person } from '../sign-in/person.js';
import { historyColumns } from './filter.js';
import type { KnownHistory } from './rollout-pace.js';
import { trailChanges } from './trail-changes.js';

export type Seeing = Readonly<{
  reader: Pick<ViewReader, 'history'>;
  person: Pick<Person, 'rights'>;
  rows: Pick<FleetRows, 'clusters'>;
  view: Pick<LiveRows, 'row'>;
}>;

/** Returns the changes in the part of the fleet that a person may see. */
export async function seenHistory({ reader, person, rows, view }: Seeing): Promise<KnownHistory> {
  const { entries, knownSince } = await reader.history();
  if (person.rights.unbounded) return { entries, knownSince };
  const clusters = new Set(rows.clusters.map(({ cluster }) => cluster));
  const labels = labelsIn(view);
  const seen = entries.filter((entry) => {
    if (!clusters.has(entry.cluster)) return false;
    const row = view.row(entry.cluster, entry.row);
    if (row?.kind === 'catalog') return person.rights.sees(row, labels);
    return person.rights.may('viewer', placeOfEntry(entry), labels);
  });
  return { entries: seen, knownSince };
}

/** Rows without a package may be about any of their namespace, such as a catalog that is gone. */
function placeOfEntry({ cluster, namespace, package: name }: HistoryEntry): Place {
  if (name !== '') return { cluster, namespace, packages: [name] };
  return namespace === '' ? { cluster, namespace } : wholeNamespace(cluster, namespace);
}

/** Returns the changes that a person may see, the newest first. Admins also get sign-ins and refusals. */
export async function seenChanges(
  seeing: Seeing & Readonly<{ trail: AuditTrail | undefined }>,
): Promise<Readonly<{ entries: readonly ListedChange[]; knownSince: string }>> {
  const { trail, person, view } = seeing;
  const known = await seenHistory(seeing);
  if (trail === undefined || !person.rights.mayAnywhere('admin')) return known;
  const traced = trailChanges(await trail.read(), person.rights, labelsIn(view));
  const entries = [...known.entries, ...traced].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  return { ...known, entries };
}

type Operator = Pick<OperatorRow, 'cluster' | 'id' | 'namespace' | 'package'>;

/**
 * Returns the columns of changes with the operators that each change is about. An approval is about the
 * operators of its package in its namespace, also those that are gone.
 */
export function changeColumns(entries: readonly ListedChange[], operators: readonly Operator[]): typeof historyColumns {
  const keyOf = (one: Omit<Operator, 'id'>) => [one.cluster, one.namespace, one.package].join('\0');
  const ids = new Map<string, Set<string>>();
  const add = (one: Operator) => ids.set(keyOf(one), (ids.get(keyOf(one)) ?? new Set()).add(one.id));
  for (const one of operators) add(one);
  for (const one of entries) if (OF_OPERATORS.has(one.kind)) add({ ...one, id: one.row });
  const about = (one: ListedChange) => (one.kind === 'approval' ? [...(ids.get(keyOf(one)) ?? [])] : one.row);
  return { ...historyColumns, about };
}

/** Kinds of changes with the row of an operator. */
const OF_OPERATORS: ReadonlySet<string> = new Set(['version', 'standing']);
