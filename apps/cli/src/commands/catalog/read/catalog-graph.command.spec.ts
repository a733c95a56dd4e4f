import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../../run-flotilla.fixture.js';

const flotilla = (...argv: string[]) => runFlotilla(argv);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'graph-'));
});
afterEach(() => rmSync(root, { recursive: true, maxRetries: 5 }));

const write = (files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};
const graph = (...args: string[]) => flotilla('catalog', 'graph', root, ...args);

type Vector = {
  id: string;
  title: string;
  files: Record<string, string>;
  args: string[];
  expect: { exit: number; stdout?: string; stderr?: string };
};
const VECTORS = join(import.meta.dirname, '../../../../../../test/vectors/fbc/render-graph.jsonl');
const vectors = readFileSync(VECTORS, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Vector);

describe('catalog graph -o mermaid', () => {
  it.each(vectors)('$id $title: text, exit code and complaint of opm', async ({ files, args, expect: want }) => {
    write(files);
    const { out, err, exit } = await graph(...args);
    expect({ out, exit }).toEqual({ out: want.stdout ?? '', exit: want.exit });
    if (want.stderr !== undefined) expect(err).toBe(`${want.stderr}\n`);
  });

  const bundle = (name: string) =>
    `{"schema":"olm.bundle","name":"${name}.v1.0.0","package":"${name}","image":"","properties":[{"type":"olm.package","value":{"packageName":"${name}","version":"1.0.0"}}]}`;
  const channel = (name: string, entry: string) =>
    `{"schema":"olm.channel","package":"${name}","name":"stable","entries":[{"name":"${name}.v1.0.0"${entry}}]}`;
  const two = ['ant', 'bee'].flatMap((name) => [
    `{"schema":"olm.package","name":"${name}","defaultChannel":"stable"}`,
    ...[channel(name, ',"skipRange":"^1"'), bundle(name)],
  ]);

  it('reports a skipRange that it leaves out', async () => {
    write({ 'c.json': two.join('\n') });
    const { out, err, exit } = await graph('--package', 'bee');
    expect(exit).toBe(0);
    expect(out).toContain('subgraph "bee"');
    expect(out).not.toContain('"ant"');
    expect(err).toMatch(/^warning: ignoring invalid SkipRange for package\/edge "bee"\/"bee\.v1\.0\.0": .+\n$/);
  });

  it('answers no to an unknown package, whose graph is empty as in opm', async () => {
    write({ 'c.json': two.join('\n') });
    const { out, err, exit } = await graph('-p', 'cat');
    expect(exit).toBe(1);
    expect(out.split('\n')).toHaveLength(5);
    expect(err).toBe('error: unknown package "cat"; known are ant, bee\n');
  });

  it.each([
    { args: ['-o', 'svg'], exit: 2, says: 'name a package with --package; known are ant, bee' },
    { args: ['-o', 'json', '-p', 'cat'], exit: 1, says: 'unknown package "cat"; known are ant, bee' },
    {
      args: ['-o', 'json', '-p', 'ant', '--installed', '9.0.0'],
      exit: 1,
      says: '--installed 9.0.0: unknown version; known are 1.0.0',
    },
    { args: ['--installed', '1.0.0'], exit: 2, says: '--installed is for -o svg and -o json' },
    {
      args: ['-o', 'svg', '--minimum-edge', 'x'],
      exit: 2,
      says: '--minimum-edge and --draw-v0-semantics are for -o mermaid',
    },
  ])('exits $exit: $says', async ({ args, exit: code, says }) => {
    write({ 'c.json': two.join('\n') });
    const { out, err, exit } = await graph(...args);
    expect({ out, exit }).toEqual({ out: '', exit: code });
    expect(err).toContain(says);
  });
});

describe('catalog graph -o json and svg', () => {
  const LINE = [
    '{"schema":"olm.package","name":"ant","defaultChannel":"stable"}',
    '{"schema":"olm.channel","package":"ant","name":"stable","entries":[{"name":"ant.v1.0.0"},{"name":"ant.v1.1.0","replaces":"ant.v1.0.0"}]}',
    ...['1.0.0', '1.1.0'].map(
      (version) =>
        `{"schema":"olm.bundle","name":"ant.v${version}","package":"ant","image":"registry.example/ant:${version}","properties":[{"type":"olm.package","value":{"packageName":"ant","version":"${version}"}}]}`,
    ),
  ].join('\n');

  it('gives nodes with marks and edges with kinds, of the only package', async () => {
    write({ 'c.json': LINE });
    const { out, err, exit } = await graph('-o', 'json', '--installed', '1.0.0');
    expect({ err, exit }).toEqual({ err: '', exit: 0 });
    expect(JSON.parse(out)).toEqual({
      package: 'ant',
      defaultChannel: 'stable',
      installed: 'ant.v1.0.0',
      channels: [
        {
          name: 'stable',
          default: true,
          entries: [
            { name: 'ant.v1.1.0', version: '1.1.0', marks: ['newest', 'reachable'] },
            { name: 'ant.v1.0.0', version: '1.0.0', marks: ['installed'] },
          ],
          edges: [{ from: 'ant.v1.0.0', to: 'ant.v1.1.0', kind: 'replaces', taken: true }],
        },
      ],
    });
  });

  it('draws a picture', async () => {
    write({ 'c.json': LINE });
    const { out, exit } = await graph('-p', 'ant', '-o', 'svg');
    expect(exit).toBe(0);
    expect(out).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [\s\S]+<\/svg>\n$/);
  });

  it('refuses a picture that is too large to read', async () => {
    const names = Array.from({ length: 220 }, (_, k) => `ant.v1.${k}.0`);
    const entries = names.map((name, k) => ({ name, skipRange: `>=1.0.0 <1.${k}.0` }));
    const bundles = names.map((name, k) => ({
      ...{ schema: 'olm.bundle', name, package: 'ant', image: 'registry.example/ant:v1' },
      properties: [{ type: 'olm.package', value: { packageName: 'ant', version: `1.${k}.0` } }],
    }));
    const blobs = [
      { schema: 'olm.package', name: 'ant', defaultChannel: 'stable' },
      { schema: 'olm.channel', name: 'stable', package: 'ant', entries },
      ...bundles,
    ];
    write({ 'c.json': blobs.map((blob) => JSON.stringify(blob)).join('\n') });
    const { out, err, exit } = await graph('-o', 'svg');
    expect({ out, exit }).toEqual({ out: '', exit: 2 });
    expect(err).toContain('package "ant" has 24090 edges; a picture can have at most 20000; use -o json');
  });
});
