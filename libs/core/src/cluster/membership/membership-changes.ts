/** One cluster as a kubeconfig has it. All fields but the name may change while a hub runs. */
export type MemberEntry = Readonly<{
  cluster: string;
  /** A digest of the inputs of a connection: address, authorities, login. Never the login itself. */
  access: string;
  /** A digest of the settings of the hub's work there. If it changes, the cluster joins again. */
  terms: string;
  /** Observed, and not acted on. */
  paused: boolean;
}>;

/** The change of one cluster between two readings of the kubeconfigs. */
export type MembershipChange = Readonly<
  | { kind: 'left'; cluster: string }
  | { kind: 'changed'; cluster: string; what: 'access' | 'paused' | 'resumed' }
  | { kind: 'joined'; cluster: string }
>;

/**
 * Returns the difference of two readings. Each reading has a cluster once. Leaving clusters come first, so
 * that another cluster may take their names or places. Changed clusters follow, then joining ones in the
 * order of the kubeconfigs.
 */
export function membershipChanges(
  before: readonly MemberEntry[],
  after: readonly MemberEntry[],
): readonly MembershipChange[] {
  const old = new Map(before.map((entry) => [entry.cluster, entry]));
  const next = new Map(after.map((entry) => [entry.cluster, entry]));
  const stays = ({ cluster, terms }: MemberEntry) => next.get(cluster)?.terms === terms;
  const left = before.filter((entry) => !stays(entry)).map(({ cluster }) => ({ kind: 'left' as const, cluster }));
  const changed = before.filter(stays).flatMap((entry) => {
    const now = next.get(entry.cluster);
    return now === undefined ? [] : changesOf(entry, now);
  });
  const isNew = ({ cluster, terms }: MemberEntry) => old.get(cluster)?.terms !== terms;
  const joined = after.filter(isNew).map(({ cluster }) => ({ kind: 'joined' as const, cluster }));
  return [...left, ...changed, ...joined];
}

function changesOf({ cluster, access, paused }: MemberEntry, now: MemberEntry): readonly MembershipChange[] {
  const changes: MembershipChange[] = [];
  if (access !== now.access) changes.push({ kind: 'changed', cluster, what: 'access' });
  if (paused !== now.paused) changes.push({ kind: 'changed', cluster, what: now.paused ? 'paused' : 'resumed' });
  return changes;
}
