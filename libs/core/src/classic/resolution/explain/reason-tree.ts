import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { Constraint, ConstraintSystem } from '../constraints/constraint-system.js';
import { constraintText, listed, variableId, variableName } from '../constraints/constraint-text.js';
import { placeWords, requirementWords } from '../constraints/plain-words.js';
import type { Snapshot } from '../constraints/snapshot.js';
import type { Reason } from '../problem/resolution-problem.js';
import { crowdReason } from './crowd-reason.js';
import { nearMiss } from './near-miss.js';

type Of<K extends Constraint['kind']> = Extract<Constraint, { kind: K }>;

/** Turns a core into a tree: the roots must hold, and the children of each node contradict it. */
export function reasonTree(system: ConstraintSystem, core: readonly number[], snapshot: Snapshot): Reason[] {
  const constraints = core.flatMap((index) => system.constraints[index] ?? []);
  const crowd = crowdReason(system, constraints);
  return crowd === undefined ? new ReasonTree(system, constraints, snapshot).roots() : [crowd];
}

const NONE: ReadonlySet<number> = new Set();
/** Rivals named before the rest is counted. */
const NAMED = 3;

class ReasonTree {
  readonly #visited = new Set<number>();

  constructor(
    readonly system: ConstraintSystem,
    readonly constraints: readonly Constraint[],
    readonly snapshot: Snapshot,
  ) {}

  roots(): Reason[] {
    return this.constraints
      .filter((constraint) => constraint.kind === 'mandatory')
      .map((constraint) => this.#root(constraint))
      .sort((a, b) => byCodeUnit(a.kind, b.kind) || byCodeUnit(a.subject, b.subject));
  }

  #root(constraint: Of<'mandatory'>): Reason {
    const variable = this.system.variables[constraint.subject];
    const subscription = variable?.kind === 'subscription' ? variable.subscription : undefined;
    return {
      kind: subscription === undefined ? 'installed' : 'subscription',
      subject: variableName(constraint.subject, this.system),
      text: constraintText(constraint, this.system),
      facts: {
        namespace: this.snapshot.namespace,
        package: subscription?.package ?? '',
        ...(constraint.left ? { left: 'true' } : {}),
      },
      because: this.#against(constraint.subject, NONE),
    };
  }

  /**
   * Returns everything in the core about a variable; each variable is explained once. Its siblings are the
   * other candidates for the same requirement: it excludes them, but that is no obstacle.
   */
  #against(index: number, siblings: ReadonlySet<number>): Reason[] {
    if (this.#visited.has(index)) return [];
    this.#visited.add(index);
    return this.constraints.flatMap((constraint) => this.#reason(constraint, index, siblings) ?? []);
  }

  #reason(constraint: Constraint, index: number, siblings: ReadonlySet<number>): Reason | undefined {
    switch (constraint.kind) {
      case 'mandatory':
        return undefined;
      case 'prohibited':
        return constraint.subject === index ? this.#prohibited(constraint) : undefined;
      case 'requires':
        return constraint.subject === index ? this.#requires(constraint) : undefined;
      case 'conflict':
        if (constraint.subject !== index && constraint.other !== index) return undefined;
        return this.#leaf('conflict', constraint, this.#others([constraint.subject, constraint.other], index));
      case 'at-most-one':
        return constraint.members.includes(index) ? this.#exclusion(constraint, index, siblings) : undefined;
    }
  }

  #exclusion(constraint: Of<'at-most-one'>, index: number, siblings: ReadonlySet<number>): Reason | undefined {
    const rivals = this.#relevant(constraint.members).filter((member) => member === index || !siblings.has(member));
    if (rivals.length < 2) return undefined;
    const kind = constraint.shared === 'api' ? 'same-api' : 'same-package';
    return this.#leaf(kind, constraint, { ...this.#others(rivals, index), shared: constraint.of });
  }

  #requires(constraint: Of<'requires'>): Reason {
    const { requirement, candidates } = constraint;
    const missing = candidates.length === 0;
    return {
      ...this.#leaf(missing ? 'missing' : 'requires', constraint, {
        what: requirement === undefined ? '' : requirementWords(requirement),
        near: missing && requirement !== undefined ? nearMiss(requirement, this.snapshot) : '',
        also: missing ? this.#alsoMissing(constraint) : '',
      }),
      because: candidates.map((candidate) => this.#candidate(candidate, new Set(candidates))),
    };
  }

  /**
   * Names the other missing requirements of the same bundle: a core names one of them, but the advice should
   * name all.
   */
  #alsoMissing({ subject, requirement }: Of<'requires'>): string {
    const words = this.system.constraints.flatMap((other) => {
      if (other.kind !== 'requires' || other.subject !== subject || other.candidates.length > 0) return [];
      return other.requirement === undefined ? [] : [requirementWords(other.requirement)];
    });
    const own = requirement === undefined ? '' : requirementWords(requirement);
    return listed([...new Set(words)].filter((word) => word !== own).sort(byCodeUnit), 'and');
  }

  #candidate(index: number, siblings: ReadonlySet<number>): Reason {
    const variable = this.system.variables[index];
    const place = variable?.kind === 'entry' ? placeWords(variable.entry) : '';
    const id = variableId(index, this.system);
    const facts = { csv: variableName(index, this.system), place };
    return { kind: 'candidate', subject: id, text: id, facts, because: this.#against(index, siblings) };
  }

  #prohibited(constraint: Of<'prohibited'>): Reason {
    if ('deprecated' in constraint.why) return this.#leaf('deprecated', constraint, {});
    const { lacks, has } = constraint.why;
    const variable = this.system.variables[constraint.subject];
    const desired = variable?.kind === 'subscription' ? variable.subscription : undefined;
    return this.#leaf('nothing-found', constraint, {
      lacks,
      has: has.join(', '),
      catalog: `${desired?.sourceNamespace ?? ''}/${desired?.source ?? ''}`,
      package: desired?.package ?? '',
      channel: desired?.channel ?? '',
      startingCSV: desired?.startingCSV ?? '',
    });
  }

  #leaf(kind: Reason['kind'], constraint: Constraint, facts: Readonly<Record<string, string>>): Reason {
    const subject = 'subject' in constraint ? variableId(constraint.subject, this.system) : '';
    return { kind, subject, text: constraintText(constraint, this.system), facts, because: [] };
  }

  /** Members that the core asks for: the others have no part in the conflict. */
  #relevant(members: readonly number[]): number[] {
    const asked = new Set(
      this.constraints.flatMap((constraint) => {
        if (constraint.kind === 'mandatory') return [constraint.subject];
        return constraint.kind === 'requires' ? constraint.candidates : [];
      }),
    );
    return members.filter((member) => asked.has(member));
  }

  #others(members: readonly number[], self: number): Readonly<Record<string, string>> {
    const names = members
      .filter((member) => member !== self)
      .toSorted((a, b) => byCodeUnit(variableId(a, this.system), variableId(b, this.system)))
      .map((member) => {
        const variable = this.system.variables[member];
        const place = variable?.kind === 'entry' ? ` (${placeWords(variable.entry)})` : '';
        return `${variableName(member, this.system)}${place}`;
      });
    const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
    return { others: listed([...names.slice(0, NAMED), ...more], 'and') };
  }
}
