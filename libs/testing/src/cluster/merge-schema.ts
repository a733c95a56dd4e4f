/**
 * How one place in an object merges: which lists are maps by key, which are sets, and what is taken as a whole.
 * Both the strategic merge patch and server-side apply ask it.
 */
export type MergeSchema = Readonly<{
  /** Lists: merged by the values of `keys`, as a set of scalars, or replaced whole. Everything else: fields or whole. */
  list: 'map' | 'set' | 'atomic';
  keys: readonly string[];
  /** Values of keys that an item may leave out, such as a port's protocol. */
  keyDefaults: Readonly<Record<string, unknown>>;
  atomic: boolean;
  field: (name: string) => MergeSchema;
  item: () => MergeSchema;
}>;

/** Granular maps, atomic lists: what holds where nothing is known. */
export const deduced: MergeSchema = {
  list: 'atomic',
  keys: [],
  keyDefaults: {},
  atomic: false,
  field: () => deduced,
  item: () => deduced,
};
