import type { Entry } from '../../../catalog/model/entry.js';
import { entryFacts } from '../../../catalog/model/entry-facts.js';
import { requirementsOf } from '../../../catalog/model/requirements-of.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import type { DesiredSubscription } from '../problem/resolution-problem.js';
import type { Constraint, ConstraintSystem, Variable } from './constraint-system.js';
import type { Candidates, Snapshot } from './snapshot.js';
import { subscriptionCandidates } from './subscription-candidates.js';

/**
 * The error that stops a resolution before it is solved, in OLM's words. `in`: the bundle with faulty data.
 */
export type ReachError = Readonly<{ error: string; in?: Entry }>;

/**
 * Collects variables and constraints from the installed and desired state (spec: classic-resolution.md §4).
 */
export class ConstraintBuilder {
  readonly #variables: Variable[] = [];
  readonly #constraints: Constraint[] = [];
  readonly #indexById = new Map<string, number>();
  readonly #installedByName: ReadonlyMap<string, Entry>;
  readonly #upgrades = new Map<Entry, string>();
  /**
   * Ids that two entries share: OLM cannot distinguish them and fails when one is chosen
   * (spec: classic-resolution.md §4).
   */
  readonly ambiguous = new Map<number, Set<Entry>>();

  constructor(readonly snapshot: Snapshot) {
    this.#installedByName = new Map(snapshot.installed.map((entry) => [entry.name, entry]));
  }

  /**
   * Adds the installed CSVs and everything they reach; returns the requirements that cannot be understood.
   */
  addInstalled(): ReachError[] {
    return this.#reach(this.snapshot.installed);
  }

  /** Adds a Subscription, its candidates and all they reach. */
  addSubscription(desired: DesiredSubscription): ReachError[] {
    const installed = this.#installedByName.get(desired.installedCSV);
    const candidates = subscriptionCandidates(desired, installed, this.snapshot);
    if ('error' in candidates) return [candidates];
    const subject = this.#variables.push({ kind: 'subscription', subscription: desired }) - 1;
    this.#constraints.push({ kind: 'mandatory', subject });
    if ('none' in candidates) {
      this.#constraints.push({ kind: 'prohibited', subject, why: candidates.none });
      return [];
    }
    const errors = this.#reach(candidates.entries);
    const indices = candidates.entries.map((entry) => this.#indexOf(entry));
    const kept = installed === undefined ? undefined : this.#indexOf(installed);
    if (kept !== undefined) {
      for (const other of indices) this.#constraints.push({ kind: 'conflict', subject: other, other: kept });
    }
    if (installed !== undefined) {
      for (const entry of candidates.entries) this.#upgrades.set(entry, installed.name);
    }
    this.#constraints.push({
      kind: 'requires',
      subject,
      candidates: kept === undefined ? indices : [...indices, kept],
    });
    return errors;
  }

  /**
   * Returns the installed CSV that the entry would replace. If several Subscriptions name one, the last one
   * decides.
   */
  upgradeFrom(entry: Entry): string | undefined {
    return this.#upgrades.get(entry);
  }

  /** True if the CSV counts as installed for resolution. A CSV that fail forward leaves out does not. */
  isInstalled(csv: string): boolean {
    return this.#installedByName.has(csv);
  }

  build(): ConstraintSystem {
    const entries = this.#variables
      .flatMap((variable, index) => (variable.kind === 'entry' ? [{ index, entry: variable.entry }] : []))
      .filter(({ index }) => !this.ambiguous.has(index));
    const byApi = new Map<string, { of: string; members: number[] }>();
    const byPackage = new Map<string, { of: string; members: number[] }>();
    for (const { index, entry } of entries) {
      for (const [api, text] of entry.facts.apiTexts) join(byApi, api, text, index);
      for (const name of entry.facts.packageNames) join(byPackage, name, name, index);
    }
    return {
      variables: this.#variables,
      constraints: [...this.#constraints, ...atMostOne(byApi, 'api'), ...atMostOne(byPackage, 'package')],
    };
  }

  /** Follows requirements from the given entries; every entry is expanded once. */
  #reach(start: readonly Entry[]): ReachError[] {
    const errors: ReachError[] = [];
    const pending = start.filter((entry) => this.#isNew(entry));
    for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
      pending.push(...this.#expand(entry, errors).filter((candidate) => this.#isNew(candidate)));
    }
    return errors;
  }

  /**
   * Adds the constraints of an entry; returns the entries it reaches. A requirement without order does not
   * hide the next one's error.
   */
  #expand(entry: Entry, errors: ReachError[]): Entry[] {
    const subject = this.#indexOf(entry);
    if (entry.from.kind === 'installed' && entry.from.orphan) this.#constraints.push({ kind: 'mandatory', subject });
    if (entry.facts.deprecated) this.#constraints.push({ kind: 'prohibited', subject, why: { deprecated: true } });
    const requirements = requirementsOfEntry(entry);
    if ('error' in requirements) {
      errors.push({ error: requirements.error, in: entry });
      return [];
    }
    const reached: Entry[] = [];
    for (const requirement of requirements) {
      const found = this.snapshot.candidates(requirement, entry);
      if ('error' in found) {
        errors.push(found);
        continue;
      }
      const known = this.#indices.get(found);
      const candidates = known ?? [...new Set(found.entries.map((candidate) => this.#indexOf(candidate)))];
      this.#constraints.push({ kind: 'requires', subject, candidates, requirement });
      if (known !== undefined) continue;
      this.#indices.set(found, candidates);
      reached.push(...found.entries);
    }
    return reached;
  }

  readonly #expanded = new Set<Entry>();
  /** Variables of the candidates that the snapshot gives for equal requirements. */
  readonly #indices = new Map<Candidates, readonly number[]>();

  #isNew(entry: Entry): boolean {
    if (this.#expanded.has(entry)) return false;
    this.#expanded.add(entry);
    return true;
  }

  #indexOf(entry: Entry): number {
    const known = this.#indexById.get(entry.id);
    if (known === undefined) {
      const index = this.#variables.push({ kind: 'entry', entry }) - 1;
      this.#indexById.set(entry.id, index);
      return index;
    }
    const variable = this.#variables[known];
    if (variable?.kind === 'entry' && variable.entry !== entry) {
      this.ambiguous.set(known, (this.ambiguous.get(known) ?? new Set([variable.entry])).add(entry));
    }
    return known;
  }
}

const requirementsOfEntry = ({ from, properties }: Entry) =>
  from.kind === 'catalog' ? entryFacts(from.record).requirements : requirementsOf(properties);

function join(map: Map<string, { of: string; members: number[] }>, key: string, of: string, index: number): void {
  const found = map.get(key);
  if (found === undefined) map.set(key, { of, members: [index] });
  else found.members.push(index);
}

function atMostOne(
  map: ReadonlyMap<string, { of: string; members: number[] }>,
  shared: 'api' | 'package',
): Constraint[] {
  return [...map]
    .filter(([, { members }]) => members.length > 1)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([, { of, members }]) => ({ kind: 'at-most-one', members, shared, of }));
}
