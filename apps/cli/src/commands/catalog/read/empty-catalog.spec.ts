import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'flotilla-empty-catalog-'));
  await mkdir(join(root, 'empty'));
});
afterAll(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));

it('catalog migrate of an empty directory makes the directory that it names', async () => {
  const { err, exit } = await runFlotilla(['catalog', 'migrate', join(root, 'empty'), join(root, 'out')]);
  expect({ err, exit }).toEqual({ err: `wrote rendered file-based catalog to "${join(root, 'out')}"\n`, exit: 0 });
  expect(existsSync(join(root, 'out'))).toBe(true);
});

it('an empty directory is a valid catalog for opm, and none for --strict', async () => {
  expect((await runFlotilla(['catalog', 'validate', join(root, 'empty')])).exit).toBe(0);
  const { err, exit } = await runFlotilla(['catalog', 'validate', join(root, 'empty'), '--strict']);
  expect(err).toBe('catalog: it has no package (name the root of a file-based catalog)\n');
  expect(exit).toBe(1);
});
