import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const PREFIX = 'operators.operatorframework.io.bundle.';
const FILES = {
  'manifests/csv.yaml': `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: ant.v1.0.0}
spec: {version: 1.0.0, install: {strategy: deployment, spec: {deployments: []}}}
`,
  'manifests/README.md': '# Ant\n',
  'manifests/port.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: port, annotations: {port: 8443}}\n',
  'metadata/annotations.yaml': `annotations: {${PREFIX}package.v1: ant, ${PREFIX}channels.v1: stable}\n`,
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-render-'));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const LINES = [
  'manifests/README.md: skipped: no manifest: keep files other than .yaml, .yml and .json out of the bundle',
  'manifests/port.yaml: ConfigMap port: metadata.annotations.port is the number 8443; a text is expected: quote it',
];

it('render warns of what it leaves out of a bundle, or no cluster takes, and exits as opm does', async () => {
  const { out, err, exit } = await runFlotilla(['catalog', 'render', folder]);
  expect({ err, exit }).toEqual({ err: LINES.map((line) => `warning: ${folder}: ${line}\n`).join(''), exit: 0 });
  expect(JSON.parse(out)).toMatchObject({ schema: 'olm.bundle', name: 'ant.v1.0.0' });
});

it('validate says the same, and exits 1', async () => {
  const { err, exit } = await runFlotilla(['bundle', 'validate', folder]);
  expect({ err, exit }).toEqual({ err: LINES.map((line) => `${folder}: ${line}\n`).join(''), exit: 1 });
});

it('render of a bundle whose dependency opm refuses: one line, exit code of bad input', async () => {
  const path = join(folder, 'metadata/dependencies.yaml');
  await writeFile(path, 'dependencies:\n- {type: olm.package, value: {packageName: bee, version: 1.0}}\n');
  const { out, err, exit } = await runFlotilla(['catalog', 'render', folder]);
  expect({ out, exit }).toEqual({ out: '', exit: 2 });
  expect(err).toContain('dependencies[0] (olm.package): value.version is the number 1; a text is expected: quote it');
});
