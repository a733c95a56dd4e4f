import { CatalogView } from '../../../catalog/model/catalog-view.js';
import type { PackageRecord } from '../../../catalog/model/package-record.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { installedEntries } from '../problem/installed-entries.js';
import type { CatalogSlice, Resolution, ResolutionProblem } from '../problem/resolution-problem.js';
import { ConstraintBuilder, type ReachError } from './build-constraints.js';
import { placeWords } from './plain-words.js';
import { Snapshot } from './snapshot.js';

/** A resolution that could not be tried or finished. */
export type FailedResolution = Extract<Resolution, { result: 'error' }>;

const MEND = 'Ask its author to correct it, or remove it from the catalog.';
/** Bundles at fault that are named. */
const NAMED = 3;
const BAD_CATALOG =
  'Every visible CatalogSource must answer, used or not. Repair the named CatalogSources, or delete those that you do not need.';

/**
 * Returns the candidates of a problem, if its data is complete (order of checks: classic-resolution.md §8).
 */
export function snapshotOf(
  { wishes: desired, catalogs }: ResolutionProblem,
  record: (hash: string) => PackageRecord,
): Snapshot | FailedResolution {
  if (desired.operatorGroups.length !== 1) {
    return failed(
      [`expected 1 OperatorGroup in the namespace, found ${desired.operatorGroups.length}`],
      `Leave exactly one OperatorGroup in namespace ${desired.namespace}.`,
    );
  }
  const existing = installedEntries(desired);
  const installed = 'error' in existing ? [] : existing.value;
  const views = catalogs.map((slice) => view(slice, record));
  const snapshot = new Snapshot(desired.namespace, installed, views);
  const installedErrors = new ConstraintBuilder(snapshot).addInstalled();
  if (installedErrors.length > 0) return badRequirement(installedErrors);
  const failures = catalogs.flatMap(({ key, failure }) =>
    failure === undefined ? [] : [`error using catalogsource ${key.namespace}/${key.name}: ${failure}`],
  );
  if ('error' in existing) failures.push(`error using catalogsource ${desired.namespace}/@existing: ${existing.error}`);
  return failures.length > 0 ? failed(failures, BAD_CATALOG) : snapshot;
}

function view({ key, priority, empty, packages }: CatalogSlice, record: (hash: string) => PackageRecord): CatalogView {
  return new CatalogView(
    key,
    priority,
    empty,
    packages.map((pkg) => record(pkg.record)),
  );
}

/**
 * Reports the reachable requirements that cannot be understood. The advice names the bundles; OLM's message
 * does not.
 */
export function badRequirement(errors: readonly ReachError[]): FailedResolution {
  const faulty = errors.flatMap((error) => error.in ?? []).map((entry) => `${entry.name} (${placeWords(entry)})`);
  const names = [...new Set(faulty)].sort(byCodeUnit);
  const what =
    names.length === 0
      ? 'The versions of a channel cannot be put in order.'
      : `${names.slice(0, NAMED).join(', ')} has data that cannot be read.`;
  return failed(
    errors.map(({ error }) => error),
    `${what} ${MEND}`,
  );
}

/** The search ended before it had an answer. */
export const tooHard = (conflicts: number): FailedResolution => ({
  ...failed(
    [`resolution was given up after ${conflicts} conflicts: the problem is too hard to be decided in bounded time`],
    'Reduce the number of Subscriptions in this namespace, or pin channels and startingCSVs, so that fewer choices remain.',
  ),
  code: 'ResolutionTooHard',
});

/** Joins several causes in brackets, each once, as Go's aggregated errors do. */
export function failed(messages: readonly string[], advice: string): FailedResolution {
  const distinct = [...new Set(messages)].sort(byCodeUnit);
  const message = distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
  return { result: 'error', message, advice };
}
