import type { Constraint, ConstraintSystem, Variable } from '../constraints/constraint-system.js';
import type { ChosenBundle, DesiredNamespace, Resolution } from '../problem/resolution-problem.js';
import { type SearchBudget, search } from '../search/preference-search.js';

type Resolved = Extract<Resolution, { result: 'resolved' }>;

/**
 * The bundles of a solution, as variables, with the search's own solution; or the reason they are refused.
 */
type AllowedBundles =
  | Readonly<{ chosen: ReadonlySet<number>; picked: readonly number[] }>
  | Readonly<{ refusal: string }>;

/**
 * Checks the bundles of a solution against the rules of the problem, without OLM's preferences:
 * - every chosen bundle is an entry of the problem's own package records;
 * - the chosen bundles satisfy every constraint of the problem, together with the CSVs that stay;
 * - each chosen bundle is asked for: by a Subscription, or by a chosen bundle or remaining CSV.
 *
 * The installed catalog entries are given, so that only installed CSVs are left to decide.
 */
export function allowedBundles(
  whole: ConstraintSystem,
  desiredNamespace: DesiredNamespace,
  claimed: Resolved,
  budget: SearchBudget,
): AllowedBundles {
  const left = leftOut(desiredNamespace, claimed);
  const system = withoutRulesOf(left, whole);
  const unknown = claimed.chosen.find((bundle) => indicesOf(bundle, system).length !== 1);
  if (unknown !== undefined) return { refusal: `${named(unknown)} is not among the bundles that the problem offers` };
  const chosen = new Set(claimed.chosen.flatMap((bundle) => indicesOf(bundle, system)));
  const found = search({ ...system, constraints: [...fixed(chosen, system), ...system.constraints] }, budget);
  if (found.verdict !== 'satisfiable')
    return { refusal: 'the chosen bundles do not meet the rules of the problem together' };
  const asked = askedFor(new Set(found.picked), whole, left);
  const needless = claimed.chosen.find((bundle) => indicesOf(bundle, system).some((index) => !asked.has(index)));
  return needless === undefined
    ? { chosen, picked: found.picked }
    : { refusal: `${named(needless)} is asked for by no Subscription, bundle or CSV` };
}

const named = ({ name, channel, catalog, catalogNamespace }: ChosenBundle): string =>
  `${name} of channel ${channel} of catalog ${catalogNamespace}/${catalog}`;

const isIsolated = ({ operatorGroups }: DesiredNamespace): boolean => operatorGroups[0]?.isolate === true;

/** Names of Subscriptions and CSVs with rules that are given up. */
type LeftOut = Readonly<{ subscriptions: ReadonlySet<string>; installed: ReadonlySet<string> }>;

/** Returns the names that were left out: none unless the namespace asks for isolation. */
function leftOut(desiredNamespace: DesiredNamespace, { unresolved = [] }: Resolved): LeftOut {
  const of = isIsolated(desiredNamespace) ? unresolved : [];
  const names = (kind: string) => new Set(of.filter((one) => one.kind === kind).map(({ name }) => name));
  return { subscriptions: names('subscription'), installed: names('installed') };
}

/**
 * Drops the rules that `resolveIsolated` gave up. The CSV of a Subscription that was left out stays, unless
 * it was given up itself.
 */
function withoutRulesOf(left: LeftOut, system: ConstraintSystem): ConstraintSystem {
  const { variables } = system;
  const isLeftOut = (index: number): boolean => {
    const variable = variables[index];
    if (variable?.kind === 'subscription') return left.subscriptions.has(variable.subscription.name);
    return variable?.entry.from.kind === 'installed' && left.installed.has(variable.entry.name);
  };
  const constraints = system.constraints.flatMap((rule): Constraint[] => {
    if ((rule.kind !== 'mandatory' && rule.kind !== 'requires') || !isLeftOut(rule.subject)) return [rule];
    if (rule.kind === 'mandatory' || variables[rule.subject]?.kind !== 'subscription') return [];
    return rule.candidates
      .filter((candidate) => isInstalled(variables[candidate]) && !isLeftOut(candidate))
      .map((subject) => ({ kind: 'mandatory', subject, left: true }));
  });
  return { ...system, constraints };
}

const isInstalled = (variable: Variable | undefined): boolean =>
  variable?.kind === 'entry' && variable.entry.from.kind === 'installed';

const indicesOf = (
  { name, channel, catalog, catalogNamespace }: ChosenBundle,
  { variables }: ConstraintSystem,
): number[] =>
  variables.flatMap((variable, index) => {
    if (variable.kind !== 'entry' || variable.entry.from.kind !== 'catalog') return [];
    const { entry } = variable;
    const isIt =
      entry.name === name &&
      entry.channel === channel &&
      variable.entry.from.catalog.name === catalog &&
      variable.entry.from.catalog.namespace === catalogNamespace;
    return isIt ? [index] : [];
  });

/** Fixes the entries of catalogs: an entry is installed exactly if it is chosen. */
const fixed = (chosen: ReadonlySet<number>, { variables }: ConstraintSystem): Constraint[] =>
  variables.flatMap((variable, subject): Constraint[] => {
    if (variable.kind !== 'entry' || variable.entry.from.kind !== 'catalog') return [];
    return chosen.has(subject)
      ? [{ kind: 'mandatory', subject }]
      : [{ kind: 'prohibited', subject, why: { deprecated: true } }];
  });

/**
 * Returns the variables of the solution that Subscriptions and installed CSVs ask for, directly or through
 * bundles. If one requirement of a CSV was given up, the CSV stays on the cluster, and bundles that meet its
 * other requirements are asked for.
 */
function askedFor(
  picked: ReadonlySet<number>,
  { variables, constraints }: ConstraintSystem,
  left: LeftOut,
): ReadonlySet<number> {
  const isStart = (index: number): boolean =>
    variables[index]?.kind === 'subscription' || isInstalled(variables[index]);
  const staying = variables.flatMap((variable, index) =>
    variable.kind === 'entry' && isInstalled(variable) && left.installed.has(variable.entry.name) ? [index] : [],
  );
  const demands = Map.groupBy(
    constraints.filter((rule) => rule.kind === 'requires'),
    ({ subject }) => subject,
  );
  const asked = new Set<number>();
  const pending = [...[...picked].filter(isStart), ...staying];
  for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
    if (asked.has(index)) continue;
    asked.add(index);
    const candidates = (demands.get(index) ?? []).flatMap((rule) => rule.candidates);
    pending.push(...candidates.filter((candidate) => picked.has(candidate)));
  }
  return asked;
}
