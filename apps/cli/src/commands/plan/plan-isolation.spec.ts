import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { run } from '../../program.js';

let folder = '';
const file = (name: string) => join(folder, name);

const subscription = (name: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  metadata: { name, namespace: 'team' },
  spec: { name, channel: 'stable', source: 'shelf', sourceNamespace: 'olm' },
});
const group = {
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup',
  metadata: {
    name: 'group',
    namespace: 'team',
    annotations: { 'flotilla.dev/resolution-isolation': 'true' },
  },
};
const inn = [
  { schema: 'olm.package', name: 'inn', defaultChannel: 'stable' },
  { schema: 'olm.channel', package: 'inn', name: 'stable', entries: [{ name: 'inn.v1.0.0' }] },
  {
    schema: 'olm.bundle',
    package: 'inn',
    name: 'inn.v1.0.0',
    image: 'registry.example/inn:1',
    properties: [{ type: 'olm.package', value: { packageName: 'inn', version: '1.0.0' } }],
  },
];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-isolation-'));
  await writeFile(file('shelf.json'), inn.map((blob) => JSON.stringify(blob)).join('\n'));
  const items = [group, subscription('inn'), subscription('mill')];
  await writeFile(file('team.json'), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

it('flotilla plan shows what is left out under isolation beside what is installed, and exits 1', async () => {
  const seen = { out: '', code: 0 };
  await run(['plan', '--catalog', `shelf=${file('shelf.json')}`, '-f', file('team.json')], {
    out: (text) => {
      seen.out += text;
    },
    err: () => undefined,
    exit: (code) => {
      seen.code = code;
    },
    stdin: async () => '',
  });
  expect(seen.out).toMatch(/^install {2}inn\.v1\.0\.0/m);
  expect(seen.out).toMatch(
    /Left out: subscription mill\nSubscription team\/mill cannot be met: .*\nCheck spec\.name: catalog olm\/shelf has no package mill\.\n$/,
  );
  expect(seen.code).toBe(1);
});
