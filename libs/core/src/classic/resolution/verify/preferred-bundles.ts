import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';

/**
 * Variables by index. `chosen`: the variable in a solution, or undefined if an installed CSV stays. `better`:
 * one that comes before it and fits as well, or undefined if nothing needs `chosen`.
 */
export type PassedOver = Readonly<{ chosen?: number | undefined; better?: number }>;

/**
 * Returns a chosen catalog entry that the search cannot have picked. Either another entry comes before it in
 * every list of candidates and could take its place, with all else unchanged (spec: classic-resolution.md
 * §7); or no list has it as the best chosen one. It needs no search, so it also judges problems that are too
 * hard to be searched. `system` may have constraints that were given up since: they make the check weaker,
 * never wrong. The installed CSVs that stay are not known, so an entry that could depend on them is not
 * `better`.
 *
 * An answer of this process is never refused here: if the search picked `chosen`, `better` came before it in
 * the list. The decisions before that one and `better` are part of a solution, so nothing had excluded
 * `better`.
 */
export function passedOver(chosen: ReadonlySet<number>, system: ConstraintSystem): PassedOver | undefined {
  const rules = rulesByVariable(system, chosen);
  for (const index of chosen) {
    const lists = (rules.get(index) ?? []).flatMap((rule) =>
      rule.kind === 'requires' &&
      mayCount(rule.subject, chosen, system) &&
      rule.candidates.find((candidate) => chosen.has(candidate)) === index
        ? [rule.candidates]
        : [],
    );
    const [first, ...others] = lists.map((candidates) => candidates.slice(0, candidates.indexOf(index)));
    if (first === undefined) return { chosen: index };
    const better = first.find(
      (candidate) =>
        isOfCatalog(candidate, system) &&
        others.every((list) => list.includes(candidate)) &&
        fits(candidate, index, chosen, { system, rules }),
    );
    if (better !== undefined) return { chosen: index, better };
  }
  return undefined;
}

type Rules = ReadonlyMap<number, readonly Constraint[]>;

/** Constraints that name catalog entries, and requirements that chosen ones meet. */
function rulesByVariable({ constraints }: ConstraintSystem, chosen: ReadonlySet<number>): Rules {
  const rules = new Map<number, Constraint[]>();
  const note = (variable: number, rule: Constraint): void => {
    const known = rules.get(variable);
    if (known === undefined) rules.set(variable, [rule]);
    else if (known.at(-1) !== rule) known.push(rule);
  };
  for (const rule of constraints) {
    if (rule.kind === 'at-most-one') for (const member of rule.members) note(member, rule);
    else note(rule.subject, rule);
    if (rule.kind === 'conflict') note(rule.other, rule);
    if (rule.kind === 'requires') {
      for (const candidate of rule.candidates) if (chosen.has(candidate)) note(candidate, rule);
    }
  }
  return rules;
}

/** Returns false for a catalog entry that is not chosen: its requirements do not count. */
const mayCount = (subject: number, chosen: ReadonlySet<number>, system: ConstraintSystem): boolean =>
  chosen.has(subject) || !isOfCatalog(subject, system);

function isOfCatalog(index: number, { variables }: ConstraintSystem): boolean {
  const variable = variables[index];
  return variable?.kind === 'entry' && variable.entry.from.kind === 'catalog';
}

/** True if each constraint that holds with `gone` holds with `comes` in its place. */
function fits(
  comes: number,
  gone: number,
  chosen: ReadonlySet<number>,
  { system, rules }: Readonly<{ system: ConstraintSystem; rules: Rules }>,
): boolean {
  const after = (index: number): boolean => index === comes || (index !== gone && chosen.has(index));
  const excludedByGone = (other: number): boolean =>
    (rules.get(gone) ?? []).some(
      (rule) =>
        (rule.kind === 'conflict' && (rule.other === other || rule.subject === other)) ||
        (rule.kind === 'at-most-one' && rule.members.includes(other)),
    );
  const isAbsent = (other: number): boolean => (isOfCatalog(other, system) ? !after(other) : excludedByGone(other));
  const holds = (rule: Constraint): boolean => {
    switch (rule.kind) {
      case 'mandatory':
        return true;
      case 'prohibited':
        return rule.subject !== comes;
      case 'conflict':
        return isAbsent(rule.subject === comes ? rule.other : rule.subject);
      case 'at-most-one':
        return rule.members.every((member) => member === comes || isAbsent(member));
      case 'requires':
        return rule.candidates.some(after) || (rule.subject !== comes && !mayCount(rule.subject, chosen, system));
    }
  };
  const losing = (rules.get(gone) ?? []).filter((rule) => rule.kind === 'requires' && rule.subject !== gone);
  return (rules.get(comes) ?? []).every(holds) && losing.every(holds);
}
