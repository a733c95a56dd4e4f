import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { isObject, type JsonObject } from '../objects/json.js';

/** The path of a field in FieldsV1 steps: `f:name`, `k:{"name":"x"}`, `v:"x"`. */
export type FieldPath = readonly string[];

/**
 * A set of field paths as a tree, as managedFields keeps it. Operations answer new sets;
 * only insert changes one.
 */
export class FieldSet {
  readonly #children = new Map<string, FieldSet>();
  #member = false;

  static of(json: JsonObject): FieldSet {
    const set = new FieldSet();
    const steps = Object.keys(json);
    set.#member = steps.length === 0 || '.' in json;
    for (const step of steps) {
      const inner = json[step];
      if (step !== '.') set.#children.set(step, FieldSet.of(isObject(inner) ? inner : {}));
    }
    return set;
  }

  /** Reads FieldsV1. The root of a set is never a member there. */
  static parse(json: JsonObject): FieldSet {
    const set = FieldSet.of(json);
    set.#member = false;
    return set;
  }

  get member(): boolean {
    return this.#member;
  }

  get empty(): boolean {
    return !this.#member && this.#children.size === 0;
  }

  child(step: string): FieldSet | undefined {
    return this.#children.get(step);
  }

  children(): Iterable<[string, FieldSet]> {
    return this.#children.entries();
  }

  insert([step, ...rest]: FieldPath): void {
    if (step === undefined) {
      this.#member = true;
      return;
    }
    let child = this.#children.get(step);
    if (child === undefined) {
      child = new FieldSet();
      this.#children.set(step, child);
    }
    child.insert(rest);
  }

  union(other: FieldSet): FieldSet {
    return this.#combine(other, (mine, theirs) => mine || theirs, true, true);
  }

  intersection(other: FieldSet): FieldSet {
    return this.#combine(other, (mine, theirs) => mine && theirs, false, false);
  }

  difference(other: FieldSet): FieldSet {
    return this.#combine(other, (mine, theirs) => mine && !theirs, true, false);
  }

  /** Returns the part below one top-level field. `without` returns the rest. */
  only(step: string): FieldSet {
    const result = new FieldSet();
    const child = this.#children.get(step);
    if (child !== undefined) result.#children.set(step, child);
    return result;
  }

  without(step: string): FieldSet {
    const result = new FieldSet();
    for (const [name, child] of this.#children) if (name !== step) result.#children.set(name, child);
    return result;
  }

  equals(other: FieldSet): boolean {
    return JSON.stringify(this.toJson()) === JSON.stringify(other.toJson());
  }

  /** Every member, in order. */
  paths(): FieldPath[] {
    const below = this.#sorted().flatMap(([step, child]) => child.paths().map((path) => [step, ...path]));
    return this.#member ? [[], ...below] : below;
  }

  toJson(): JsonObject {
    const own = this.#member && this.#children.size > 0 ? [['.', {}]] : [];
    return Object.fromEntries([...own, ...this.#sorted().map(([step, child]) => [step, child.toJson()])]);
  }

  #sorted(): [string, FieldSet][] {
    return [...this.#children].sort(([a], [b]) => byCodeUnit(a, b));
  }

  #combine(
    other: FieldSet,
    join: (mine: boolean, theirs: boolean) => boolean,
    keepMine: boolean,
    keepTheirs: boolean,
  ): FieldSet {
    const result = new FieldSet();
    result.#member = join(this.#member, other.#member);
    for (const [step, child] of this.#children) {
      const theirs = other.#children.get(step);
      const combined = theirs === undefined ? child : child.#combine(theirs, join, keepMine, keepTheirs);
      if ((theirs !== undefined || keepMine) && !combined.empty) result.#children.set(step, combined);
    }
    if (keepTheirs) {
      for (const [step, child] of other.#children) if (!this.#children.has(step)) result.#children.set(step, child);
    }
    return result;
  }
}

/** A path as conflicts show it: `.spec.containers[name="c"].image`. */
export function shownPath(path: FieldPath): string {
  return path
    .map((step) => {
      if (step.startsWith('f:')) return `.${step.slice(2)}`;
      if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
      const keys: unknown = JSON.parse(step.slice(2));
      const pairs = Object.entries(isObject(keys) ? keys : {}).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
      return `[${pairs.join(',')}]`;
    })
    .join('');
}
