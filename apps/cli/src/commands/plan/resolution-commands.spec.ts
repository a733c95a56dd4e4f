import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { run } from '../../program.js';
import type { Io } from '../../terminal/io.js';

let folder = '';
const file = (name: string) => join(folder, name);

const blob = (pkg: string, version: string, properties: readonly unknown[] = []) => [
  { schema: 'olm.package', name: pkg, defaultChannel: 'stable' },
  { schema: 'olm.channel', package: pkg, name: 'stable', entries: [{ name: `${pkg}.v${version}` }] },
  {
    schema: 'olm.bundle',
    package: pkg,
    name: `${pkg}.v${version}`,
    image: `registry.test/${pkg}:${version}`,
    properties: [{ type: 'olm.package', value: { packageName: pkg, version } }, ...properties],
  },
];
const gvk = { group: 'sample.test', version: 'v1', kind: 'Light' };
const harbor = blob('harbor', '1.0.0', [{ type: 'olm.gvk.required', value: gvk }]);
const crd = { group: 'sample.test', version: 'v1', kind: 'Light', name: 'lights.sample.test' };
const lighthouse = blob('lighthouse', '2.0.0', [
  { type: 'olm.gvk', value: gvk },
  { type: 'olm.csv.metadata', value: { crdDescriptions: { owned: [crd] } } },
]);
const catalogText = (...blobs: readonly (readonly unknown[])[]) =>
  blobs
    .flat()
    .map((one) => JSON.stringify(one))
    .join('\n');
const subscription = (name: string, namespace = 'team') => `apiVersion: operators.coreos.com/v1alpha1
kind: Subscription
metadata: {name: ${name}, namespace: ${namespace}}
spec: {name: ${name}, channel: stable, source: shelf, sourceNamespace: olm}
`;
const group = (name: string) => `apiVersion: operators.coreos.com/v1
kind: OperatorGroup
metadata: {name: ${name}, namespace: team}
`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-plan-'));
  await writeFile(file('full.json'), catalogText(harbor, lighthouse));
  await writeFile(file('poor.json'), catalogText(harbor));
  await writeFile(file('harbor.yaml'), subscription('harbor'));
  await writeFile(file('two-groups.yaml'), [subscription('harbor'), group('one'), group('two')].join('---\n'));
  await writeFile(file('two-namespaces.yaml'), [subscription('harbor'), subscription('harbor', 'other')].join('---\n'));
  await writeFile(file('broken.yaml'), `${subscription('harbor')}---\nkind: [\n`);
  await writeFile(file('odd.yaml'), `${subscription('harbor')}---\nkind: Pod\n`);
  await writeFile(file('malformed.yaml'), subscription('harbor').replace('source: shelf', 'source: [shelf]'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function flotilla(args: readonly string[], stdin = '') {
  const seen = { out: '', err: '', code: 0 };
  const io: Io = {
    out: (text) => {
      seen.out += text;
    },
    err: (text) => {
      seen.err += text;
    },
    exit: (code) => {
      seen.code = code;
    },
    stdin: async () => stdin,
  };
  await run(args, io);
  return seen;
}
const plan = (catalog: string, manifests: string, ...more: string[]) =>
  flotilla(['plan', '--catalog', `shelf=${file(catalog)}`, '-f', file(manifests), ...more]);

describe('flotilla plan', () => {
  it('prints what would be installed, why and from where, and exits 0', async () => {
    const { out, err, code } = await plan('full.json', 'harbor.yaml');
    expect(code).toBe(0);
    expect(err).toBe('note: no OperatorGroup in namespace team: one that targets this namespace alone is assumed\n');
    for (const expected of [
      /install +harbor\.v1\.0\.0 +1\.0\.0 +stable +olm\/shelf +Subscription harbor/,
      /install +lighthouse\.v2\.0\.0 .* harbor\.v1\.0\.0 needs API Light \(sample\.test\/v1\)/,
      /image +registry\.test\/lighthouse:2\.0\.0/,
      /CRDs +lights\.sample\.test/,
      /Subscription to be made: lighthouse-stable-shelf-olm/,
    ]) {
      expect(out).toMatch(expected);
    }
  });

  it('prints why not, and exits 1', async () => {
    const { out, code } = await plan('poor.json', 'harbor.yaml');
    expect(code).toBe(1);
    expect(out).toContain('needs API Light (sample.test/v1), but no catalog available to this namespace provides it');
    expect(out).toContain('Add a catalog that provides API Light (sample.test/v1)');
  });

  it('gives the same as data', async () => {
    const { out } = await plan('full.json', 'harbor.yaml', '-o', 'json');
    expect(JSON.parse(out)).toMatchObject({
      namespace: 'team',
      result: 'resolved',
      bundles: [
        { name: 'harbor.v1.0.0', action: 'install' },
        { name: 'lighthouse.v2.0.0', catalog: 'olm/shelf' },
      ],
      subscriptionsUpdated: [{ name: 'harbor', currentCSV: 'harbor.v1.0.0' }],
    });
  });

  it('answers two OperatorGroups as OLM does, and exits 1', async () => {
    const { out, code } = await plan('full.json', 'two-groups.yaml');
    expect(code).toBe(1);
    expect(out).toContain('expected 1 OperatorGroup in the namespace, found 2');
  });

  it.each([
    { input: 'broken YAML', args: ['full.json', 'broken.yaml'], says: /broken\.yaml:6: not YAML: .*\n$/ },
    {
      input: 'a document that is no object',
      args: ['full.json', 'odd.yaml'],
      says: /odd\.yaml:6: not a Kubernetes object: apiVersion is missing.* give it apiVersion, kind and metadata/,
    },
    {
      input: 'an object of the wrong shape',
      args: ['full.json', 'malformed.yaml'],
      says: /malformed\.yaml:1: Subscription harbor is malformed: spec\.source is a list; a text is expected/,
    },
    {
      input: 'Subscriptions of several namespaces',
      args: ['full.json', 'two-namespaces.yaml'],
      says: /namespaces team, other: choose one with -n/,
    },
    {
      input: 'a file that is not there',
      args: ['full.json', 'none.yaml'],
      says: /none\.yaml: no such file or directory/,
    },
    { input: 'a catalog that is not there', args: ['none', 'harbor.yaml'], says: /none: no such file or directory/ },
    {
      input: 'a namespace without Subscription',
      args: ['full.json', 'harbor.yaml', '-n', 'empty'],
      says: /no Subscription in namespace empty/,
    },
  ] as const)(
    'says in one line what is wrong with $input, and exits 2',
    async ({ args: [catalog, manifests, ...more], says }) => {
      const { out, err, code } = await plan(catalog, manifests, ...more);
      expect({ out, code, lines: err.trimEnd().split('\n').length }).toEqual({ out: '', code: 2, lines: 1 });
      expect(err).toMatch(says);
    },
  );

  it('says that a registry would refuse the catalog, and plans all the same', async () => {
    const [pkg, , bundle] = blob('harbor', '1.0.0');
    const channel = { schema: 'olm.channel', package: 'harbor', name: 'stable', entries: [{ name: 'harbor.v1.0.0' }] };
    const lacking = { ...channel, entries: [...channel.entries, { name: 'harbor.v2.0.0', replaces: 'harbor.v1.0.0' }] };
    await writeFile(file('invalid.json'), catalogText([pkg, lacking, bundle]));
    const { err, code } = await plan('invalid.json', 'harbor.yaml');
    expect({ err, code }).toEqual({ code: 0, err: expect.stringContaining('catalog olm/shelf is invalid') });
  });

  it('takes the last of several manifests of one object, as a cluster would, and says so', async () => {
    await writeFile(
      file('twice.yaml'),
      `${subscription('harbor').replace('stable', 'beta')}---\n${subscription('harbor')}`,
    );
    const { out, err, code } = await plan('full.json', 'twice.yaml', '-o', 'json');
    expect(code).toBe(0);
    expect(err).toMatch(/note: Subscription harbor of .*twice\.yaml:1 is left out: .*twice\.yaml:6 gives it again\n/);
    expect(JSON.parse(out)).toMatchObject({
      bundles: [{ name: 'harbor.v1.0.0', because: ['Subscription harbor'] }, {}],
    });
  });

  it('says which catalog a Subscription asks for where it was not given', async () => {
    const { err, code } = await flotilla([
      'plan',
      '--catalog',
      `attic=${file('full.json')}`,
      '-f',
      file('harbor.yaml'),
    ]);
    expect(code).toBe(1);
    expect(err).toContain(
      'note: Subscription harbor asks for catalog olm/shelf, which is not given: add --catalog olm/shelf=REF',
    );
  });

  it('shows the form of --catalog when it is not met', async () => {
    const { err, code } = await flotilla(['plan', '--catalog', 'shelf', '-f', file('harbor.yaml')]);
    expect({ err, code }).toEqual({ code: 2, err: expect.stringContaining('[NAMESPACE/]NAME[:PRIORITY]=REFERENCE') });
  });
});

it('flotilla plan on a sample catalog: the dependency comes along', async () => {
  const samples = join(PROJECT_ROOT, 'examples/catalogs/v1');
  const args = ['plan', '--catalog', `samples=${samples}`, '-f', '-', '-o', 'json'];
  const manifest = subscription('harbor-operator').replace('source: shelf', 'source: samples');
  const { out, code } = await flotilla(args, manifest);
  const answer = JSON.parse(out) as { bundles: { package: string }[] };
  const packages = answer.bundles.map((bundle) => bundle.package);
  expect({ code, packages }).toEqual({ code: 0, packages: ['harbor-operator', 'lighthouse-operator'] });
});

const community = join(PUBLIC_DATA, 'data/catalogs/v4.20');

describe('flotilla plan on a public catalog', needing(publicData('data/catalogs/v4.20')), () => {
  const manifest = (name: string) => subscription(name).replace('channel: stable, source: shelf', 'source: community');
  it.each([
    {
      name: 'rabbitmq-messaging-topology-operator',
      packages: ['rabbitmq-cluster-operator', 'rabbitmq-messaging-topology-operator'],
      because: 'its dependency comes along',
    },
    { name: 'dell-csm-operator', packages: ['dell-csm-operator'], because: 'it needs nothing else' },
  ])('$name: $because', async ({ name, packages }) => {
    const args = ['plan', '--catalog', `community=${community}`, '-f', '-', '-o', 'json'];
    const { out, code } = await flotilla(args, manifest(name));
    const answer = JSON.parse(out) as { bundles: { package: string }[] };
    expect({ code, packages: answer.bundles.map((bundle) => bundle.package) }).toEqual({ code: 0, packages });
  });
});

describe('flotilla resolve', () => {
  const manifests = [
    { apiVersion: 'operators.coreos.com/v1', kind: 'OperatorGroup', metadata: { name: 'group', namespace: 'team' } },
    {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'Subscription',
      metadata: { name: 'harbor', namespace: 'team' },
      spec: { name: 'harbor', source: 'shelf', sourceNamespace: 'olm' },
    },
  ];
  const question = (id: string, catalog: object) => ({
    id,
    namespace: 'team',
    catalogs: [{ name: 'shelf', namespace: 'olm', ...catalog }],
    objects: manifests,
  });

  it('answers line by line, in order, and goes on after a bad one', async () => {
    const lines = [
      JSON.stringify(question('one', { fbc: [...harbor, ...lighthouse] })),
      '{bad',
      JSON.stringify({ api: 'v1' }),
      JSON.stringify(question('two', { fbc: harbor })),
    ];
    const { out, code } = await flotilla(['resolve'], `${lines.join('\n')}\n`);
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(code).toBe(2);
    expect(answers).toMatchObject([
      { id: 'one', result: 'resolved', chosen: [{ name: 'harbor.v1.0.0' }, { name: 'lighthouse.v2.0.0' }] },
      { line: 2, error: expect.stringContaining('not JSON') },
      { line: 3, error: expect.stringContaining('not a case: spec') },
      { id: 'two', result: 'unsatisfiable', message: expect.stringContaining('constraints not satisfiable: ') },
    ]);
  });

  it.each([
    { api: 'v1', majorUpdates: undefined, takes: 'lamp.v2.0.0', because: 'edges alone decide, as in OLM v1' },
    { api: 'v1', majorUpdates: 'manual', takes: 'lamp.v1.0.0', because: 'no automatic step to another major version' },
    { api: undefined, majorUpdates: undefined, takes: 'lamp.v2.0.0', because: 'what asks for an extension is of v1' },
  ])('answers cases of OLM v1: $because', async ({ api, majorUpdates, takes }) => {
    const bundle = (version: string) => ({
      schema: 'olm.bundle',
      name: `lamp.v${version}`,
      package: 'lamp',
      image: `registry.example/lamp:${version}`,
      properties: [{ type: 'olm.package', value: { packageName: 'lamp', version } }],
    });
    const entries = [{ name: 'lamp.v1.0.0' }, { name: 'lamp.v2.0.0', replaces: 'lamp.v1.0.0' }];
    const v1Case = {
      api,
      name: 'lamp',
      catalogs: [
        {
          name: 'main',
          metas: [
            { schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' },
            { schema: 'olm.channel', name: 'stable', package: 'lamp', entries },
            bundle('1.0.0'),
            bundle('2.0.0'),
          ],
        },
      ],
      spec: { source: { catalog: { packageName: 'lamp' } } },
      installed: { name: 'lamp.v1.0.0', version: '1.0.0' },
      majorUpdates,
    };
    const { out, code } = await flotilla(['resolve'], `${JSON.stringify(v1Case)}\n`);
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 0,
      answer: { name: 'lamp', class: 'Resolved', bundle: takes, catalog: 'main' },
    });
  });

  it('reads one problem over several lines', async () => {
    const { out, code } = await flotilla(
      ['resolve', '-f', '-'],
      JSON.stringify(question('one', { fbc: harbor }), undefined, 2),
    );
    expect({ code, answer: JSON.parse(out) }).toMatchObject({
      code: 0,
      answer: { id: 'one', result: 'unsatisfiable' },
    });
  });

  it.each([
    {
      because: 'a ref is looked up where --catalogs says',
      catalog: { ref: 'full.json' },
      more: () => ['--catalogs', folder],
      says: { result: 'resolved' },
    },
    {
      because: 'a ref needs --catalogs',
      catalog: { ref: 'full.json' },
      more: () => [],
      says: { line: 1, error: expect.stringContaining('--catalogs DIR') },
    },
    {
      because: 'a ref does not lead out of that folder',
      catalog: { ref: '../full.json' },
      more: () => ['--catalogs', folder],
      says: { line: 1, error: expect.stringContaining('leads out of') },
    },
    {
      because: 'a catalog has content or says that it is unhealthy',
      catalog: {},
      more: () => [],
      says: { line: 1, error: expect.stringContaining('give it fbc, dir or ref') },
    },
    {
      because: 'an unhealthy catalog blocks',
      catalog: { unhealthy: true },
      more: () => [],
      says: {
        result: 'error',
        message: 'error using catalogsource olm/shelf: no registry client established for catalogsource olm/shelf',
      },
    },
  ])('$because', async ({ catalog, more, says }) => {
    const { out } = await flotilla(['resolve', ...more()], JSON.stringify(question('one', catalog)));
    expect(JSON.parse(out)).toMatchObject(says);
  });
});
