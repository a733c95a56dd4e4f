import { createRequire } from 'node:module';

type Logic = typeof import('logic-solver').default;

const loadPackage = createRequire(import.meta.url);
let loaded: Logic | undefined;

/**
 * The package of the second solver, loaded when it is first asked for: it evaluates 0.3 MB of code, and
 * most processes never need it (decision 0119).
 */
export function secondSolver(): Logic {
  loaded ??= loadPackage('logic-solver') as Logic;
  return loaded;
}
