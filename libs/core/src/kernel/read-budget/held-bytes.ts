/** Memory that V8 needs in addition to the characters and values themselves, in round numbers. */
const STRING_BYTES = 24;
const MEMBER_BYTES = 16;
const OBJECT_BYTES = 40;

/** Key for the bytes that an object holds in addition to its members. JSON has no symbols. */
export const PACKED_BYTES: unique symbol = Symbol('packed bytes');
/** Under this key an object names all that it holds alone: it shares its members with other objects. */
export const OWN_BYTES: unique symbol = Symbol('own bytes');

/** Estimates the memory that a JSON value takes. Iterative: foreign values may be nested deeply. */
export function heldBytes(value: unknown): number {
  const open: unknown[] = [value];
  let sum = 0;
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'string') sum += STRING_BYTES + one.length;
    else if (typeof one === 'object' && one !== null) {
      const own = namedIn(one, OWN_BYTES);
      if (own !== undefined) sum += own;
      else {
        const members = Object.values(one);
        sum += OBJECT_BYTES + members.length * MEMBER_BYTES + (namedIn(one, PACKED_BYTES) ?? 0);
        for (const member of members) open.push(member);
      }
    }
  }
  return sum;
}

function namedIn(object: object, key: symbol): number | undefined {
  const bytes: unknown = Reflect.get(object, key);
  return typeof bytes === 'number' ? bytes : undefined;
}
