/** Thrown where a YAML text leaves the common form, well formed or not. One object, since it is caught at once. */
export const UNCOMMON = new Error('not YAML of the common form');
