import type { PackageRecord } from '../../../catalog/model/package-record.js';
import { sameJson } from '../../../kernel/canonical/same-json.js';
import { ConstraintBuilder } from '../constraints/build-constraints.js';
import type { ConstraintSystem } from '../constraints/constraint-system.js';
import { clashOf, pickedEntries } from '../constraints/picked-entries.js';
import { placeWords } from '../constraints/plain-words.js';
import { badRequirement, snapshotOf } from '../constraints/prepare.js';
import { Snapshot } from '../constraints/snapshot.js';
import { isolatedResolution, understoodSubscriptions } from '../isolation/resolve-isolated.js';
import { resolutionOf } from '../problem/resolution-of.js';
import type { DesiredNamespace, Resolution, ResolutionProblem, Unresolved } from '../problem/resolution-problem.js';
import { type SearchBudget, search } from '../search/preference-search.js';
import { allowedBundles } from './allowed-bundles.js';
import { type PassedOver, passedOver } from './preferred-bundles.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/** The search is only tried: a check must not take as long as a hard problem does (decision 0518). */
const TRIED: SearchBudget = { conflicts: 500, work: 4_000_000 };
/** The installed catalog entries are given, so that only installed CSVs are left to decide. */
const ALLOWED: SearchBudget = { conflicts: 1_000, work: 20_000_000 };

/**
 * Returns the reason a solution from another process must not be acted on; undefined if it may be. The
 * problem is searched again within `budget`. If that gives an answer, the solution must be the same (spec:
 * classic-resolution.md §7). If the search does not end, or with isolation something has to be left out:
 * - the chosen bundles are allowed, and each is asked for (`allowed-bundles.ts`);
 * - no chosen bundle can give its place to one that OLM prefers to it (`preferred-bundles.ts`);
 * - all else in the solution follows from the chosen bundles.
 *
 * The answer of the resolver is never refused.
 *
 * @param record gives the package record of a hash; the caller has checked it against the hash
 */
export function verifyResolution(
  problem: ResolutionProblem,
  record: (hash: string) => PackageRecord,
  claimed: Resolved,
  budget: SearchBudget = TRIED,
): string | undefined {
  const snapshot = snapshotOf(problem, record);
  if (!(snapshot instanceof Snapshot)) return noSolution(snapshot.message);
  const { wishes: desired } = problem;
  const asked = askedOf(desired, snapshot);
  if ('error' in asked) return noSolution(asked.error);
  const system = asked.builder.build();
  const found = search(system, budget);
  const own = found.verdict === 'satisfiable' ? asked.answer(system, found.picked, asked.unread) : undefined;
  if (own !== undefined && sameJson(own, claimed)) return undefined;

  const allowed = allowedBundles(system, desired, claimed, ALLOWED);
  if ('refusal' in allowed) return allowed.refusal;
  const { chosen } = allowed;
  const better =
    found.verdict === 'satisfiable' ? firstOther(found.picked, chosen, system) : passedOver(chosen, system);
  if (better !== undefined) return preference(better, system);
  const unresolved = own === undefined ? (claimed.unresolved ?? []) : asked.unread;
  return hasAll(unresolved, asked.unread) && sameJson(asked.answer(system, allowed.picked, unresolved), claimed)
    ? undefined
    : 'it says more or other than what follows from its chosen bundles';
}

const noSolution = (message: string): string => `the problem has no solution: ${message}`;

type Answer = (system: ConstraintSystem, picked: readonly number[], unresolved: readonly Unresolved[]) => Resolution;
/** The rules of a namespace, its answer from picked variables, and Subscriptions that have no rules. */
type Asked = Readonly<{ builder: ConstraintBuilder; answer: Answer; unread: readonly Unresolved[] }>;

function askedOf(desired: DesiredNamespace, snapshot: Snapshot): Asked | Readonly<{ error: string }> {
  if (desired.operatorGroups[0]?.isolate === true) {
    const { builder, unread } = understoodSubscriptions(desired.subscriptions, snapshot);
    const answer: Answer = (system, picked, unresolved) =>
      clashOf(builder, picked) ?? isolatedResolution(pickedEntries(system, picked), builder, desired, unresolved);
    return { builder, answer, unread };
  }
  const builder = new ConstraintBuilder(snapshot);
  builder.addInstalled();
  const errors = desired.subscriptions.flatMap((one) => builder.addSubscription(one));
  if (errors.length > 0) return { error: badRequirement(errors).message };
  const answer: Answer = (system, picked) =>
    clashOf(builder, picked) ?? resolutionOf(pickedEntries(system, picked), desired, builder);
  return { builder, answer, unread: [] };
}

/**
 * True if all Subscriptions that cannot be understood are left out and reported so, in addition to any
 * others.
 */
const hasAll = (unresolved: readonly Unresolved[], unread: readonly Unresolved[]): boolean =>
  unresolved.filter(({ reason }) => reason === 'ErrorPreventedResolution').length === unread.length &&
  unread.every((one) => unresolved.some((other) => sameJson(one, other)));

/** The first entry of a catalog that the search picks and the solution has not. */
function firstOther(
  picked: readonly number[],
  chosen: ReadonlySet<number>,
  { variables, constraints }: ConstraintSystem,
): PassedOver | undefined {
  const better = picked.find((index) => {
    const variable = variables[index];
    return variable?.kind === 'entry' && variable.entry.from.kind === 'catalog' && !chosen.has(index);
  });
  if (better === undefined) {
    const needless = [...chosen].find((index) => !picked.includes(index));
    return needless === undefined ? undefined : { chosen: needless };
  }
  const lists = constraints.flatMap((rule) =>
    rule.kind === 'requires' && picked.includes(rule.subject) && rule.candidates.includes(better)
      ? [rule.candidates]
      : [],
  );
  return { better, chosen: lists.flat().find((candidate) => chosen.has(candidate)) };
}

function preference({ chosen, better }: PassedOver, system: ConstraintSystem): string {
  const name = (index: number): string => {
    const variable = system.variables[index];
    return variable?.kind === 'entry' ? `${variable.entry.name} (${placeWords(variable.entry)})` : '';
  };
  if (better === undefined) return `${name(chosen ?? 0)} is chosen, and nothing that is asked for needs it`;
  return chosen === undefined
    ? `${name(better)} is left out, and the rules of the problem allow it`
    : `OLM prefers ${name(better)} to ${name(chosen)}, and the rules of the problem allow it`;
}
