import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Every attack that was tried against the hub. A new one is added here and gets its row. */
const ATTACKS = [
  ...['A1', 'A2', 'A2b', 'A3', 'A4', 'A5', 'A5b', 'A6', 'A7', 'A8'],
  ...['B1', 'B2', 'B3', 'B4', 'B5', 'B5b', 'B6', 'B7', 'C1'],
  ...['D1', 'D2', 'D3', 'D4', 'D4b', 'D4c', 'D5', 'F1', 'F2', 'F3', 'F4', 'F5'],
  ...['G1', 'G2', 'G4', 'G6', 'G7', 'G8', 'H-html', 'H-continue', 'H-endless', 'H-watchflood'],
  ...['I1', 'I2', 'I3', 'I4', 'J1', 'J1b', 'J2', 'J2b', 'J3', 'J3b', 'J3c', 'J4', 'J5'],
  ...['K1', 'K2', 'K3', 'K4', 'K5', 'K6', 'K7'],
  ...['M1', 'M2', 'M3', 'M4', 'M5', 'P1', 'P2', 'P3', 'P4', 'P5', 'P6', 'P7', 'P8', 'P9', 'P10', 'P11'],
  ...['R1', 'R2', 'R3', 'R4', 'R5', 'R6', 'R7', 'R8', 'R9', 'R10'],
];

/** Words of the last cell if no test file is there. */
const WITHOUT_TEST = ['open', 'by hand'];

const read = (page: string): string => readFileSync(join(PROJECT_ROOT, page), 'utf8');
const rows = read('docs/attacks.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| id '))
  .map((line) => {
    const [, id = '', attack = '', now = '', test = ''] = line.split('|').map((cell) => cell.trim());
    return { id, attack, now, test };
  });

describe('the table of docs/attacks.md', () => {
  it('has one row for every attack that was tried', () => {
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size, 'an id stands twice').toBe(ids.length);
    expect(ATTACKS.filter((id) => !ids.includes(id))).toEqual([]);
  });

  it.each(rows)('$id: says what happens now, and names tests that exist', ({ attack, now, test }) => {
    expect([attack, now]).not.toContain('');
    const files = [...test.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    if (files.length === 0) expect(WITHOUT_TEST).toContain(test);
    expect(files.filter((name) => !existsSync(join(PROJECT_ROOT, name)))).toEqual([]);
  });
});

describe('the table of docs/foreign-bytes.md', () => {
  const readers = read('docs/foreign-bytes.md')
    .split('\n')
    .filter((line) => /^\| (?!reader |---)/.test(line) && !line.startsWith('|---'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('says of each reader what it keeps and its bound, and names tests that exist', () => {
    expect(readers.length).toBeGreaterThan(10);
    for (const [, reader = '', keeps, bound, tests = ''] of readers) {
      expect([keeps, bound], reader).not.toContain('');
      const files = [...tests.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
      expect(files, reader).not.toEqual([]);
      expect(files.filter((name) => !existsSync(join(PROJECT_ROOT, name)))).toEqual([]);
    }
  });
});
