/**
 * How one place in an object merges: which lists are maps by key, which are sets, and what is taken as a
 * whole. Both the strategic merge patch and server-side apply ask it.
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
  /** Whether the schema names the field, so that owning what is in it says nothing about itself. */
  named: (name: string) => boolean;
  /** Whether the field exists even where no writer set it, as Go's struct members do. */
  alwaysPresent: (name: string) => boolean;
}>;

/** Granular maps, atomic lists: what holds where nothing is known. */
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
