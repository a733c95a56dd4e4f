import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { run } from '../program.js';
import { recorder } from '../run-flotilla.fixture.js';

const EXAMPLES = join(PROJECT_ROOT, 'examples');
const CATALOG = join(EXAMPLES, 'catalogs', 'v1');
const BUNDLE = join(EXAMPLES, 'bundles', 'lighthouse-operator', 'v1.0.0');
const CRD = join(BUNDLE, 'manifests', 'lighthouses.lighthouse.example.com.crd.yaml');

async function said(argv: readonly string[], columns?: number): Promise<string> {
  const { io, result } = recorder();
  await run(argv, { ...io, columns });
  return result.out;
}

describe('a yes', () => {
  it.each([
    [['catalog', 'validate', CATALOG], /^valid: \d+ packages?, \d+ bundles?\n$/],
    [['bundle', 'validate', BUNDLE], /^valid: .*lighthouse-operator.v1\.0\.0\n$/],
    [['crd', 'check', CRD, CRD], /^safe: .* may replace /],
  ])('is one line on a terminal, and nothing in a pipe: %j', async (argv, line) => {
    expect(await said(argv, 80)).toMatch(line);
    expect(await said(argv)).toBe('');
  });

  it('is nothing as opm, as in opm itself', async () => {
    expect(await said(['opm', 'validate', CATALOG], 80)).toBe('');
  });

  it('is none where the answer is no', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'flotilla-yes-'));
    writeFileSync(join(folder, 'catalog.yaml'), 'schema: olm.package\nname: a\n');
    expect(await said(['catalog', 'validate', folder], 80)).toBe('');
    rmSync(folder, { recursive: true, maxRetries: 5 });
  });
});
