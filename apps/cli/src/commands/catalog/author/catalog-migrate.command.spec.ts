import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const CATALOG = join(PROJECT_ROOT, 'examples/catalogs/v2');

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'migrate-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const migrate = (...more: string[]) => runFlotilla(['catalog', 'migrate', CATALOG, join(root, 'out'), ...more]);
const files = () =>
  readdirSync(join(root, 'out'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(join(root, 'out').length + 1))
    .sort();

describe('flotilla catalog migrate --force', () => {
  it('replaces an earlier catalog, of which no file stays', async () => {
    expect((await migrate()).exit).toBe(0);
    mkdirSync(join(root, 'out/gone-operator'));
    writeFileSync(join(root, 'out/gone-operator/catalog.json'), '{}');
    const refused = await migrate('-o', 'yaml');
    expect(refused).toMatchObject({ exit: 2, err: expect.stringContaining('with --force\n') });
    expect(await migrate('-o', 'yaml', '--force')).toMatchObject({ exit: 0 });
    expect(files()).toEqual(['harbor-operator/catalog.yaml', 'lighthouse-operator/catalog.yaml']);
  });

  it.each([
    { because: 'another file', put: (out: string) => writeFileSync(join(out, 'notes.txt'), 'mine') },
    { because: 'another file below', put: (out: string) => writeFileSync(join(out, 'harbor-operator/a.go'), 'mine') },
    {
      because: 'a link',
      put: (out: string) => symlinkSync('/etc/hostname', join(out, 'harbor-operator/catalog.yaml')),
    },
  ])('removes nothing where the directory holds $because', async ({ put }) => {
    await migrate();
    const before = files();
    put(join(root, 'out'));
    const { err, exit } = await migrate('--force');
    expect({ err, exit }).toEqual({ err: expect.stringContaining('does not belong to an earlier catalog'), exit: 2 });
    expect(files()).toEqual(expect.arrayContaining(before));
  });
});
