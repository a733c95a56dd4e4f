import { readFileSync } from 'node:fs';

/** The values that the Go program gives each member (`inputs` in scripts/go-types/members.go). */
export const INPUTS: readonly unknown[] = [
  ...[null, '', 'a', '1', 0, 1, 1.5, 3000000000, true, false],
  ...['2026-01-02T03:04:05+01:00', '1000m', 'v1.2', '1h'],
  ...[[], [null], ['a'], [1], [{}], {}, { a: null }, { a: 'b' }, { a: 1 }],
];

/** The lines of a file of this folder. */
export const linesOf = <T>(file: string): T[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
