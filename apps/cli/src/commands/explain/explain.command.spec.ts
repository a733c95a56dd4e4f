import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from '../../program.js';

let folder = '';
const file = (name: string) => join(folder, name);

const bundle = (pkg: string, version: string, properties: readonly unknown[] = []) => ({
  schema: 'olm.bundle',
  package: pkg,
  name: `${pkg}.v${version}`,
  image: `registry.example/${pkg}:${version}`,
  properties: [{ type: 'olm.package', value: { packageName: pkg, version } }, ...properties],
});
const pack = (pkg: string, channel: string, entries: readonly object[], ...bundles: readonly object[]) => [
  { schema: 'olm.package', name: pkg, defaultChannel: channel },
  { schema: 'olm.channel', package: pkg, name: channel, entries },
  ...bundles,
];
const needsMill = { type: 'olm.package.required', value: { packageName: 'mill', versionRange: '>=1.0.0' } };
const harbor = pack(
  'harbor',
  'stable',
  [{ name: 'harbor.v1.0.0' }, { name: 'harbor.v2.0.0', replaces: 'harbor.v1.0.0' }],
  bundle('harbor', '1.0.0'),
  bundle('harbor', '2.0.0', [needsMill]),
);
const crane = pack('crane', 'stable', [{ name: 'crane.v1.0.0' }], bundle('crane', '1.0.0', [needsMill]));
const newerHarbor = pack('harbor', 'stable', [{ name: 'harbor.v3.0.0' }], bundle('harbor', '3.0.0'));
const lines = (blobs: readonly object[]) => blobs.map((blob) => JSON.stringify(blob)).join('\n');

const subscription = (name: string, installedCSV = '') => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: 'team' },
  spec: { name, channel: 'stable', source: 'shelf', sourceNamespace: 'olm' },
  ...(installedCSV === '' ? {} : { status: { installedCSV, currentCSV: installedCSV } }),
});
const csv = (name: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name, namespace: 'team' },
  spec: { version: '1.0.0' },
});
const list = (...items: readonly object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-explain-'));
  await writeFile(file('shelf.json'), lines([...harbor, ...crane]));
  await writeFile(file('attic.json'), lines(newerHarbor));
  await writeFile(file('running.json'), list(subscription('harbor', 'harbor.v1.0.0'), csv('harbor.v1.0.0')));
  await writeFile(
    file('mixed.json'),
    list(subscription('harbor', 'harbor.v1.0.0'), csv('harbor.v1.0.0'), subscription('crane')),
  );
  await writeFile(file('fresh.json'), list(subscription('harbor')));
  await writeFile(file('orphan.json'), list(subscription('crane'), csv('old.v1.0.0')));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function explain(kind: string, name: string, manifests: string, ...more: string[]) {
  const seen = { out: '', err: '', code: 0 };
  const catalogs = ['--catalog', `shelf=${file('shelf.json')}`, '--catalog', `olm/attic=${file('attic.json')}`];
  await run(['explain', kind, name, ...catalogs, '-f', file(manifests), ...more], {
    out: (text) => {
      seen.out += text;
    },
    err: (text) => {
      seen.err += text;
    },
    exit: (code) => {
      seen.code = code;
    },
    stdin: async () => '',
  });
  return seen;
}

describe('flotilla explain', () => {
  it('lists what is newer than the installed version, in other catalogs too, and what excludes each', async () => {
    const { out, code } = await explain('subscription', 'harbor', 'running.json');
    expect(out).toMatchInlineSnapshot(`
      "Subscription harbor has harbor.v1.0.0. Newer versions and their obstacles:
        harbor.v2.0.0 (channel stable of catalog olm/shelf): it needs package mill in >=1.0.0, but no catalog available to this namespace provides it
        harbor.v3.0.0 (channel stable of catalog olm/attic): a Subscription gets updates only from its own catalog, olm/shelf: change spec.source and spec.sourceNamespace to install it
      "
    `);
    expect(code).toBe(0);
  });

  it('prints what would be installed, why, and why nothing newer', async () => {
    const { out, code } = await explain('sub', 'harbor', 'fresh.json');
    expect(out).toMatchInlineSnapshot(`
      "harbor.v1.0.0 is installed because of: Subscription harbor.
      Subscription harbor has nothing installed and gets harbor.v1.0.0. Newer versions and their obstacles:
        harbor.v2.0.0 (channel stable of catalog olm/shelf): it needs package mill in >=1.0.0, but no catalog available to this namespace provides it
        harbor.v3.0.0 (channel stable of catalog olm/attic): a Subscription gets updates only from its own catalog, olm/shelf: change spec.source and spec.sourceNamespace to install it
      "
    `);
    expect(code).toBe(0);
  });

  it('names the culprit and its reason', async () => {
    const { out, code } = await explain('subscription', 'crane', 'mixed.json');
    expect(out).toMatchInlineSnapshot(`
      "Subscription team/crane cannot be met: its only candidate crane.v1.0.0 (channel stable of catalog olm/shelf) needs package mill in >=1.0.0, but no catalog available to this namespace provides it.
      Add a catalog that provides package mill in >=1.0.0, or remove the Subscription that leads to it.
      "
    `);
    expect(code).toBe(1);
  });

  it('does not blame the neighbour', async () => {
    const { out, code } = await explain('subscription', 'harbor', 'mixed.json');
    expect(out).toMatchInlineSnapshot(`
      "Subscription harbor itself is correct. A namespace is resolved as a whole, and Subscription crane cannot be met:
      Subscription team/crane cannot be met: its only candidate crane.v1.0.0 (channel stable of catalog olm/shelf) needs package mill in >=1.0.0, but no catalog available to this namespace provides it.
      Add a catalog that provides package mill in >=1.0.0, or remove the Subscription that leads to it.
      With annotation flotilla.dev/resolution-isolation: "true" on the OperatorGroup it would not have to wait for its neighbours.
      "
    `);
    expect(code).toBe(1);
  });

  it('prints which Subscription a CSV belongs to, or that it has none', async () => {
    const owned = await explain('csv', 'harbor.v1.0.0', 'running.json');
    expect(owned.out).toMatch(/^It belongs to Subscription harbor\.\nSubscription harbor has harbor\.v1\.0\.0\. Newer/);
    const orphan = await explain('csv', 'old.v1.0.0', 'orphan.json');
    expect(orphan.out).toMatch(/no Subscription names it in status\.installedCSV/);
  });

  it('gives the same as data', async () => {
    const { out, code } = await explain('sub', 'crane', 'mixed.json', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      kind: 'Subscription',
      name: 'crane',
      namespace: 'team',
      well: false,
      state: 'cannot-be-met',
      message: expect.stringMatching(/^constraints not satisfiable: /),
      explanation: [{ kind: 'subscription', subject: 'crane' }],
    });
    expect(code).toBe(1);
  });

  it.each([
    {
      kind: 'sub',
      name: 'nobody',
      exit: 1,
      says: /no Subscription nobody in namespace team of the manifests; there is harbor/,
    },
    { kind: 'csv', name: 'nobody', exit: 1, says: /no ClusterServiceVersion nobody/ },
    { kind: 'pod', name: 'harbor', exit: 2, says: /cannot explain objects of kind "pod"/ },
    { kind: 'constructor', name: 'harbor', exit: 2, says: /cannot explain objects of kind "constructor"/ },
  ])('refuses $kind $name in one line', async ({ kind, name, exit, says }) => {
    const { err, code } = await explain(kind, name, 'running.json');
    expect(err.trim().split('\n').at(-1)).toMatch(says);
    expect(code).toBe(exit);
  });
});
