import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildImage } from '#platform/registry/image-builder';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const EXAMPLES = join(import.meta.dirname, '../../../../../../examples');

const validate = (...argv: string[]) => runFlotilla(['catalog', 'validate', ...argv]);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'validate-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const write = (path: string, text: string): string => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return root;
};

type Bundle = { image?: string; properties?: string; relatedImages?: string };

/** A valid catalog of one bundle; the bundle begins at line 5. */
const catalog = ({ image = 'registry.example/ant:v1', properties = '', relatedImages = '[]' }: Bundle) =>
  [
    'schema: olm.package\nname: ant\ndefaultChannel: stable\n---',
    'schema: olm.bundle\nname: ant.v1.0.0\npackage: ant',
    `image: ${image}`,
    `properties: [{type: olm.package, value: {packageName: ant, version: 1.0.0}}${properties}]`,
    `relatedImages: ${relatedImages}`,
    '---\nschema: olm.channel\nname: stable\npackage: ant\nentries: [{name: ant.v1.0.0}]\n',
  ].join('\n');

const NO_RANGE = ', {type: olm.package.required, value: {packageName: ant, versionRange: "^1"}}';
const ELSEWHERE = ', {type: olm.package.required, value: {packageName: bee, versionRange: ">1.0.0"}}';

describe('catalog validate --strict', () => {
  it('fails on what opm accepts, with file, line, blob and what to write instead', async () => {
    const directory = write('ant/c.yaml', catalog({ properties: NO_RANGE }));
    expect(await validate(directory)).toEqual({ out: '', err: '', exit: 0 });
    const { out, err, exit } = await validate(`${directory}/`, '--strict');
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(err).toMatch(
      /^\S+\/ant\/c\.yaml:5: package "ant" bundle "ant\.v1\.0\.0": properties\[1\] \(olm\.package\.required\): versionRange "\^1" cannot be read: .+ \(compare with .+\)\n$/,
    );
  });

  it('prints beside it what opm refuses', async () => {
    const broken = catalog({ properties: NO_RANGE }).replace('defaultChannel', 'default');
    const { err, exit } = await validate(write('c.yaml', broken), '--strict');
    expect(exit).toBe(1);
    expect(err.split('\n').map((line) => line.replace(/^\/\S+\//, '').slice(0, 70))).toEqual([
      'c.yaml:1: invalid package "ant": default channel must be set (set "def',
      'c.yaml:1: package "ant": default: opm does not know this field and dro',
      'c.yaml:5: package "ant" bundle "ant.v1.0.0": properties[1] (olm.packag',
      '',
    ]);
  });

  it('does not fail on a note', async () => {
    const { out, err, exit } = await validate(write('c.yaml', catalog({ properties: ELSEWHERE })), '--strict');
    expect({ out, exit }).toEqual({ out: '', exit: 0 });
    expect(err).toMatch(/^note: \S+c\.yaml:5: .+fine if another catalog of the cluster has one.+\n$/);
  });

  it('has nothing to say about the samples', async () => {
    expect(await validate(join(EXAMPLES, 'catalogs/v2'), '--strict')).toEqual({ out: '', err: '', exit: 0 });
  });

  it('gives the same as data', async () => {
    const directory = write('c.yaml', catalog({ properties: NO_RANGE + ELSEWHERE }));
    const { out, err, exit } = await validate(directory, '--strict', '-o', 'json');
    expect({ err, exit }).toEqual({ err: '', exit: 1 });
    expect(JSON.parse(out)).toMatchObject({
      verdict: 'no',
      passed: false,
      warnings: [
        { severity: 'warning', place: 'c.yaml:5', schema: 'olm.bundle', package: 'ant', name: 'ant.v1.0.0' },
        { severity: 'note', place: 'c.yaml:5' },
      ],
    });
    const plain = await validate(directory, '-o', 'yaml');
    expect(plain).toEqual({ out: 'passed: true\nverdict: "yes"\n', err: '', exit: 0 });
  });
});

it('catalog validate takes a single file too, and names a place in it once', async () => {
  const file = join(write('c.yaml', catalog({ properties: NO_RANGE })), 'c.yaml');
  expect(await validate(file)).toEqual({ out: '', err: '', exit: 0 });
  const { err, exit } = await validate(file, '--strict');
  expect(exit).toBe(1);
  expect(err.startsWith(`${file}:5: package "ant"`), err).toBe(true);
});

describe('catalog validate --check-images', () => {
  let registry: InMemoryRegistry;
  let closed: InMemoryRegistry;
  beforeAll(async () => {
    closed = await startRegistry();
    closed.requireAuth({ username: 'ann', password: 'secret' });
    registry = await startRegistry();
    registry.put('ant:v1', await buildImage({ files: [], labels: {} }));
  });
  afterAll(() => Promise.all([registry.stop(), closed.stop()]));

  const check = (bundle: Bundle, ...argv: string[]) =>
    validate(write('c.yaml', catalog(bundle)), '--check-images', ...argv);
  const here = () => `${registry.host}/ant:v1`;
  const refused = () => `${closed.host}/ant:v1`;
  const none = () => `${registry.host}/none:v1`;

  it('is content when every image is there', async () => {
    const relatedImages = `[{name: '', image: '${here()}'}, {name: unset, image: ''}]`;
    expect(await check({ image: here(), relatedImages })).toEqual({ out: '', err: '', exit: 0 });
  });

  it('names a missing image and who wants it, and answers no even when another cannot be asked for', async () => {
    const relatedImages = `[{name: a, image: '${none()}'}, {name: b, image: '${refused()}'}]`;
    const { out, err, exit } = await check({ image: here(), relatedImages });
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    const [missing, unknown, ...rest] = err.split('\n');
    expect(missing).toContain(`package "ant" bundle "ant.v1.0.0": image ${none()}: `);
    expect(unknown).toContain(`package "ant" bundle "ant.v1.0.0": image ${refused()}: `);
    expect(rest).toEqual(['']);
  });

  it('exits 3 when a registry does not answer', async () => {
    const { err, exit } = await check({ image: refused() });
    expect(exit).toBe(3);
    expect(err).toContain(`image ${refused()}: `);
  });

  it('gives the same as data', async () => {
    const { out, exit } = await check({ image: none() }, '-o', 'json');
    expect(exit).toBe(1);
    const missing = { image: none(), package: 'ant', bundle: 'ant.v1.0.0', kind: 'missing' };
    expect(JSON.parse(out)).toMatchObject({ passed: false, images: [missing] });
  });
});
