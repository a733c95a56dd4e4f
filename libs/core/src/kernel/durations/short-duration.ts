const UNITS = [
  ['d', 86_400],
  ['h', 3_600],
  ['m', 60],
  ['s', 1],
] as const;
/** A duration is shown with its two greatest units. */
const SHOWN = 2;

/** Milliseconds as people read them: `45s`, `3m10s`, `2d4h`; whole seconds, the two greatest units. */
export function shortDuration(ms: number): string {
  let left = Math.max(0, Math.floor(ms / 1_000));
  const parts: string[] = [];
  for (const [unit, seconds] of UNITS) {
    const count = Math.floor(left / seconds);
    left -= count * seconds;
    if (count > 0 || parts.length > 0) parts.push(count === 0 ? '' : `${count}${unit}`);
    if (parts.length === SHOWN) break;
  }
  return parts.join('') || '0s';
}
