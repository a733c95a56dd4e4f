import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { CASES } from '../advice/advice-cases.js';

const page = readFileSync(join(PROJECT_ROOT, 'docs/stopped-installs.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| state |'))
  .map((line) => line.split(/(?<!\\)\|/).slice(1, -1));
const playedBy = (row: readonly string[]) =>
  [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

describe('states in which an install stops', () => {
  it('have a row each: what the hub does, where it says so, and what plays it', () => {
    expect(rows.length).toBeGreaterThan(15);
    expect(rows.filter((row) => row.length !== 4 || row.some((cell) => cell.trim() === ''))).toEqual([]);
  });

  it('are played by a case of test/advice or a test that is there', () => {
    const isThere = (name: string) => Object.hasOwn(CASES, name) || existsSync(join(PROJECT_ROOT, `${name}.spec.ts`));
    expect(rows.filter((row) => playedBy(row).length === 0)).toEqual([]);
    expect(rows.flatMap(playedBy).filter((name) => !isThere(name))).toEqual([]);
  });

  it('have namespaces of their own in each case: no name begins that of another', () => {
    const names = Object.keys(CASES);
    expect(names.filter((name) => names.some((other) => name.startsWith(`${other}-`)))).toEqual([]);
  });
});
