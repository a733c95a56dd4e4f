import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { loadCatalog } from '../load/load-catalog.js';
import { renderCatalog } from './render-catalog.js';
import { catalogToJson, catalogToYaml } from './write-catalog.js';

// What the real opm wrote for the packages of a public catalog: size and digest of every byte.
const ROOT = join(import.meta.dirname, '../../../../..');
const REAL = join(PUBLIC_DATA, 'data/catalogs/v4.20');

type Written = { bytes: number; sha256: string };
type RealPackage = { package: string; renderJson: Written; renderYaml: Written };
const expected = readFileSync(join(ROOT, 'test/vectors/fbc/real-catalogs-v4.20.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as RealPackage);

const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));

const written = (text: string): Written => ({
  bytes: Buffer.byteLength(text),
  sha256: createHash('sha256').update(text).digest('hex'),
});

describe('the sample catalogs', () => {
  it.each(['v1', 'v2'])('%s comes out as JSON and YAML, and what is written is read and written alike', (edition) => {
    const catalog = renderCatalog(loadCatalog(filesOf(join(ROOT, 'examples/catalogs', edition))), 'none');
    const again = (path: string, text: string) => loadCatalog([{ path, bytes: new TextEncoder().encode(text) }]);
    const [json, yaml] = [catalogToJson(catalog), catalogToYaml(catalog)];
    expect(catalogToJson(again('a.json', json))).toBe(json);
    expect(catalogToJson(again('a.yaml', yaml))).toBe(json);
    expect(catalogToYaml(again('a.json', json))).toBe(yaml);
  });
});

const OPM = 'the real catalog v4.20 comes out byte by byte as opm writes it';
describe(OPM, needing(publicData('data/catalogs/v4.20')), () => {
  it.each(expected)('$package', (want) => {
    const catalog = renderCatalog(loadCatalog(filesOf(join(REAL, want.package))), 'none');
    expect(written(catalogToJson(catalog))).toEqual(want.renderJson);
    expect(written(catalogToYaml(catalog))).toEqual(want.renderYaml);
  });
});
