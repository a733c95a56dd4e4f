import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from '../../program.js';
import { recorder, runFlotilla } from '../../run-flotilla.fixture.js';

const ROOT = join(import.meta.dirname, '../../../../..');
const EXAMPLES = join(ROOT, 'examples');

const flotilla = (...argv: string[]) => runFlotilla(argv);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'catalog-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const write = (files: Record<string, string>, symlinks: Record<string, string> = {}) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  for (const [path, target] of Object.entries(symlinks)) symlinkSync(target, join(root, path));
};

type Vector = {
  id: string;
  title: string;
  files: Record<string, string>;
  symlinks?: Record<string, string>;
  refs: string[];
  args: string[];
  command: string[];
  expect: { exit: number; stdout?: string; stderr?: string; passed?: boolean; message?: string };
};
const vectors = (file: string): Vector[] =>
  readFileSync(join(ROOT, 'test/vectors/fbc', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector);

describe('catalog validate', () => {
  it.each(vectors('validate.jsonl'))(
    '$id $title: the exit code says what opm says',
    async ({ files, symlinks, expect: want }) => {
      write(files, symlinks);
      const { out, err, exit } = await flotilla('catalog', 'validate', root);
      expect(out).toBe('');
      if (want.passed) expect({ err, exit }).toEqual({ err: '', exit: 0 });
      else {
        expect([1, 2]).toContain(exit);
        expect(err).toMatch(/\S+ \(.+\)\n$|^error: .+: .+\n$/);
      }
    },
  );

  it('gives one line for each finding, with what to do', async () => {
    const channel = (name: string) =>
      `---\nschema: olm.channel\npackage: ant\nname: ${name}\nentries: [{name: a}, {name: b}]\n`;
    const bundle = (name: string, version: string) =>
      `---\nschema: olm.bundle\nname: ${name}\npackage: ant\nimage: registry.example/x:v1\nproperties: [{type: olm.package, value: {packageName: ant, version: ${version}}}]\n`;
    const head = 'schema: olm.package\nname: ant\ndefaultChannel: ""\n';
    write({ 'c.yaml': head + channel('one') + channel('two') + bundle('a', '1.0.0') + bundle('b', '2.0.0') });
    const { err, exit } = await flotilla('catalog', 'validate', root);
    expect(exit).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      `${root}/c.yaml:1: invalid package "ant": default channel must be set (set "defaultChannel" in the olm.package blob)`,
      `${root}/c.yaml:5: invalid package "ant": invalid channel "one": multiple channel heads found in graph: a, b (let the newest entry replace or skip the others, so that one head remains)`,
      `${root}/c.yaml:10: invalid package "ant": invalid channel "two": multiple channel heads found in graph: a, b (let the newest entry replace or skip the others, so that one head remains)`,
    ]);
    const json = await flotilla('catalog', 'validate', root, '-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject({
      passed: false,
      error: {
        message: [
          'invalid index:',
          '└── invalid package "ant":',
          '    ├── default channel must be set',
          '    ├── invalid channel "one":',
          '    │   └── multiple channel heads found in graph: a, b',
          '    └── invalid channel "two":',
          '        └── multiple channel heads found in graph: a, b',
        ].join('\n'),
      },
    });
  });

  it.each([
    {
      files: { 'a/c.yaml': 'schema: olm.package\nname: ant\n  bad: [\n' },
      says: /^error: \S+\/a\/c\.yaml:3: error converting YAML to JSON: .*: correct the file, or name it in "\.indexignore"/,
      because: 'broken YAML, with file and line',
    },
    {
      files: { 'c.json': '{"schema":"olm.package","name":"ant"}\n{"schema":"olm.channel" "name":"c"}\n' },
      says: /^error: \S+\/c\.json:2: json: /,
      because: 'broken JSON, with file and line',
    },
    {
      files: { 'c.yaml': 'schema: olm.package\nname: ant\n---\nname: x\n' },
      says: /c\.yaml:4: object '\{"name":"x"\}' is missing root schema field/,
      because: 'a blob without schema, on one line all the same',
    },
  ])('exits 2 for $because', async ({ files, says }) => {
    write(files);
    const { err, exit } = await flotilla('catalog', 'validate', root);
    expect(exit).toBe(2);
    expect(err).toMatch(says);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  it('gives an unreadable catalog as data too', async () => {
    write({ 'c.yaml': 'name: x\n' });
    const { out, exit } = await flotilla('catalog', 'validate', root, '-o', 'json');
    expect(exit).toBe(2);
    const message = `object '{"name":"x"}\n' is missing root schema field`;
    expect(JSON.parse(out)).toEqual({
      verdict: 'no',
      passed: false,
      error: { message, place: expect.stringMatching(/\.(json|yaml)(:\d+)?$/) },
    });
  });

  it('exits 2 for a directory that is not there', async () => {
    const { err, exit } = await flotilla('catalog', 'validate', join(root, 'none'));
    expect(exit).toBe(2);
    expect(err).toContain(`stat ${join(root, 'none')}: no such file or directory`);
  });
});

describe('catalog render', () => {
  it.each(vectors('render.jsonl'))('$id $title', async ({ files, refs, args, expect: want }) => {
    write(files);
    const paths = refs.map((ref) => (ref === '.' ? root : join(root, ref)));
    const { out, err: said, exit } = await flotilla('catalog', 'render', ...paths, ...args);
    const err = said.replaceAll(/^warning: .*: skipped: .*\n/gm, '');
    if (want.exit === 0) expect({ out, err, exit }).toEqual({ out: want.stdout, err: '', exit: 0 });
    else {
      expect({ out, exit }).toEqual({ out: '', exit: 2 });
      // Ours adds the file, line and advice to opm's words, all on one line.
      const words = (want.stderr ?? '').replace(/^render reference "\.": /, '').replaceAll('\n', '');
      expect(err).toContain(words);
    }
  });
});

describe('catalog render of a bundle', () => {
  const bundle = join(EXAMPLES, 'bundles/harbor-operator/v1.0.0');
  const rendered = (template: string) => flotilla('catalog', 'render', bundle, '--alpha-image-ref-template', template);

  it.each([
    { template: 'x/{{.Package}}:{{ .Version }}', image: 'x/harbor-operator:1.0.0', because: 'fields are filled in' },
    { template: 'x/ {{- .Name -}} :v', image: 'x/harbor-operator.v1.0.0:v', because: 'dashes take blanks away' },
    { template: 'plain', image: 'plain', because: 'nothing need be filled in' },
  ])('is at $image: $because', async ({ template, image }) => {
    expect(JSON.parse((await rendered(template)).out)).toMatchObject({ image });
  });

  it.each(['{{.Package', '{{.Nope}}', '{{-.Name}}', '{{}}'])('refuses %s', async (template) => {
    const { out, err, exit } = await rendered(template);
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain('known are {{.Package}}, {{.Name}} and {{.Version}}');
  });
});

describe('catalog packages, channels, bundles', () => {
  it.each(vectors('list.jsonl'))('$id $title', async ({ command, files, refs, args, expect: want }) => {
    write(files);
    const [, ...packages] = refs;
    const { out, err, exit } = await flotilla('catalog', command.at(-1) ?? '', root, ...packages, ...args);
    expect({ out, exit }).toEqual({ out: want.stdout ?? '', exit: want.exit });
    expect(err.trimEnd()).toBe(want.stderr ?? '');
  });

  it('shows the samples, as a table and as data', async () => {
    const packages = async (...more: string[]) =>
      (await flotilla('catalog', 'packages', join(EXAMPLES, 'catalogs/v2'), ...more)).out;
    expect(await packages()).toBe(
      [
        'NAME                 DISPLAY NAME  DEFAULT CHANNEL',
        'harbor-operator      Harbor        stable',
        'lighthouse-operator  Lighthouse    stable',
        '',
      ].join('\n'),
    );
    expect(await packages('-o', 'wide'), 'the same columns').toBe(await packages());
    const channels = await flotilla('catalog', 'channels', join(EXAMPLES, 'catalogs/v2'), '-o', 'yaml');
    expect(channels.out).toContain('- channel: stable\n  head: harbor-operator.v1.2.0\n  package: harbor-operator\n');
    const one = join(EXAMPLES, 'catalogs/v1/harbor-operator/catalog.yaml');
    const bundles = await flotilla('catalog', 'bundles', one, '-o', 'json');
    expect(JSON.parse(bundles.out)).toEqual([
      {
        package: 'harbor-operator',
        channel: 'stable',
        bundle: 'harbor-operator.v1.0.0',
        replaces: '',
        skips: [],
        skipRange: '',
        image: 'registry.example/flotilla-samples/harbor-operator-bundle:v1.0.0',
      },
    ]);
  });

  it('fits a terminal, and is whole with -o wide', async () => {
    const at80 = async (...more: string[]) => {
      const { result, io } = recorder();
      await run(['catalog', 'bundles', join(EXAMPLES, 'catalogs/v2'), ...more], { ...io, columns: 80 });
      return result.out;
    };
    const shown = await at80();
    expect(shown.split('\n')[0]?.split(/ {2,}/)).toEqual(['PACKAGE', 'CHANNEL', 'BUNDLE', 'REPLACES', 'SKIP RANGE']);
    for (const line of shown.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const piped = await flotilla('catalog', 'bundles', join(EXAMPLES, 'catalogs/v2'));
    expect(await at80('-o', 'wide')).toBe(piped.out);
    expect(piped.out).toMatch(/ SKIPS .* IMAGE\n/);
    expect(piped.out).not.toMatch(/ $/m);
  });

  it('gives names alone, for scripts, each once', async () => {
    const channel = (name: string) =>
      `---\nschema: olm.channel\npackage: ant\nname: ${name}\nentries: [{name: ant.v1.0.0}]\n`;
    const bundle =
      '---\nschema: olm.bundle\nname: ant.v1.0.0\npackage: ant\nimage: registry.example/x:v1\nproperties: [{type: olm.package, value: {packageName: ant, version: 1.0.0}}]\n';
    write({
      'c.yaml': `schema: olm.package\nname: ant\ndefaultChannel: one\n${channel('two')}${channel('one')}${bundle}`,
    });
    const names = async (what: string) => (await flotilla('catalog', what, root, '-o', 'name')).out;
    expect([await names('packages'), await names('channels'), await names('bundles')]).toEqual([
      'ant\n',
      'ant/one\nant/two\n',
      'ant.v1.0.0\n',
    ]);
  });

  it('refuses a bundle and an unknown output', async () => {
    const bundle = join(EXAMPLES, 'bundles/harbor-operator/v1.0.0');
    const listed = await flotilla('catalog', 'packages', bundle);
    expect(listed.exit).toBe(2);
    expect(listed.err).toContain(`cannot list non-index "${bundle}"`);
    const output = await flotilla('catalog', 'packages', bundle, '-o', 'xml');
    expect(output.exit).toBe(2);
    expect(output.err).toContain('invalid --output value "xml", expected (table|wide|json|yaml|name)');
  });
});

describe('bundle validate', () => {
  it('says nothing about the samples', async () => {
    const { out, err, exit } = await flotilla('bundle', 'validate', join(EXAMPLES, 'bundles/harbor-operator/v1.0.0'));
    expect({ out, err, exit }).toEqual({ out: '', err: '', exit: 0 });
  });

  const CSV = 'apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: a.v1}\n';
  const SPEC = 'spec:\n  version: 1.0.0\n  install: {strategy: deployment}\n';
  const NOTES =
    'annotations:\n  operators.operatorframework.io.bundle.package.v1: a\n  operators.operatorframework.io.bundle.channels.v1: x\n';
  const good = { 'manifests/csv.yaml': CSV + SPEC, 'metadata/annotations.yaml': NOTES };

  it.each([
    {
      change: { 'manifests/csv.yaml': 'kind: Service\napiVersion: v1\nmetadata: {name: s}\n' },
      says: ['no csv in bundle'],
    },
    { change: { 'manifests/csv.yaml': 'a: [' }, says: ['no bundle objects found', 'csv.yaml:1: skipped'] },
    { change: { 'metadata/annotations.yaml': 'x: y\n' }, says: ['Could not find annotations file'] },
    {
      change: {
        'manifests/csv.yaml': `${CSV}${SPEC}  customresourcedefinitions: {owned: [{name: things.x.test, version: v1, kind: Thing}]}\n`,
      },
      says: ["couldn't find x.test/v1/Thing (things) in bundle. found: map[]"],
    },
    {
      change: { 'manifests/pod.yaml': 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n' },
      says: ['p: Pod is not supported type for registryV1 bundle'],
    },
    {
      change: {
        'metadata/dependencies.yaml': 'dependencies: [{type: olm.package, value: {packageName: b, version: "^1"}}]\n',
      },
      says: ['dependencies[0] (olm.package): Invalid semver format version'],
    },
    {
      change: { 'manifests/csv.yaml': `${CSV}spec: {version: v1}\n` },
      says: ['spec.version "v1" is not a semantic version', 'spec.install.strategy is ""'],
    },
  ])('finds $says', async ({ change, says }) => {
    write({ ...good, ...change } as Record<string, string>);
    const { out, err, exit } = await flotilla('bundle', 'validate', root);
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    for (const words of says) expect(err).toContain(words);
  });
});
