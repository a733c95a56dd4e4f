/** Thrown if a YAML text leaves the common form, well formed or not. Always this object, without stack. */
export const UNCOMMON = new Error('not YAML of the common form');
