import { readFileSync } from 'node:fs';

/** The rows of a file of recorded answers beside this one, one JSON value a line. */
export const readRows = <T>(file: string): T[] =>
  readFileSync(new URL(`./${file}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
