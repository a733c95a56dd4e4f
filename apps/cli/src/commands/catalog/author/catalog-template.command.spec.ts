import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readTree } from '#platform/files/read-tree';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const ROOT = join(import.meta.dirname, '../../../../../..');

const flotilla = (argv: readonly string[], stdin = '') => runFlotilla(['catalog', 'template', ...argv], stdin);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'template-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const file = (name: string, text: string): string => {
  writeFileSync(join(root, name), text);
  return join(root, name);
};

type Vector = {
  id: string;
  title: string;
  type?: string;
  output: string;
  template: string;
  bundles: Record<string, unknown>;
  expect: { objects?: unknown[]; stdout?: string; error?: string };
};
const vectors = readFileSync(join(ROOT, 'test/vectors/fbc/template.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector)
  .filter(({ id }) => id !== 'p-template-014'); // It asks a registry, which no unit test does.

describe('catalog template, compared with opm', () => {
  it.each(vectors)('$id $title: written, or refused as bad input', async (vector) => {
    const lines = Object.entries(vector.bundles).map(([image, bundle]) => `${JSON.stringify({ image, bundle })}\n`);
    const bundles = file('bundles.jsonl', lines.join(''));
    const template = file('template.yaml', vector.template);
    const type = vector.type === undefined ? [] : [vector.type];
    const argv = [...type, template, '-o', vector.output, '--bundles', bundles];
    const { out, err, exit } = await flotilla(argv);
    if (vector.expect.error !== undefined) {
      expect({ out, exit }).toEqual({ out: '', exit: 2 });
      expect(
        err.startsWith(`error: ${template}: ${vector.expect.error.split(': json:')[0]?.split(' "1.0.0+')[0]}`),
      ).toBe(true);
      return;
    }
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    if (vector.expect.stdout !== undefined) expect(out).toBe(vector.expect.stdout);
    else {
      const objects = out.split(/^(?=\{)/m).filter((text) => text !== '');
      expect(objects.map((text): unknown => JSON.parse(text))).toEqual(vector.expect.objects);
    }
  });
});

const basic = (...images: string[]) =>
  `schema: olm.template.basic\nentries: [${images.map((image) => `{schema: olm.bundle, image: '${image}'}`).join(', ')}]\n`;

describe('what the command reads', () => {
  it.each([
    { argv: [], because: 'neither type nor file' },
    { argv: ['basic'], because: 'a type alone' },
    { argv: ['basic', '-'], because: 'a dash' },
    { argv: ['-'], because: 'a dash alone' },
  ])('is standard input for $because', async ({ argv }) => {
    expect(await flotilla(argv, basic())).toEqual({ out: '', err: '', exit: 0 });
  });

  it.each([
    { argv: ['raw', 'x'], says: 'invalid template type "raw", must be one of: basic, semver, substitutes' },
    { argv: ['/none/template.yaml'], says: 'open /none/template.yaml: no such file or directory' },
    { argv: ['basic', '-o', 'xml'], says: 'invalid --output value "xml", expected (json|yaml|mermaid)' },
    { argv: ['basic', '--migrate-level', 'x'], says: 'unknown migration level "x"' },
    { argv: ['basic', '--bundles', '/none'], says: 'read /none: no such file or directory' },
    {
      argv: ['semver'],
      says: 'rendering template: render: unable to read file: error unmarshaling JSON: while decoding JSON: json: unknown field "entries"',
    },
  ])('ends with 2 and "$says"', async ({ argv, says }) => {
    const { out, err, exit } = await flotilla(argv, basic());
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain(says);
  });

  it.each([
    { line: '{"image": "i"}', says: ':1: expected {"image": <reference>, "bundle": <olm.bundle blob>}' },
    {
      line: '\n{"image": "i", "bundle": {"schema": "olm.package"}}',
      says: ':2: the schema of "bundle" is not olm.bundle',
    },
    { line: '{"image": "i", "bundle": {}}', says: ":1: object '{}\n' is missing root schema field" },
    { line: '{"image": ', says: ':1: json: ' },
  ])('names the bad line of --bundles: $line', async ({ line, says }) => {
    const bundles = file('bundles.jsonl', line);
    const { err, exit } = await flotilla(['basic', '--bundles', bundles], basic('i'));
    expect(exit).toBe(2);
    expect(err).toContain(`${bundles}${says}`);
  });
});

it('says why a graph cannot be drawn', async () => {
  const bundles = file('bundles.jsonl', JSON.stringify({ image: 'i', bundle: { schema: 'olm.bundle', name: 'a' } }));
  const { err, exit } = await flotilla(['basic', '--bundles', bundles, '-o', 'mermaid'], basic('i'));
  expect(exit).toBe(2);
  expect(err).toMatch(/^error: writing output: .*"a"/);
});

describe('images', () => {
  let registry: InMemoryRegistry;
  beforeAll(async () => {
    registry = await startRegistry();
    const files = await readTree(join(ROOT, 'examples/bundles/harbor-operator/v1.0.0'));
    const label = (name: string) => `operators.operatorframework.io.${name}`;
    registry.put('harbor:v1', await buildImage({ files, labels: { [label('bundle.package.v1')]: 'harbor-operator' } }));
    registry.put('broken:v1', await buildImage({ files, labels: { [label('index.configs.v1')]: '/manifests' } }));
    const catalog = (await readTree(join(ROOT, 'examples/catalogs/v1'))).map(({ path, bytes }) => ({
      path: `configs/${path}`,
      bytes,
    }));
    registry.put(
      'catalog:v1',
      await buildImage({ files: catalog, labels: { [label('index.configs.v1')]: '/configs' } }),
    );
  });
  afterAll(() => registry.stop());

  const semver = () => `schema: olm.semver\nstable: {bundles: [{image: '${registry.host}/harbor:v1'}]}\n`;

  it('are pulled where no line has them', async () => {
    const { out, err, exit } = await flotilla(['semver', '-o', 'yaml'], semver());
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(out).toContain('defaultChannel: stable-v1.0\n');
    expect(out).toContain(`image: ${registry.host}/harbor:v1\nname: harbor-operator.v1.0.0\n`);
    expect(out).toContain('- type: olm.bundle.object\n');
  });

  it('are migrated without losing what the package takes from the manifests', async () => {
    const plain = await flotilla(['semver', '-o', 'yaml'], semver());
    const { out } = await flotilla(['semver', '-o', 'yaml', '--migrate-level', 'all'], semver());
    expect(out).toContain('- type: olm.csv.metadata\n');
    expect(out).not.toContain('olm.bundle.object');
    expect(out.split('---\n')[1]).toBe(plain.out.split('---\n')[1]);
    expect(out.split('---\n')[1]).toContain('description: ');
  });

  it('that a registry does not have end with 3', async () => {
    const image = `${registry.host}/none:v1`;
    const { out, err, exit } = await flotilla([], basic(image));
    expect({ out, exit }).toEqual({ out: '', exit: 3 });
    const failed = `rendering template: render reference "${image}": failed to pull image "${image}": `;
    expect(err).toContain(`${failed}image ${image}: `);
    const bundles = file('none.jsonl', '');
    const beside = await flotilla(['--bundles', bundles], basic(image));
    expect(beside.exit).toBe(3);
    expect(beside.err).toContain(`${failed}not found in ${bundles}; image ${image}: `);
  });

  it.each([
    { image: 'catalog:v1', says: 'this is a catalog image; a template lists bundle images: not allowed' },
    { image: 'broken:v1', says: 'missing root schema field' },
  ])('that are no bundles end with 2: $image', async ({ image, says }) => {
    const { err, exit } = await flotilla([], basic(`${registry.host}/${image}`));
    expect(exit).toBe(2);
    expect(err).toContain(says);
  });
});
