import { canonicalHash } from '../../../kernel/canonical/canonical-json.js';
import type { ResolutionProblem } from './resolution-problem.js';

/** Identity of a problem: SHA-256 of its canonical JSON, lower-case hex. Equal problems share one answer. */
export const problemHash = (problem: ResolutionProblem): string => canonicalHash(problem);
