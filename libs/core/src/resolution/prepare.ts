import { byCodeUnit } from '../canonical/canonical-json.js';
import { ConstraintBuilder } from './build-constraints.js';
import { CatalogView } from './catalog-view.js';
import { installedEntries } from './installed-entries.js';
import type { CatalogSlice, PackageRecord, Resolution, ResolutionProblem } from './resolution-problem.js';
import { Snapshot } from './snapshot.js';

/** A resolution that could not be tried or finished. */
export type FailedResolution = Extract<Resolution, { result: 'error' }>;

const BAD_REQUIREMENT =
  'A bundle in reach carries data that cannot be understood. Ask its author for a corrected one, or take the bundle out of the catalog.';
const BAD_CATALOG =
  'Every CatalogSource in sight must answer, used or not. Repair the ones named, or delete those that are not needed.';

/** What a problem offers to choose from, provided that it can be asked at all (order of checks: classic-resolution.md §8). */
export function snapshotOf(
  { wishes, catalogs }: ResolutionProblem,
  record: (hash: string) => PackageRecord,
): Snapshot | FailedResolution {
  if (wishes.operatorGroups.length !== 1) {
    return failed(
      [`expected 1 OperatorGroup in the namespace, found ${wishes.operatorGroups.length}`],
      `Leave exactly one OperatorGroup in namespace ${wishes.namespace}.`,
    );
  }
  const existing = installedEntries(wishes);
  const installed = 'error' in existing ? [] : existing.value;
  const views = catalogs.map((slice) => view(slice, record));
  const snapshot = new Snapshot(wishes.namespace, installed, views);
  const installedErrors = new ConstraintBuilder(snapshot).addInstalled();
  if (installedErrors.length > 0) return badRequirement(installedErrors);
  const failures = catalogs.flatMap(({ key, failure }) =>
    failure === undefined ? [] : [`error using catalogsource ${key.namespace}/${key.name}: ${failure}`],
  );
  if ('error' in existing) failures.push(`error using catalogsource ${wishes.namespace}/@existing: ${existing.error}`);
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

/** Requirements that cannot be understood. */
export const badRequirement = (errors: readonly string[]): FailedResolution => failed(errors, BAD_REQUIREMENT);

/** The search ended before it had an answer. */
export const tooHard = (conflicts: number): FailedResolution => ({
  ...failed(
    [`resolution was given up after ${conflicts} conflicts: the problem is too hard to be decided in bounded time`],
    'Name fewer Subscriptions in this namespace, or pin channels and startingCSVs, so that there is less to choose between.',
  ),
  code: 'ResolutionTooHard',
});

/** Several causes stand in brackets, each once, as Go's aggregated errors do. */
export function failed(messages: readonly string[], advice: string): FailedResolution {
  const distinct = [...new Set(messages)].sort(byCodeUnit);
  const message = distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
  return { result: 'error', message, advice };
}
