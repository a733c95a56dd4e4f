import { writtenCsv } from '../../kernel/api/cluster-service-version.js';
import type { DecodeProblem } from '../../kernel/go-types/decoded.js';
import { recordAt } from '../../kernel/json/json-access.js';

/**
 * Returns the fields of a CSV that OLM cannot read into its type. A version that is text, or left blank, is
 * no matter of types: the check of a bundle speaks of it.
 */
export function csvProblems(csv: unknown): readonly DecodeProblem[] {
  const written = writtenCsv(csv);
  const version = recordAt(csv, 'spec')['version'];
  const isText = typeof version === 'string' || version === null;
  return written.ok ? [] : written.problems.filter(({ field }) => !(isText && field === 'spec.version'));
}
