import { byCodeUnit } from '../canonical/canonical-json.js';
import { ConstraintBuilder } from './build-constraints.js';
import { CatalogView } from './catalog-view.js';
import type { ConstraintSystem } from './constraint-system.js';
import type { Entry } from './entry.js';
import { explain } from './explain/explain.js';
import { installedEntries } from './installed-entries.js';
import { resolutionOf } from './resolution-of.js';
import type { CatalogSlice, PackageRecord, Resolution, ResolutionProblem } from './resolution-problem.js';
import { DEFAULT_BUDGET, type SearchBudget, search } from './search/preference-search.js';
import { Snapshot } from './snapshot.js';

/**
 * Answers one problem as OLM would for a fixed order of Subscriptions and orphans by name (spec: classic-resolution.md;
 * order of checks: §8). Pure: equal problems give equal answers. `record` gives the package record of a hash.
 */
export function resolve(
  problem: ResolutionProblem,
  record: (hash: string) => PackageRecord,
  budget: SearchBudget = DEFAULT_BUDGET,
): Resolution {
  const { wishes, catalogs } = problem;
  if (wishes.operatorGroups.length !== 1) {
    return failed(
      [`expected 1 OperatorGroup in the namespace, found ${wishes.operatorGroups.length}`],
      `Leave exactly one OperatorGroup in namespace ${wishes.namespace}.`,
    );
  }
  const existing = installedEntries(wishes);
  const installed = 'error' in existing ? [] : existing.value;
  const builder = new ConstraintBuilder(
    new Snapshot(
      wishes.namespace,
      installed,
      catalogs.map((slice) => view(slice, record)),
    ),
  );
  const installedErrors = builder.addInstalled();
  if (installedErrors.length > 0) return failed(installedErrors, BAD_REQUIREMENT);
  const failures = catalogs.flatMap(({ key, failure }) =>
    failure === undefined ? [] : [`error using catalogsource ${key.namespace}/${key.name}: ${failure}`],
  );
  if ('error' in existing) failures.push(`error using catalogsource ${wishes.namespace}/@existing: ${existing.error}`);
  if (failures.length > 0) return failed(failures, BAD_CATALOG);
  const errors = wishes.subscriptions.flatMap((wished) => builder.addSubscription(wished));
  if (errors.length > 0) return failed(errors, BAD_REQUIREMENT);
  return solve(problem, builder, budget);
}

const BAD_REQUIREMENT =
  'A bundle in reach carries data that cannot be understood. Ask its author for a corrected one, or take the bundle out of the catalog.';
const BAD_CATALOG =
  'Every CatalogSource in sight must answer, used or not. Repair the ones named, or delete those that are not needed.';

function solve(problem: ResolutionProblem, builder: ConstraintBuilder, budget: SearchBudget): Resolution {
  const system = builder.build();
  const found = search(system, budget);
  switch (found.verdict) {
    case 'exhausted':
      return {
        ...failed(
          [
            `resolution was given up after ${found.conflicts} conflicts: the problem is too hard to be decided in bounded time`,
          ],
          'Name fewer Subscriptions in this namespace, or pin channels and startingCSVs, so that there is less to choose between.',
        ),
        code: 'ResolutionTooHard',
      };
    case 'unsatisfiable':
      return explain(system, found, builder.snapshot);
    case 'satisfiable': {
      const ambiguous = found.picked.flatMap((index) => {
        const clash = builder.ambiguous.get(index);
        return clash === undefined ? [] : [`expected exactly one operator, got ${clash.size}`];
      });
      return ambiguous.length > 0
        ? failed(
            ambiguous,
            'Two packages of a catalog have a CSV of the same name in channels of the same name: rename one.',
          )
        : resolutionOf(chosenEntries(system, found.picked), problem.wishes);
    }
  }
}

function chosenEntries(system: ConstraintSystem, picked: readonly number[]): Entry[] {
  return picked.flatMap((index) => {
    const variable = system.variables[index];
    return variable?.kind === 'entry' ? [variable.entry] : [];
  });
}

function view({ key, priority, empty, packages }: CatalogSlice, record: (hash: string) => PackageRecord): CatalogView {
  return new CatalogView(
    key,
    priority,
    empty,
    packages.map((pkg) => record(pkg.record)),
  );
}

/** Several causes stand in brackets, each once, as Go's aggregated errors do. */
function failed(messages: readonly string[], advice: string): Extract<Resolution, { result: 'error' }> {
  const distinct = [...new Set(messages)].sort(byCodeUnit);
  const message = distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
  return { result: 'error', message, advice };
}
