import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../model/catalog.js';
import { CatalogLoadError } from '../model/catalog-load.error.js';
import { validateCatalog } from '../validate/validate-catalog.js';
import { catalogToJson, catalogToYaml } from '../write/write-catalog.js';
import { loadCatalog } from './load-catalog.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

const load = (bytes: Uint8Array): Catalog => loadCatalog([{ path: 'c', bytes }]);
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The catalog, or undefined where it is refused in the one way there is. */
function loaded(bytes: Uint8Array): Catalog | undefined {
  try {
    return load(bytes);
  } catch (error) {
    if (error instanceof CatalogLoadError) return;
    throw error;
  }
}

const keys = fc.constantFrom(
  ...[
    'schema',
    'name',
    'package',
    'entries',
    'properties',
    'type',
    'value',
    'image',
    'relatedImages',
    'reference',
    'message',
  ],
  ...['__proto__', 'constructor', 'toString', 'Schema', 'NAME', 'skips', 'replaces', 'defaultChannel', 'icon', ''],
);
const texts = fc.constantFrom(
  'olm.package',
  'olm.channel',
  'olm.bundle',
  'olm.deprecations',
  'olm.bundle.object',
  'a',
  '1.0.0',
  '',
  '__proto__',
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    texts,
    fc.constantFrom(null, true, 0, -1, 1.5, 1e300),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(keys, tie('value')), { maxLength: 6 }).map(asJsonObject),
  ),
})).value;

/** An object whose `__proto__` is a key like any other, as it is in JSON. */
function asJsonObject(entries: [string, unknown][]): unknown {
  const members = entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${members.join(',')}}`);
}

const blobs = fc
  .tuple(texts, fc.array(fc.tuple(keys, values), { maxLength: 6 }))
  .map(([schema, entries]) =>
    JSON.stringify(asJsonObject([['schema', schema], ['name', 'a'], ['package', 'a'], ...entries])),
  );
const blobTexts = fc.array(blobs, { maxLength: 4 }).map((all) => bytesOf(all.join('\n')));
/** Bytes of a real blob with some of them changed: broken UTF-8, broken JSON, broken YAML. */
const damaged = fc
  .tuple(blobTexts, fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 5 }))
  .map(([bytes, changes]) => {
    const copy = Uint8Array.from(bytes);
    for (const [at, byte] of changes) if (copy.length > 0) copy[at % copy.length] = byte;
    return copy;
  });
const anyBytes = fc.oneof(blobTexts, damaged, fc.uint8Array({ maxLength: 80 }));

describe(`catalogs, whatever they are (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('load and are judged, or are refused as unreadable', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const catalog = loaded(bytes);
        if (catalog !== undefined) expect(Array.isArray(validateCatalog(catalog))).toBe(true);
      }),
      { seed, numRuns: 400 },
    );
  });

  it.each([
    ['JSON', catalogToJson],
    ['YAML', catalogToYaml],
  ])('what was loaded and written as %s loads, and is written, the same', (_, write) => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const catalog = loaded(bytes);
        if (catalog === undefined) return;
        const once = write(catalog);
        expect(write(load(bytesOf(once)))).toBe(once);
      }),
      { seed, numRuns: 150 },
    );
  });

  it('leave the prototypes of all objects alone', () => {
    const before = Reflect.ownKeys(Object.prototype);
    fc.assert(
      fc.property(values, (value) => {
        const blob = { schema: 'olm.package', name: 'a', properties: [{ type: '__proto__', value }] };
        const hostile = JSON.stringify(blob).replace('{', '{"__proto__":{"polluted":true},');
        loaded(bytesOf(hostile));
        expect(Reflect.get({}, 'polluted')).toBeUndefined();
      }),
      { seed, numRuns: 150 },
    );
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before);
  });
});

describe('keys of prototypes are names like others', () => {
  const blob = (name: string) => ({ schema: 'olm.package', name, defaultChannel: 'constructor' });
  it.each(['__proto__', 'constructor', 'toString'])('package %s', (name) => {
    const text = `${JSON.stringify(blob(name))}\n${JSON.stringify({ schema: 'olm.channel', package: name, name: 'constructor', entries: [{ name: '__proto__' }] })}`;
    const catalog = load(bytesOf(text));
    expect(catalog.packages).toEqual([blob(name)]);
    expect(catalog.channels).toMatchObject([{ package: name, entries: [{ name: '__proto__' }] }]);
  });
});
