import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { channelHeads } from '../model/channel-graph.js';
import { ignoreMatcher } from '../read/index-ignore.js';
import { opmText } from '../validate/catalog-problem.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { loadCatalog } from './load-catalog.js';

// What the real opm answered to the same catalogs; test/vectors/fbc/README.md says how.
const ROOT = join(import.meta.dirname, '../../../../..');
const lines = <T>(file: string): T[] =>
  readFileSync(join(ROOT, 'test/vectors/fbc', file), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);

type Ignore = { id: string; ignores: Record<string, string>; ignored: Record<string, boolean> };
describe('.indexignore', () => {
  it.each(lines<Ignore>('indexignore.jsonl'))('$id', ({ ignores, ignored }) => {
    const isIgnored = ignoreMatcher(new Map(Object.entries(ignores)));
    const answers = Object.keys(ignored).map((path) => [path, isIgnored(path)]);
    expect(Object.fromEntries(answers)).toEqual(ignored);
  });
});

type Expectation = { passed: boolean; message?: string };
type Validate = {
  id: string;
  title: string;
  files: Record<string, string>;
  symlinks?: Record<string, string>;
  expect: Expectation;
  alsoSeen?: string[];
};

const encode = (files: Record<string, string>) =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));

function answer(files: Record<string, string>): string | undefined {
  try {
    return opmText(validateCatalog(loadCatalog(encode(files))));
  } catch (error) {
    return error instanceof Error && 'olmText' in error ? String(error.olmText) : `threw ${error}`;
  }
}

/** The wording of what a JSON or YAML parser says is its own. */
const PARSER = /json: |yaml: |error (converting|unmarshaling)|unexpected EOF|invalid character|illegal base64/;

/** Leaves of a tree of findings with their titles, as a set: opm prints branches in random order. */
function branches(text: string): string[] {
  const titles: string[] = [];
  return text
    .split('\n')
    .map((line) => {
      const depth = line.search(/[^│├└─ ]/) / 4;
      titles.length = depth;
      titles[depth] = line.replace(/^[│├└─ ]+/, '');
      return titles.join(' / ');
    })
    .sort();
}

describe('validate', () => {
  const cases = lines<Validate>('validate.jsonl').filter(({ symlinks }) => symlinks === undefined);
  it.each(cases)('$id $title', ({ files, expect: want, alsoSeen = [] }) => {
    const got = answer(files);
    if (want.message === undefined) {
      expect(got).toBeUndefined();
    } else if (PARSER.test(want.message)) {
      expect(got).toBeDefined();
      // The blob is named where opm names it: all that stands before the parser's own words.
      const blob = want.message.slice(0, want.message.search(PARSER));
      expect(got?.startsWith(blob)).toBe(true);
    } else {
      const accepted = [want.message, ...alsoSeen].map(branches);
      expect(accepted).toContainEqual(branches(got ?? ''));
    }
  });
});

type Graph = {
  id: string;
  package: string;
  channel: string;
  entries: { name: string; replaces?: string; skips?: string[] }[];
  expect: { valid: boolean; head?: string; finding?: string };
};

describe('channel graph', () => {
  it.each(lines<Graph>('graph.jsonl'))('$id', ({ package: name, channel, entries, expect: want }) => {
    const bundles = entries.map((entry, k) => ({
      schema: 'olm.bundle' as const,
      name: entry.name,
      package: name,
      image: 'registry.example/bundle:v1',
      properties: [{ type: 'olm.package', value: { packageName: name, version: `1.${k}.0` } }],
      relatedImages: [],
      objects: [],
    }));
    const problems = validateCatalog({
      packages: [{ schema: 'olm.package', name, defaultChannel: channel }],
      channels: [{ schema: 'olm.channel', name: channel, package: name, entries }],
      bundles,
      deprecations: [],
      others: [],
    });
    expect(problems.map(({ finding }) => finding)).toEqual(want.finding === undefined ? [] : [want.finding]);
    if (want.valid) expect(channelHeads(entries)).toEqual([want.head]);
  });
});

type RealPackage = { package: string; valid: boolean; bundles: number; channelHeads: Record<string, string> };
const REAL = join(PUBLIC_DATA, 'data/catalogs/v4.20');
const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));

describe('the sample catalogs', () => {
  it.each(['v1', 'v2'])('%s is valid, and each package has one head', (edition) => {
    const catalog = loadCatalog(filesOf(join(ROOT, 'examples/catalogs', edition)));
    expect(validateCatalog(catalog)).toEqual([]);
    const heads = catalog.channels.map((channel) => [channel.package, channelHeads(channel.entries ?? []).join()]);
    const head = edition === 'v1' ? 'v1.0.0' : 'v1.2.0';
    const packages = ['harbor-operator', 'lighthouse-operator'];
    expect(heads).toEqual(packages.map((name) => [name, `${name}.${head}`]));
  });
});

describe('the real catalog v4.20', needing(publicData('data/catalogs/v4.20')), () => {
  const expected = lines<RealPackage>('real-catalogs-v4.20.jsonl');
  it.each(expected)('$package', (want) => {
    const catalog = loadCatalog(filesOf(join(REAL, want.package)));
    expect(validateCatalog(catalog)).toEqual([]);
    expect(catalog.bundles).toHaveLength(want.bundles);
    const heads = catalog.channels.map(({ name, entries }) => [name, channelHeads(entries ?? []).join()]);
    expect(Object.fromEntries(heads)).toEqual(want.channelHeads);
  });

  it('is valid as a whole', () => {
    expect(validateCatalog(loadCatalog(filesOf(REAL)))).toEqual([]);
  });
});
