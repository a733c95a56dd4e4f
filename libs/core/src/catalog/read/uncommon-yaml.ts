/** Thrown, always the same one, where a YAML text leaves the common form: it says nothing about being well formed. */
export const UNCOMMON = new Error('not YAML of the common form');
