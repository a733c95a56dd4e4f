/** Licences that only require to keep a notice, as the packages in the image do. By SPDX identifier. */
export const ALLOWED_LICENCES: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PSF-2.0', 'Python-2.0', 'Unlicense'],
]);

/**
 * True if an SPDX expression can be met with allowed licences alone: with one part of an OR, with all parts
 * of an AND.
 */
export function isLicenceAllowed(expression: string): boolean {
  const text = withoutOuterBrackets(expression.trim());
  const either = topLevelParts(text, ' OR ');
  if (either.length > 1) return either.some(isLicenceAllowed);
  const all = topLevelParts(text, ' AND ');
  return all.length > 1 ? all.every(isLicenceAllowed) : ALLOWED_LICENCES.has(text);
}

function withoutOuterBrackets(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  const inner = text.slice(1, -1);
  return depthsOf(inner).every((depth) => depth >= 0) ? inner : text;
}

/** The parts between the separators that stand in no brackets. */
function topLevelParts(text: string, separator: string): string[] {
  const depths = depthsOf(text);
  const parts: string[] = [];
  let start = 0;
  for (let at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, at + 1)) {
    if (depths[at] !== 0) continue;
    parts.push(text.slice(start, at));
    start = at + separator.length;
  }
  return [...parts, text.slice(start)];
}

/** After each character, how many brackets are open. */
function depthsOf(text: string): number[] {
  let depth = 0;
  return [...text].map((character) => {
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    return depth;
  });
}
