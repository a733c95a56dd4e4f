/**
 * Packages that programs load with `createRequire` when they are first needed (decision 0119). No import of
 * a bundle names them, so that they are named here: they must lie beside the programs.
 */
export const LOADED_LATE: readonly string[] = ['logic-solver'];
