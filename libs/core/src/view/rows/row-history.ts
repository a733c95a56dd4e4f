import type { HistoryEntry } from './history-entry.js';
import type { ViewRow } from './rows.js';

/** Author of changes that no person is named for. */
const HUB = 'hub';
/** Author of an approval without a name: a user of kubectl, or a tool of the cluster. */
const IN_THE_CLUSTER = 'in the cluster';
const MOST = 200;
const TROUBLE: ReadonlySet<string> = new Set(['failed', 'blocked']);

const short = (text: string): string => text.slice(0, MOST);

type Pair<K extends ViewRow['kind']> = Readonly<{
  before: Extract<ViewRow, { kind: K }>;
  after: Extract<ViewRow, { kind: K }>;
}>;

/**
 * Returns the entries of page Changes for a row that replaced another: a version, trouble that begins or
 * ends, an approval, the content of a catalog. A row without a previous one is no change: the hub may see the
 * cluster for the first time.
 */
export function rowHistory(before: ViewRow, after: ViewRow): readonly HistoryEntry[] {
  if (before.kind === 'operator' && after.kind === 'operator') return operatorHistory({ before, after });
  if (before.kind === 'plan' && after.kind === 'plan') return planHistory({ before, after });
  if (before.kind === 'catalog' && after.kind === 'catalog') return catalogHistory({ before, after });
  return [];
}

const entry = (
  { updatedAt, cluster, id, ...row }: ViewRow,
  what: Pick<HistoryEntry, 'kind' | 'package' | 'from' | 'to'> & Partial<Pick<HistoryEntry, 'by' | 'comment' | 'hash'>>,
): HistoryEntry => {
  const namespace = 'namespace' in row ? row.namespace : '';
  const { from, to, by = HUB, comment = '', ...rest } = what;
  return {
    ...rest,
    at: updatedAt,
    cluster,
    row: id,
    namespace,
    from: short(from),
    to: short(to),
    by: short(by),
    comment,
  };
};

function operatorHistory({ before, after }: Pair<'operator'>): HistoryEntry[] {
  const { package: name } = after;
  const moved = before.installed !== after.installed;
  const troubled = before.standing !== after.standing && (TROUBLE.has(before.standing) || TROUBLE.has(after.standing));
  return [
    ...(moved ? [entry(after, { kind: 'version', package: name, from: before.installed, to: after.installed })] : []),
    ...(troubled
      ? [
          entry(after, {
            ...{ kind: 'standing', package: name, from: before.standing, to: after.standing },
            comment: TROUBLE.has(after.standing) ? (after.cause?.text ?? '') : '',
          }),
        ]
      : []),
  ];
}

function planHistory({ before, after }: Pair<'plan'>): HistoryEntry[] {
  if (before.approved || !after.approved) return [];
  const { approvedBy, approvalComment: comment = '' } = after;
  // The bundle that was installed while the plan waited. The operator may have moved since, and the hash
  // with it.
  const of = { kind: 'approval', by: approvedBy || IN_THE_CLUSTER, comment, hash: before.hash } as const;
  return before.moves.map(({ package: name, from, to }) => entry(after, { ...of, package: name, from, to }));
}

function catalogHistory({ before, after }: Pair<'catalog'>): HistoryEntry[] {
  if (before.digest === after.digest || before.digest === '' || after.digest === '') return [];
  return [entry(after, { kind: 'digest', package: '', from: before.digest, to: after.digest })];
}
