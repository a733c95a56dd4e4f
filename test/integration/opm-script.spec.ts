import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const CATALOG = join(PROJECT_ROOT, 'examples/catalogs/v1');
let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-opm-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

/**
 * The steps of opm's documentation that compose a catalog from its parts, with opm on the PATH;
 * images are directories here.
 */
const SCRIPT = `set -euo pipefail
name=harbours
mkdir "$name" "$name/harbor-operator" "$name/lighthouse-operator"
for l in "$CATALOG/harbor-operator|$name/harbor-operator/index.yaml" "$CATALOG/lighthouse-operator|$name/lighthouse-operator/index.yaml"; do
  image=$(echo $l | cut -d'|' -f1)
  file=$(echo $l | cut -d'|' -f2)
  opm render "$image" > "$file"
done
opm generate dockerfile "$name"
opm validate "$name"
`;

it('the script that composes a catalog runs unchanged with opm as an alias', async () => {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const built = join(PROJECT_ROOT, 'dist/programs/flotilla.js');
  await writeFile(join(bin, 'opm'), `#!/bin/sh\nexec "${process.execPath}" "${built}" opm "$@"\n`);
  await chmod(join(bin, 'opm'), 0o755);
  const env = { ...process.env, CATALOG, PATH: `${bin}:${process.env['PATH']}` };
  await promisify(execFile)('bash', ['-c', SCRIPT], { cwd: folder, env });
  expect(await readFile(join(folder, 'harbours.Dockerfile'), 'utf8')).toContain('FROM ');
  const list = ['alpha', 'list', 'packages', 'harbours'];
  const { stdout } = await promisify(execFile)(join(bin, 'opm'), list, { cwd: folder });
  expect(stdout).toContain('lighthouse-operator');
});
