import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../kernel/text/any-text.fixture.js';
import { loadCatalog } from './load/load-catalog.js';
import type { Catalog } from './model/catalog.js';
import { CatalogLoadError } from './model/catalog-load.error.js';
import { opmText } from './validate/catalog-problem.js';
import { validateCatalog } from './validate/validate-catalog.js';
import { catalogToJson, catalogToYaml } from './write/write-catalog.js';

const load = (text: string) => loadCatalog([{ path: 'c', bytes: new TextEncoder().encode(text) }]);
const empty: Catalog = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };

/** Texts that need care when written as YAML, more often than chance would give them. */
const words = fc.oneof(
  anyText({ maxLength: 30 }),
  fc.constantFrom(
    'yes',
    '010',
    '1e3',
    '2024-01-31',
    '12:30',
    '~',
    '<<',
    '---',
    '- a',
    'a: b',
    'a #b',
    ' a',
    'a ',
    "it's",
  ),
  fc.constantFrom(
    'a\n',
    'a\n\n',
    '\n',
    ' a\n b',
    'a\n b\n',
    'a \nb',
    'a\tb',
    '\u{1F600}',
    '\u2028',
    '#',
    '? a',
    '=',
    '|',
  ),
  fc
    .array(fc.constantFrom('word', 'x', ' ', '  ', "'", ':', '"'), { minLength: 40, maxLength: 80 })
    .map((list) => list.join(' ')),
);
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    words,
    fc.boolean(),
    fc.constant(null),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(words, tie('value'), { maxKeys: 4 }),
  ),
})).value;

describe('what is written is read back the same', () => {
  const others = fc.array(
    values.map((value) => ({ schema: 'example.io', value })),
    { maxLength: 3 },
  );
  it.each([
    ['JSON', catalogToJson],
    ['YAML', catalogToYaml],
  ])('%s', (_, write) => {
    fc.assert(
      fc.property(others, (blobs) => {
        expect(load(write({ ...empty, others: blobs })).others).toEqual(blobs);
      }),
      { numRuns: 250 },
    );
  });
});

describe('whatever the text', () => {
  const lines = fc.constantFrom(
    ...['schema: olm.package', 'schema: olm.channel', 'schema: olm.bundle', 'schema: olm.deprecations', 'schema: x'],
    ...[
      'name: a',
      'package: a',
      'defaultChannel: a',
      'image: a/b',
      'entries:',
      '- name: a',
      '  replaces: b',
      '  skips: [a]',
    ],
    ...['properties:', '- type: olm.package', '  value: {packageName: a, version: 1.0.0}', '- type: olm.bundle.object'],
    ...[
      '  value: {data: e30=}',
      '  value: 3',
      '- reference: {schema: olm.bundle, name: a}',
      '  message: ""',
      '---',
      'a: &a',
    ],
    ...[
      '<<: *a',
      '? {',
      '{"schema": "x"}',
      '{"schema": "olm.package"',
      '}',
      '"',
      "'",
      '[',
      ']',
      '\t',
      '!!binary x',
      '.inf: .inf',
    ],
  );
  const texts = fc.oneof(
    fc.array(lines, { maxLength: 25 }).map((list) => list.join('\n')),
    anyText(),
  );

  it('a catalog loads and is judged, or is refused with the place', () => {
    fc.assert(
      fc.property(texts, (text) => {
        try {
          const problems = validateCatalog(load(text));
          expect(opmText(problems) === undefined).toBe(problems.length === 0);
        } catch (error) {
          if (!(error instanceof CatalogLoadError)) throw error;
          expect(error.path).toBe('c');
          expect(error.line).toBeGreaterThan(0);
        }
      }),
      { numRuns: 800 },
    );
  });
});
