/** Returns a value as one of the values of a filter: commas and backslashes in it are escaped. */
export const filterValue = (value: string): string => value.replaceAll(/[\\,]/g, String.raw`\$&`);

const PART = /\\([\\,])|,|[^\\,]+|\\/g;

/** Returns the values of a filter. A comma separates two values, unless a backslash escapes it. */
export function filterValues(filter: string): string[] {
  const values: string[] = [];
  let value = '';
  for (const [part, escaped] of filter.matchAll(PART)) {
    if (part === ',') {
      values.push(value);
      value = '';
    } else value += escaped ?? part;
  }
  return [...values, value];
}
