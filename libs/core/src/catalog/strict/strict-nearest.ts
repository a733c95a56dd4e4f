/** Longest name that is compared: the work grows with the product of both lengths. */
const MAX_LENGTH = 64;
const MAX_DISTANCE = 2;

/**
 * Returns the known name that `name` is most likely a misspelling of, if any: at most two letters apart, in
 * any case.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const [best] = known
    .map((candidate) => ({ candidate, distance: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter((one) => one.distance <= Math.min(MAX_DISTANCE, Math.ceil(one.candidate.length / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** Returns Levenshtein's distance. */
function distance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, letter] of [...a].entries()) {
    const line = [row + 1];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = (above[at - 1] ?? 0) + (letter === b[at - 1] ? 0 : 1);
      line.push(Math.min(replaced, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[b.length] ?? 0;
}
