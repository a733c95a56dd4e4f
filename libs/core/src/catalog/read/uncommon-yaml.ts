/** Thrown where a YAML text leaves the common form, well formed or not: always this object, without a stack. */
export const UNCOMMON = new Error('not YAML of the common form');
