import type { DecodeProblem } from './decoded.js';

/** Problems that one value can have in a report: a broken file has thousands. */
const MAX_PROBLEMS = 20;

const PLAIN = /^[A-Za-z][A-Za-z0-9_-]*$/;

/**
 * The place of a walk through a value, and the problems so far. Paths are written as the API server
 * writes them: `spec.icon[0].mediatype`, `metadata.annotations[a.test/b]`.
 */
export class ProblemPath {
  readonly #at: (string | number)[] = [];
  readonly problems: DecodeProblem[] = [];

  /** Runs `work` one level deeper. */
  within<T>(part: string | number, work: () => T): T {
    this.#at.push(part);
    const result = work();
    this.#at.pop();
    return result;
  }

  refuse(message: string): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push({ field: this.#at.map(partText).join(''), message });
  }
}

function partText(part: string | number, at: number): string {
  if (typeof part === 'number' || !PLAIN.test(part)) return `[${part}]`;
  return at === 0 ? part : `.${part}`;
}
