/** The value at a path of names such as `status.phase`; `found: false` where one of them is missing. */
export function valueAt(object: unknown, path: string): Readonly<{ found: boolean; value: unknown }> {
  let value = object;
  for (const name of path.split('.').filter((part) => part !== '')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) {
      return { found: false, value: undefined };
    }
    value = Reflect.get(value, name);
  }
  return { found: true, value };
}
