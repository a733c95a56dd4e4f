import { byCodeUnit } from '../canonical/canonical-json.js';
import { editScript } from './edit-script.js';
import { BYTE, elements, entries, fieldOf, type GoType, type GoValue } from './go-type.js';

/**
 * Two compared values with their parts (go-cmp v0.7, report_value.go): a leaf has neither records nor a
 * target. `x` or `y` is {@link ABSENT} if that list or map has no such element.
 */
export type Compared = Readonly<{
  type: GoType;
  x: GoValue | typeof ABSENT;
  y: GoValue | typeof ABSENT;
  /** Leaves that are equal, and that are not. */
  same: number;
  different: number;
  /** All nodes below, and the levels of them. */
  children: number;
  depth: number;
  records: readonly ComparedRecord[];
  /** The target of a pointer. */
  target?: Compared;
}>;
export type ComparedRecord = Readonly<{ key: string; value: Compared }>;

export const ABSENT = Symbol('absent');

/**
 * Compares two values of a type. Every pair of objects is compared once, however often
 * lists are searched for it.
 */
export function compareValues(type: GoType, x: GoValue, y: GoValue): Compared {
  return new Comparison().compare(type, x, y);
}

class Comparison {
  readonly #seen = new Map<GoType, Map<GoValue, Map<GoValue, Compared>>>();

  compare(type: GoType, x: GoValue | typeof ABSENT, y: GoValue | typeof ABSENT): Compared {
    if (x === ABSENT || y === ABSENT) return leaf(type, x, y, false);
    switch (type.kind) {
      case 'pointer':
      case 'slice':
      case 'map':
      case 'bytes':
        return x === undefined || y === undefined ? leaf(type, x, y, x === y) : this.#once(type, x, y);
      case 'struct':
        return this.#once(type, x, y);
      default:
        return leaf(type, x, y, x === y);
    }
  }

  #once(type: GoType, x: GoValue, y: GoValue): Compared {
    const ofType = getOr(this.#seen, type, () => new Map<GoValue, Map<GoValue, Compared>>());
    const ofX = getOr(ofType, x, () => new Map<GoValue, Compared>());
    return getOr(ofX, y, () => this.#within(type, x, y));
  }

  #within(type: GoType, x: GoValue, y: GoValue): Compared {
    switch (type.kind) {
      case 'pointer': {
        const target = this.compare(type.to(), x, y);
        return { ...sum(type, x, y, [{ key: '', value: target }]), records: [], target };
      }
      case 'struct':
        return sum(
          type,
          x,
          y,
          type.fields.map(({ name, type: of }) => {
            return { key: name, value: this.compare(of, fieldOf(x, name), fieldOf(y, name)) };
          }),
        );
      case 'map':
        return sum(type, x, y, this.#entries(type.of(), entries(x), entries(y)));
      case 'bytes':
        return sum(type, x, y, this.#elements(BYTE, bytesOf(x), bytesOf(y)));
      case 'slice':
        return sum(type, x, y, this.#elements(type.of(), elements(x), elements(y)));
      default:
        return leaf(type, x, y, x === y);
    }
  }

  #entries(type: GoType, x: ReadonlyMap<string, GoValue>, y: ReadonlyMap<string, GoValue>): ComparedRecord[] {
    const of = (map: ReadonlyMap<string, GoValue>, key: string) => (map.has(key) ? map.get(key) : ABSENT);
    return [...new Set([...x.keys(), ...y.keys()])]
      .sort(byCodeUnit)
      .map((key) => ({ key, value: this.compare(type, of(x, key), of(y, key)) }));
  }

  #elements(type: GoType, x: readonly GoValue[], y: readonly GoValue[]): ComparedRecord[] {
    let [ix, iy] = [0, 0];
    return editScript(x.length, y.length, (i, j) => this.compare(type, x[i], y[j])).map((edit) => {
      const before = edit === 'inserted' ? ABSENT : x[ix++];
      const after = edit === 'removed' ? ABSENT : y[iy++];
      return { key: '', value: this.compare(type, before, after) };
    });
  }
}

const bytesOf = (value: GoValue): number[] => [...new TextEncoder().encode(value as string)];

const leaf = (type: GoType, x: Compared['x'], y: Compared['y'], equal: boolean): Compared => ({
  type,
  x,
  y,
  same: equal ? 1 : 0,
  different: equal ? 0 : 1,
  children: 0,
  depth: 0,
  records: [],
});

function sum(type: GoType, x: GoValue, y: GoValue, records: readonly ComparedRecord[]): Compared {
  const values = records.map(({ value }) => value);
  return {
    type,
    x,
    y,
    same: values.reduce((all, one) => all + one.same, 0),
    different: values.reduce((all, one) => all + one.different, 0),
    children: values.reduce((all, one) => all + one.children + 1, 0),
    depth: values.reduce((most, one) => Math.max(most, one.depth + 1), 0),
    records,
  };
}

function getOr<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
