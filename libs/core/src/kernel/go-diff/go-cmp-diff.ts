import { compareValues } from './compare-values.js';
import { formatDiff } from './format-diff.js';
import type { GoType, GoValue } from './go-type.js';
import { renderText } from './text-node.js';

/**
 * Returns the text of go-cmp's `cmp.Diff(x, y)` (github.com/google/go-cmp v0.7). Equal values are mostly left
 * out, and long ones are cut, so different changes may have one text. If Go decides by chance or prints
 * addresses, one form is always written; columns are not padded.
 */
export function goCmpDiff(type: GoType, x: GoValue, y: GoValue): string {
  const text = formatDiff(
    { diff: 'difference', types: 'emit', verbosity: 0, avoidStringer: false },
    compareValues(type, x, y),
  );
  return text === undefined ? '' : renderText(text);
}
