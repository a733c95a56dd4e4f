/**
 * JSON text as Go's encoding/json writes it: compact, `<`, `>`, `&`, U+2028 and U+2029 escaped inside
 * strings. Keys stay in the order given: a Go struct writes its fields in declared order, so the caller
 * builds objects in that order and leaves out what `omitempty` would (spec: api-types.md §12). Numbers must
 * be integers: floats are written differently.
 */
export function goJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
