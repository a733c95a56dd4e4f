import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import { variableName } from '../constraints/constraint-text.js';

/**
 * A concession that lets the rest be satisfied: the remaining constraints, and the Subscription or CSV that
 * loses.
 */
type Concession = Readonly<{
  constraints: readonly Constraint[];
  kind: 'subscription' | 'installed';
  name: string;
}>;

type Mandatory = Extract<Constraint, { kind: 'mandatory' }>;

/**
 * Returns the smallest concession for a core, in this order: a Subscription without an installed CSV, since a
 * new one has to fit in; a Subscription with a CSV, which then stays unchanged; a requirement of an installed
 * CSV; that an installed CSV stays. Among equals the last by name. Undefined if the core holds none of these.
 */
export function concessionFor(system: ConstraintSystem, core: readonly number[]): Concession | undefined {
  const rules = core.flatMap((index) => system.constraints[index] ?? []);
  const musts = rules.filter((rule) => rule.kind === 'mandatory');
  const subscriptions = musts.filter(({ subject }) => system.variables[subject]?.kind === 'subscription');
  const newcomer = lastByName(
    subscriptions.filter(({ subject }) => installedOf(subject, system) === undefined),
    system,
  );
  if (newcomer !== undefined) return without(newcomer, 'subscription', system);
  const settled = lastByName(subscriptions, system);
  if (settled !== undefined) return leftAsItIs(settled, system);
  const demand = rules.find((rule) => rule.kind === 'requires' && isInstalled(rule.subject, system));
  if (demand?.kind === 'requires') return without(demand, 'installed', system);
  const stays = lastByName(musts, system);
  return stays && without(stays, 'installed', system);
}

function without(
  rule: Extract<Constraint, { kind: 'mandatory' | 'requires' }>,
  kind: Concession['kind'],
  system: ConstraintSystem,
): Concession {
  const constraints = system.constraints.filter((other) => other !== rule);
  return { constraints, kind, name: variableName(rule.subject, system) };
}

/** The CSV of a Subscription that is left out is in use, so the others must be compatible with it. */
function leftAsItIs(rule: Mandatory, system: ConstraintSystem): Concession {
  const conceded = without(rule, 'subscription', system);
  const installed = installedOf(rule.subject, system);
  if (installed === undefined) return conceded;
  return { ...conceded, constraints: [{ kind: 'mandatory', subject: installed, left: true }, ...conceded.constraints] };
}

/** Variable of the CSV that a Subscription may fall back to. */
function installedOf(subscription: number, system: ConstraintSystem): number | undefined {
  const required = system.constraints.find(
    (rule) => rule.kind === 'requires' && rule.subject === subscription && rule.requirement === undefined,
  );
  return required?.kind === 'requires'
    ? required.candidates.find((candidate) => isInstalled(candidate, system))
    : undefined;
}

function isInstalled(index: number, { variables }: ConstraintSystem): boolean {
  const variable = variables[index];
  return variable?.kind === 'entry' && variable.entry.from.kind === 'installed';
}

const lastByName = (rules: readonly Mandatory[], system: ConstraintSystem): Mandatory | undefined =>
  rules.toSorted((a, b) => byCodeUnit(variableName(a.subject, system), variableName(b.subject, system))).at(-1);
