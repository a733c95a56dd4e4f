const isLetter = (character: string): boolean => /\p{L}/u.test(character);
const isDigit = (character: string | undefined): boolean => character !== undefined && /\p{Nd}/u.test(character);

/**
 * Compares keys in the order of Go's yaml.v2 for a map: letters after other characters, runs of digits by
 * value.
 */
export function byYamlKey(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const shared = Math.min(left.length, right.length);
  for (let at = 0; at < shared; at += 1) {
    const l = left[at] ?? '';
    const r = right[at] ?? '';
    if (l !== r) return differing(left, right, at);
  }
  return left.length - right.length;
}

function differing(left: readonly string[], right: readonly string[], at: number): number {
  const l = left[at] ?? '';
  const r = right[at] ?? '';
  if (isLetter(l) !== isLetter(r)) return isLetter(r) ? -1 : 1;
  const byNumber = isLetter(l) ? 0 : numberOrder(left, right, at);
  if (byNumber !== 0) return byNumber;
  return l < r ? -1 : 1;
}

function numberOrder(left: readonly string[], right: readonly string[], at: number): number {
  // A zero inside a longer number counts as a digit of it, not as a leading zero.
  const start = (left[at] === '0' || right[at] === '0') && insideNumber(left, at) ? '1' : '';
  const leftRun = digitsFrom(left, at);
  const rightRun = digitsFrom(right, at);
  const leftValue = BigInt(`${start}${leftRun}` || '0');
  const rightValue = BigInt(`${start}${rightRun}` || '0');
  if (leftValue !== rightValue) return leftValue < rightValue ? -1 : 1;
  return leftRun.length - rightRun.length;
}

function insideNumber(text: readonly string[], at: number): boolean {
  for (let before = at - 1; isDigit(text[before]); before -= 1) if (text[before] !== '0') return true;
  return false;
}

/** Returns as many ASCII digits as there are; others have no value here. */
function digitsFrom(text: readonly string[], from: number): string {
  let end = from;
  while (/^[0-9]$/.test(text[end] ?? '')) end += 1;
  return text.slice(from, end).join('');
}
