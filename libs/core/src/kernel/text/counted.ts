/**
 * Returns a count with its noun in the right number: `1 object`, `0 objects`, `2 copies` (with the plural
 * given).
 */
export const counted = (count: number, noun: string, plural = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : plural}`;
