/**
 * Merge behaviour of one place in an object: lists that are maps by key, lists that are sets, and values
 * taken as a whole. Both the strategic merge patch and server-side apply use it.
 */
export type MergeSchema = Readonly<{
  /** Lists: merged by the values of `keys`, as a set of scalars, or replaced whole. */
  list: 'map' | 'set' | 'atomic';
  keys: readonly string[];
  /** Values of keys that an item may leave out, such as a port's protocol. */
  keyDefaults: Readonly<Record<string, unknown>>;
  /** Objects: replaced whole instead of field by field. */
  atomic: boolean;
  field: (name: string) => MergeSchema;
  item: () => MergeSchema;
  /** True if the schema names the field: owning its content then does not imply owning the field itself. */
  named: (name: string) => boolean;
  /** True if the field exists even if no writer set it, as Go's struct members do. */
  alwaysPresent: (name: string) => boolean;
}>;

/** Schema of unknown places: granular maps, atomic lists. */
export const deduced: MergeSchema = {
  list: 'atomic',
  keys: [],
  keyDefaults: {},
  atomic: false,
  field: () => deduced,
  item: () => deduced,
  named: () => false,
  alwaysPresent: () => false,
};
