import { isAsNewAs, isOlderThan } from './resource-version.js';

/** The newest change of a kind that a watch has reported. */
export type LastChange = Readonly<{
  uid?: string | undefined;
  resourceVersion: string;
  /** The change was a deletion. */
  isDeleted: boolean;
  /** The resourceVersion that the watch of the kind has reached. */
  reached: string;
}>;

/** Answer of the API server to a read of the object that was changed last. */
type ShownChange = Readonly<{
  /** The resourceVersion of the whole answer: the server's newest one at the time. */
  version: string;
  /** Undefined if there is no object of that name. */
  object?: Readonly<{ uid?: string | undefined; resourceVersion: string; hasSameContent: boolean }> | undefined;
}>;

/**
 * The relation of the changes seen of an API server to its current state.
 * - `same`: the server still has the change, so its history up to there is the one that was seen.
 * - `other`: the server's data was replaced, as by a restored backup; `because` names the fact.
 * - `unknown`: the object has changed since. That may have happened in either history.
 */
export type HistoryComparison =
  | Readonly<{ history: 'same' | 'unknown' }>
  | Readonly<{ history: 'other'; because: string }>;

/**
 * Compares the newest change that was seen of a kind with the server's current state. In one history versions
 * only grow, no version is given twice, and a watch has reported every change up to the version that it has
 * reached. A restored server breaks one of these: its version is lower, or versions are reused.
 */
export function compareLastChange(seen: LastChange, shown: ShownChange): HistoryComparison {
  if (isOlderThan(shown.version, seen.reached)) {
    return other(`its resourceVersion is ${shown.version}, and was ${seen.reached}`);
  }
  const { object } = shown;
  if (object === undefined) return UNKNOWN;
  const { resourceVersion: version } = object;
  if (!isAsNewAs(seen.reached, version)) return UNKNOWN;
  if (seen.isDeleted) return other(`version ${version} of a deleted object is back`);
  if (version !== seen.resourceVersion) {
    return other(`an object has version ${version}, and had ${seen.resourceVersion} at version ${seen.reached}`);
  }
  if (object.uid !== undefined && seen.uid !== undefined && object.uid !== seen.uid) {
    return other(`version ${version} is that of an object with another UID`);
  }
  return object.hasSameContent ? SAME : other(`version ${version} of an object has other content`);
}

/**
 * Names and versions of a list, and those that the watch of the same objects has reported up to `reached`.
 */
type ListedObjects = Readonly<{
  version: string;
  items: Iterable<ListedVersion>;
  reached: string;
  known: (item: ListedVersion) => ListedVersion | undefined;
}>;

type ListedVersion = Readonly<{
  metadata: Readonly<{
    namespace?: string | undefined;
    name?: string | undefined;
    uid?: string | undefined;
    resourceVersion?: string | undefined;
  }>;
}>;

/**
 * Compares a whole list with the earlier reports of a watch. Each object that the list has from before the
 * version that the watch reached must be known in that very version. `unknown` does not occur.
 */
export function compareList({ version, items, reached, known }: ListedObjects): HistoryComparison {
  if (isOlderThan(version, reached)) return other(`its resourceVersion is ${version}, and was ${reached}`);
  for (const item of items) {
    const { resourceVersion, uid, name } = item.metadata;
    if (!isAsNewAs(reached, resourceVersion)) continue;
    const before = known(item)?.metadata;
    if (before === undefined) return other(`version ${resourceVersion} of ${name} was not there`);
    if (before.resourceVersion !== resourceVersion) {
      return other(`${name} has version ${resourceVersion}, and had ${before.resourceVersion}`);
    }
    if (uid !== undefined && before.uid !== undefined && uid !== before.uid) return other(`${name} has another UID`);
  }
  return SAME;
}

const SAME: HistoryComparison = { history: 'same' };
const UNKNOWN: HistoryComparison = { history: 'unknown' };
const other = (because: string): HistoryComparison => ({ history: 'other', because });
