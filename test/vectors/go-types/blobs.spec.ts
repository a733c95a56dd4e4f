import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#core/catalog/load/load-catalog';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import { validateCatalog } from '#core/catalog/validate/validate-catalog';
import { catalogToJson } from '#core/catalog/write/write-catalog';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { INPUTS, linesOf } from './inputs.js';

/** The catalog of scripts/go-types/blobs.go. */
const CATALOG: readonly Readonly<Record<string, unknown>>[] = [
  {
    schema: 'olm.package',
    name: 'a',
    defaultChannel: 'stable',
    description: 'd',
    icon: { base64data: 'PHN2Zy8+', mediatype: 'image/svg+xml' },
    properties: [{ type: 'x', value: 1 }],
  },
  {
    schema: 'olm.channel',
    package: 'a',
    name: 'stable',
    entries: [{ name: 'a.v1.0.0', replaces: 'a.v0.9.0', skips: ['a.v0.8.0'], skipRange: '<1.0.0' }],
    properties: [{ type: 'x', value: 1 }],
  },
  {
    schema: 'olm.bundle',
    package: 'a',
    name: 'a.v1.0.0',
    image: 'r.test/a:1',
    properties: [
      { type: 'olm.package', value: { packageName: 'a', version: '1.0.0' } },
      { type: 'olm.gvk', value: { group: 'g.test', kind: 'A', version: 'v1' } },
      { type: 'olm.gvk.required', value: { group: 'g.test', kind: 'B', version: 'v1' } },
      { type: 'olm.package.required', value: { packageName: 'b', versionRange: '>=1.0.0' } },
      { type: 'olm.csv.metadata', value: { displayName: 'A', provider: { name: 'p' } } },
      { type: 'x', value: 1 },
    ],
    relatedImages: [{ name: 'n', image: 'r.test/a:1' }],
  },
  {
    schema: 'olm.deprecations',
    package: 'a',
    entries: [{ reference: { schema: 'olm.bundle', name: 'a.v1.0.0' }, message: 'm' }],
  },
];

/** The codes of the Go program. */
const NOT_LOADED = 0;
const NOT_VALID = 1;
const ABSENT = 2;
type Outcome = number | readonly [unknown];

type Path = readonly (string | number)[];
type Line = readonly [blob: number, path: Path, absent: Outcome, ...given: Outcome[]];
const lines = linesOf<Line>('blobs.jsonl');

function outcomeOf(blob: number, path: Path, input: unknown): Outcome {
  const blobs = structuredClone(CATALOG);
  put(blobs[blob], path, input);
  const text = blobs.map((one) => JSON.stringify(one)).join('\n');
  try {
    const catalog = loadCatalog([{ path: 'a.json', bytes: new TextEncoder().encode(text) }]);
    if (validateCatalog(catalog).length > 0) return NOT_VALID;
    return written(catalogToJson(catalog), String(CATALOG[blob]?.['schema']), path);
  } catch (error) {
    if (error instanceof CatalogLoadError) return NOT_LOADED;
    throw error;
  }
}

const at = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], value);

function put(blob: unknown, path: Path, input: unknown): void {
  const parent = at(blob, path.slice(0, -1)) as Record<string, unknown>;
  const [last = ''] = path.slice(-1);
  if (input === undefined) delete parent[last];
  else parent[last] = input;
}

function written(text: string, schema: string, path: Path): Outcome {
  const blobs = text.split(/(?<=^})\n/m).filter((one) => one.trim() !== '');
  const found = blobs.map((one) => JSON.parse(one) as Record<string, unknown>).find((one) => one['schema'] === schema);
  const value = at(found, path);
  return value === undefined ? ABSENT : [value];
}

describe('the members of the blobs of a catalog', () => {
  it('are refused and written as by opm, whatever they hold', () => {
    const differing = lines.flatMap(([blob, path, ...outcomes]) =>
      [undefined, ...INPUTS].flatMap((input, index) => {
        const [opm, ours] = [outcomes[index], outcomeOf(blob, path, input)].map(canonicalJson);
        return opm === ours ? [] : [{ blob, path: path.join('.'), input: JSON.stringify(input), opm, ours }];
      }),
    );
    expect(differing).toEqual([]);
  });

  it('are all there', () => {
    expect(lines).toHaveLength(61);
  });
});
