import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { runFlotilla } from '../run-flotilla.fixture.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-missing-'));
  writeFileSync(join(folder, 'crd.yaml'), '');
  writeFileSync(join(folder, 'file'), '');
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
afterEach(() => vi.unstubAllEnvs());

const EXAMPLES = join(import.meta.dirname, '../../../../examples');
const CATALOG = join(EXAMPLES, 'catalogs/v1');
const BUNDLE = join(EXAMPLES, 'bundles/harbor-operator/v1.0.0');
const FLEET = join(EXAMPLES, 'fleet/files');

describe('a file that is not there has one wording and exit code 2 in every verb', () => {
  it.each([
    ['catalog', 'validate', 'NONE'],
    ['catalog', 'render', 'NONE'],
    ['catalog', 'packages', 'NONE'],
    ['catalog', 'diff', CATALOG, 'NONE'],
    ['catalog', 'build', 'NONE', 'oci:layout:v1'],
    ['catalog', 'serve', 'NONE', '--grpc'],
    ['catalog', 'template', 'basic', 'NONE'],
    ['catalog', 'convert-template', 'basic', 'NONE'],
    ['catalog', 'dockerfile', 'NONE'],
    ['catalog', 'init', 'lamp', '-d', 'NONE'],
    ['bundle', 'validate', 'NONE'],
    ['bundle', 'render', 'NONE'],
    ['bundle', 'render', BUNDLE, '--spec', 'NONE'],
    ['crd', 'check', 'NONE', 'NONE'],
    ['resolve', '-f', 'NONE'],
    ['fleet', 'simulate', '-f', 'NONE'],
    ['fleet', 'simulate', '-f', FLEET, '--faults', 'NONE'],
    ['fleet', 'simulate', '-f', FLEET, '--clusters', 'NONE'],
    ['plan', '--catalog', `olm/one=${CATALOG}`, '-f', 'NONE'],
    ['explain', 'sub', 'lamp', '--catalog', `olm/one=${CATALOG}`, '-f', 'NONE'],
    ['path', 'NONE', '--package', 'lamp', '--from', '1.0.0'],
    ['get', 'subscriptions', '--kubeconfig', 'NONE'],
    ['up', '--port', '0', '--kubeconfig', 'NONE'],
    ['demo', '--kubeconfig', 'NONE'],
  ])('%s %s %s %s %s %s', async (...argv) => {
    const none = join(folder, 'none.yaml');
    const words = argv.filter((word) => word !== undefined).map((word) => (word === 'NONE' ? none : word));
    const { out, err, exit } = await runFlotilla(words);
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toMatch(/^error: (.*: )?(open|stat|read) \S*none\.yaml: no such file or directory: .+\n$/);
    expect(err).not.toContain('ENOENT');
    // `crd check` has no such option.
    if (argv[0] === 'crd') expect(err).not.toMatch(/(^| )-f\b/);
  });

  it('a path that cannot be written reads the same', async () => {
    const { err, exit } = await runFlotilla(['catalog', 'migrate', CATALOG, join(folder, 'file/out')]);
    expect(exit).toBe(2);
    expect(err).toMatch(/^error: \w+ \S+file\/out\S*: not a directory/);
    expect(err).not.toContain('ENOTDIR');
  });

  it('plan without catalogs names --live', async () => {
    const { err, exit } = await runFlotilla(['plan']);
    expect(exit).toBe(2);
    expect(err).toContain('--live');
  });
});
