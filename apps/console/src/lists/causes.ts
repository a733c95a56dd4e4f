import { urgency } from '#core/cluster/diagnosis/diagnosis';
import { type ReachTrouble, SHARED_TROUBLE } from '#core/view/rows/reach-trouble';
import type { CatalogRow, ClusterRow, OperatorRow, RowCause } from '#core/view/rows/rows';
import type { CauseGroup } from '../api/lists.schema.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import { byText } from '../rows/sorted-rows.js';
import { causeKey } from './filter.js';

type Growing = { group: CauseGroup; clusters: Set<string> };
type Caused = OperatorRow | ClusterRow | CatalogRow;

/** A ClusterCatalog that blocks extensions has failed, as `flotilla status` says (`atBlockingCatalogs`). */
const standingOf = ({ standing, cause, operators }: CauseGroup): CauseGroup['standing'] =>
  cause.kind === 'ClusterCatalog' && operators > 0 ? 'failed' : standing;

function sharedText({ code, names: [trouble = ''] }: RowCause): string {
  if (Object.hasOwn(SHARED_TROUBLE, trouble)) return SHARED_TROUBLE[trouble as ReachTrouble];
  return `These clusters are ${code === 'cluster-away' ? 'unreachable' : 'not used in their present state'}.`;
}

/**
 * Combines the causes of clusters that are unreachable for different reasons: their own pages give the
 * reasons.
 */
function shared(known: RowCause, other: RowCause): RowCause {
  if (known.kind !== 'Cluster' || known.text === other.text) return known;
  return { ...known, text: sharedText(known) };
}

/**
 * Objects that are not well, by cause: those of operators, and of clusters and catalogs the ones that no
 * operator of theirs shows.
 */
export function causeGroups({ operators, clusters, catalogs }: FleetRows): CauseGroup[] {
  const groups = new Map<string, Growing>();
  const add = (row: Caused, since: string) => {
    if (row.standing === 'well' || row.cause === undefined) return;
    const key = causeKey(row);
    const known = groups.get(key);
    const isOperator = row.kind === 'operator' ? 1 : 0;
    if (known === undefined) {
      const { standing, cause, cluster } = row;
      const group = { key, standing, cause, clusters: 0, operators: isOperator, since, example: cluster };
      groups.set(key, { group, clusters: new Set([cluster]) });
      return;
    }
    known.clusters.add(row.cluster);
    known.group.cause = shared(known.group.cause, row.cause);
    if (urgency(row.standing) < urgency(known.group.standing)) known.group.standing = row.standing;
    known.group.operators += isOperator;
    // A cluster's time is that of its reach, a catalog's its last poll: neither dates the cause of an
    // operator.
    const dates = isOperator === 1 || known.group.operators === 0;
    if (dates && since !== '' && since < known.group.since) known.group.since = since;
  };
  for (const row of operators) {
    // The most urgent are first.
    if (row.standing === 'well') break;
    add(row, row.since);
  }
  for (const row of clusters) add(row, row.since);
  for (const row of catalogs) add(row, row.polledAt);
  return [...groups.values()]
    .map(({ group, clusters: of }) => ({ ...group, standing: standingOf(group), clusters: of.size }))
    .toSorted(
      (a, b) =>
        urgency(a.standing) - urgency(b.standing) ||
        b.clusters - a.clusters ||
        b.operators - a.operators ||
        byText(a.key, b.key),
    );
}
