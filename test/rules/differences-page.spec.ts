import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const page = readFileSync(join(PROJECT_ROOT, 'docs/differences-from-olm.md'), 'utf8');
const definitions = new Map(
  [...page.matchAll(/^\[\^([^\]]+)\]: (recording )?`([^`]+)`$/gm)].map(([, name = '', recording, path = '']) => [
    name,
    { path, isRecording: recording !== undefined },
  ]),
);
const rows = page.split('\n').filter((line) => line.startsWith('| ') && !/^\| (OLM|opm) does \|/.test(line));
const cells = (row: string) => row.split(/(?<!\\)\|/).slice(1, -1);
const marks = (text: string) => [...text.matchAll(/\[\^([^\]]+)\]/g)].map(([, name = '']) => name);

const isFolder = (path: string): boolean => existsSync(path) && statSync(path).isDirectory();
const exists = ({ path, isRecording }: Readonly<{ path: string; isRecording: boolean }>): boolean => {
  if (isRecording) return isFolder(join(PROJECT_ROOT, 'test/vectors/lifecycle/scenarios', path));
  return existsSync(join(PROJECT_ROOT, `${path}.spec.ts`)) || isFolder(join(PROJECT_ROOT, path));
};

describe('docs/differences-from-olm.md', () => {
  it('has rows of three columns, each with a test behind it', () => {
    expect(rows.length).toBeGreaterThan(100);
    const bad = rows.filter((row) => cells(row).length !== 3 || marks(cells(row)[2] ?? '').length === 0);
    expect(bad).toEqual([]);
  });

  it('says in each row what it means for the user', () => {
    expect(rows.filter((row) => (cells(row)[2] ?? '').replaceAll(/\[\^[^\]]+\]/g, '').trim() === '')).toEqual([]);
  });

  it('lists each test once, by a path that exists, and no test that no row names', () => {
    const listed = page.match(/^\[\^[^\]]+\]:/gm) ?? [];
    expect(listed).toHaveLength(definitions.size);
    const missing = [...definitions.values()].filter((one) => !exists(one)).map(({ path }) => path);
    expect(missing).toEqual([]);
    expect([...new Set(rows.flatMap(marks))].sort()).toEqual([...definitions.keys()].sort());
  });
});
