import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

let folder = '';
const file = (name: string) => join(folder, name);

const csv = (name: string) => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name },
  spec: {
    version: '1.0.0',
    install: { strategy: 'deployment', spec: { deployments: [] } },
    installModes: [{ type: 'AllNamespaces', supported: true }],
  },
});

function blobs(pkg: string, objects: readonly unknown[], needs: readonly string[] = []) {
  const inline = objects.map((object) => ({
    type: 'olm.bundle.object',
    value: { data: Buffer.from(JSON.stringify(object)).toString('base64') },
  }));
  const required = needs.map((packageName) => ({
    type: 'olm.package.required',
    value: { packageName, versionRange: '>=1.0.0' },
  }));
  const properties = [{ type: 'olm.package', value: { packageName: pkg, version: '1.0.0' } }, ...required, ...inline];
  return [
    { schema: 'olm.package', name: pkg, defaultChannel: 'stable' },
    { schema: 'olm.channel', package: pkg, name: 'stable', entries: [{ name: `${pkg}.v1.0.0` }] },
    { schema: 'olm.bundle', package: pkg, name: `${pkg}.v1.0.0`, image: '', properties },
  ];
}

const subscriptions = (...names: readonly string[]) =>
  names
    .map((name) =>
      JSON.stringify({
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'Subscription',
        metadata: { name, namespace: 'shop' },
        spec: { name, channel: 'stable', source: 'cat', sourceNamespace: 'olm' },
      }),
    )
    .join('\n---\n');

const group = (spec: object) =>
  JSON.stringify({
    apiVersion: 'operators.coreos.com/v1',
    kind: 'OperatorGroup',
    metadata: { name: 'team', namespace: 'shop' },
    spec,
  });

const LONG = `plum.v1.0.0-${'x'.repeat(60)}`;
const BAD = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'gum', labels: 'none' } };
const SAID =
  'bundle gum.v1.0.0 (in its catalog): object 2 (ConfigMap gum): metadata.labels is a text; a map is expected';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-unusable-'));
  const gum = blobs('gum', [csv('gum.v1.0.0'), BAD]);
  const all = [...gum, ...blobs('kiwi', [csv('kiwi.v1.0.0')]), ...blobs('fig', [csv('fig.v1.0.0')], ['gum'])];
  all.push(...blobs('plum', [csv(LONG)]));
  await writeFile(file('catalog.json'), all.map((one) => JSON.stringify(one)).join('\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const ask = (verb: readonly string[], ...names: readonly string[]) =>
  runFlotilla(
    [...verb, '--catalog', `olm/cat=${file('catalog.json')}`, '-f', '-', '-n', 'shop'],
    subscriptions(...names),
  );

describe('a bundle of a catalog that cannot be used', () => {
  it('plan: says which object and field, and exits 1', async () => {
    const { out, exit } = await ask(['plan'], 'gum');
    expect(exit).toBe(1);
    expect(out).toMatch(/^Nothing can be installed in namespace shop\.\n/);
    expect(out.split('\n')).toContain(SAID);
  });

  it('plan: the other Subscriptions get theirs, and what needs it waits with it', async () => {
    const { out, exit } = await ask(['plan', '-o', 'json'], 'gum', 'kiwi', 'fig');
    expect(exit).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'no',
      result: 'resolved',
      bundles: [{ name: 'kiwi.v1.0.0' }],
      subscriptionsUpdated: [{ name: 'kiwi' }],
      unresolved: [
        { kind: 'subscription', name: 'fig', message: SAID },
        { kind: 'subscription', name: 'gum', message: SAID },
      ],
    });
  });

  it('plan: what the hub refuses before it applies anything is no plan, either', async () => {
    const { out, exit } = await ask(['plan'], 'plum');
    expect(exit).toBe(1);
    expect(out).toContain(': metadata.name has 72 characters: OLM writes it into labels of at most 63');
  });

  it.each([
    [
      group({ targetNamespaces: ['shop'] }),
      'OwnNamespace InstallModeType not supported, cannot configure to watch own',
    ],
    [
      group({ targetNamespaces: ['a'] }),
      'SingleNamespace InstallModeType not supported, cannot configure to watch one',
    ],
    [
      group({ targetNamespaces: ['a', 'b'] }),
      'MultiNamespace InstallModeType not supported, cannot configure to watch',
    ],
  ])('plan: an OperatorGroup that its install modes do not support: %s', async (given, says) => {
    const { out, exit } = await runFlotilla(
      ['plan', '--catalog', `olm/cat=${file('catalog.json')}`, '-f', '-', '-n', 'shop'],
      [subscriptions('kiwi'), given].join('\n---\n'),
    );
    expect(exit).toBe(1);
    expect(out).toContain(`fails: kiwi.v1.0.0 with OperatorGroup team: UnsupportedOperatorGroup: ${says}`);
  });

  it('plan: a group for all namespaces suits it; one that is assumed is a note', async () => {
    const argv = ['plan', '--catalog', `olm/cat=${file('catalog.json')}`, '-f', '-', '-n', 'shop'];
    const good = await runFlotilla(argv, [subscriptions('kiwi'), group({})].join('\n---\n'));
    expect(good).toMatchObject({ exit: 0, err: '' });
    const assumed = await runFlotilla(argv, subscriptions('kiwi'));
    expect(assumed.exit).toBe(0);
    expect(assumed.err).toContain(
      'note: kiwi.v1.0.0 with OperatorGroup assumed: UnsupportedOperatorGroup: OwnNamespace',
    );
  });

  it('explain: says it of its Subscription, and nothing of the neighbour', async () => {
    const { out, exit } = await ask(['explain', 'subscription', 'gum'], 'gum', 'kiwi');
    expect(exit).toBe(1);
    expect(out.split('\n')).toContain(SAID);
    const kiwi = await ask(['explain', 'subscription', 'kiwi'], 'gum', 'kiwi');
    expect(kiwi.exit).toBe(0);
    expect(kiwi.out).not.toContain('gum');
  });
});
