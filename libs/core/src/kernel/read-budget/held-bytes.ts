/** What V8 needs beside the characters and values themselves, in round numbers. */
const STRING_BYTES = 24;
const MEMBER_BYTES = 16;
const OBJECT_BYTES = 40;

/**
 * An estimate of the memory that a JSON value takes. An object that holds packed bytes gives their number as
 * `packedBytes`. Iterative, since foreign values may be nested deeply.
 */
export function heldBytes(value: unknown): number {
  const open: unknown[] = [value];
  let sum = 0;
  while (open.length > 0) {
    const one = open.pop();
    if (typeof one === 'string') sum += STRING_BYTES + one.length;
    else if (typeof one === 'object' && one !== null) {
      const members = Object.values(one);
      sum += OBJECT_BYTES + members.length * MEMBER_BYTES + packedBytesOf(one);
      for (const member of members) open.push(member);
    }
  }
  return sum;
}

const packedBytesOf = (value: object): number =>
  'packedBytes' in value && typeof value.packedBytes === 'number' ? value.packedBytes : 0;
