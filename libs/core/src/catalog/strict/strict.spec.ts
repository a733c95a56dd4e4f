import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needing, PUBLIC_DATA, publicData } from '#testing/report/needs';
import { fileInMemory } from '../read/catalog-file.js';
import { decodeCatalogBlob } from '../read/decode-blob.js';
import { readBlobs } from '../read/read-blobs.js';
import { type PlacedWarning, StrictValidator } from './strict-validator.js';

const encode = (files: Record<string, string>) =>
  Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));

function warningsOf(files: readonly { path: string; bytes: Uint8Array }[]): PlacedWarning[] {
  const validator = new StrictValidator();
  for (const blob of readBlobs(files.map(fileInMemory))) validator.take(blob, decodeCatalogBlob(blob));
  return validator.warnings();
}

const warningsIn = (files: Record<string, string>) => warningsOf(encode(files));

const bundle = (properties: unknown[], more: object = {}) =>
  JSON.stringify({
    schema: 'olm.bundle',
    name: 'ant.v1.0.0',
    package: 'ant',
    image: 'registry.example/ant:v1',
    properties: [{ type: 'olm.package', value: { packageName: 'ant', version: '1.0.0' } }, ...properties],
    ...more,
  });

/** Message and advice for one property beside olm.package; notes are not wanted. */
const about = (type: string, value?: unknown) =>
  warningsIn({ 'c.json': bundle([{ type, value }]) })
    .filter(({ severity }) => severity === 'warning')
    .map(({ message, advice }) => `${message} (${advice})`);

const GVK = '{group: <group>, version: <version>, kind: <Kind>}';
const RANGE_FORM = '{packageName: <name>, versionRange: ">=1.0.0 <2.0.0"}';

describe('strict rules for properties', () => {
  it.each([
    { type: 'olm.gvk', value: { group: 'x.test', version: 'v1', kind: 'Thing' }, because: 'a good API' },
    {
      type: 'olm.gvk.required',
      value: { Group: 'x.test', Version: 'v1', Kind: 'Thing' },
      because: 'names in any case',
    },
    { type: 'olm.package.required', value: { packageName: 'bee', versionRange: '>=1.0.0 <2.0.0 || 3.0.0' } },
    { type: 'olm.maxOpenShiftVersion', value: '4.20', because: 'a minor version as text' },
    { type: 'example.com/thing', value: { any: 'thing' }, because: 'types of others are theirs' },
    { type: 'olm.label', value: { label: 'x' } },
    { type: 'olm.constraint', value: { cel: { rule: "properties.exists(p, p.type == 'a')" } } },
    {
      type: 'olm.constraint',
      value: {
        failureMessage: 'need one of them',
        any: {
          constraints: [
            { package: { packageName: 'a', versionRange: '>1.0.0' } },
            { gvk: { group: 'x.test', version: 'v1', kind: 'X' } },
          ],
        },
      },
    },
    {
      type: 'olm.constraint',
      value: {
        all: {
          constraints: [
            { package: { packageName: 'a', versionRange: '>1.0.0' } },
            { package: { packageName: 'a', versionRange: '<2.0.0' } },
          ],
        },
      },
      because: 'one package twice can be met',
    },
  ])('let pass $type $value: $because', ({ type, value }) => {
    expect(about(type, value)).toEqual([]);
  });

  it.each([
    { type: 'olm.gvk', value: { group: '', version: 'v1', kind: 'T' }, says: `group missing or empty (write ${GVK})` },
    { type: 'olm.gvk.required', value: {}, says: `group, version, kind missing or empty (write ${GVK})` },
    {
      type: 'olm.gvk.required',
      value: { apiVersion: 'x/v1', kind: 'T' },
      says: `OLM does not know "apiVersion" (write ${GVK})`,
    },
    {
      type: 'olm.gvk',
      value: { group: 'X_y', version: 'v1', kind: 'T' },
      says: 'group "X_y" is not possible in Kubernetes',
    },
    {
      type: 'olm.gvk',
      value: { group: 'x', version: '1', kind: 'T' },
      says: 'version "1" is not possible in Kubernetes',
    },
    {
      type: 'olm.gvk',
      value: { group: 'x', version: 'v1', kind: 'things.x' },
      says: 'kind "things.x" is not possible in Kubernetes',
    },
    {
      type: 'olm.package.required',
      value: { packageName: 'bee', versionRange: '^1.0' },
      says: 'versionRange "^1.0" cannot be read: ',
    },
    {
      type: 'olm.package.required',
      value: { packageName: 'bee' },
      says: `versionRange missing or empty (write ${RANGE_FORM})`,
    },
    {
      type: 'olm.package.required',
      value: { packageName: 'bee', version: '>1.0.0' },
      says: `OLM does not know "version" (write ${RANGE_FORM})`,
    },
    {
      type: 'olm.maxOpenShiftVersion',
      value: 4.1,
      says: '4.1 is a number, so that 4.10 would be 4.1 (write a text such as "4.20")',
    },
    { type: 'olm.maxOpenShiftVersion', value: '4.20.1', says: '"4.20.1" is not <major>.<minor>' },
    { type: 'olm.gvk.require', value: {}, says: 'OLM knows no property of this type (write "olm.gvk.required")' },
    { type: 'olm.skipRange', value: '<1.0.0', says: 'put edges into the entries of olm.channel' },
    { type: 'olm.something.else', value: 1, says: 'name yours after your domain' },
    { type: 'olm.label.required', value: { name: 'x' }, says: 'OLM does not know "name" (write {label: <text>})' },
  ])('$type: $says', ({ type, value, says }) => {
    const found = about(type, value);
    expect(found).toHaveLength(1);
    expect(found[0]?.startsWith(`properties[1] (${type}): `)).toBe(true);
    expect(found[0]).toContain(says);
  });

  const one = { gvk: { group: 'x.test', version: 'v1', kind: 'X' } };
  it.each([
    {
      value: { package: { name: 'bee', version: '>1.0.0' } },
      says: 'value.package: OLM does not know "name", "version" (write package: {packageName: <name>, versionRange: ">=1.0.0 <2.0.0"})',
    },
    { value: { package: { packageName: 'bee' } }, says: 'value.package: a field is missing or empty' },
    {
      value: { package: { packageName: 'bee', versionRange: 'x' } },
      says: '(write the versionRange for example as ">=1.0.0 <2.0.0")',
    },
    { value: { cel: 'true' }, says: 'value.cel: is not an object (write cel: {rule: <expression>})' },
    { value: { cel: { rule: 'properties +' } }, says: 'failed to compile cel rule' },
    { value: { cel: { rule: '1 + 1' } }, says: 'must have type Bool' },
    {
      value: { all: [one] },
      says: 'value.all: is not a list of constraints (write all: {constraints: [<constraint>, …]})',
    },
    {
      value: { any: { constraints: [one, { package: { name: 'x' } }] } },
      says: 'value.any.constraints[1].package: OLM does not know "name"',
    },
    {
      value: { all: { constraints: [{ type: 'olm.gvk', value: one.gvk }] } },
      says: 'value.all.constraints[0]: constraints are not written as properties (write gvk: {group: <group>, version: <version>, kind: <kind>}, without type, value or property around it)',
    },
    { value: { property: { type: 'olm.package', value: {} } }, says: 'write package: {packageName: <name>' },
    { value: { gvk: one.gvk, cel: { rule: 'true' } }, says: 'value: only one of gvk, cel counts' },
    { value: {}, says: 'constraint is empty' },
    { value: { failuremessages: 'x', ...one }, says: 'unknown field "failuremessages"' },
    { value: { any: { constraints: [] } }, says: 'no bundle can meet this constraint' },
    {
      value: {
        all: {
          constraints: [
            { package: { packageName: 'a', versionRange: '>1.0.0' } },
            {
              any: {
                constraints: [
                  { package: { packageName: 'b', versionRange: '>1.0.0' } },
                  { all: { constraints: [{ package: { packageName: 'c', versionRange: '>1.0.0' } }] } },
                ],
              },
            },
          ],
        },
      },
      says: 'no bundle can meet this constraint: OLM tests it on one bundle, and a bundle belongs to one package (for several dependencies write several olm.constraint properties',
    },
  ])('olm.constraint: $says', ({ value, says }) => {
    const found = about('olm.constraint', value);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(says);
  });

  it('never calls itself without end', () => {
    let value: object = one;
    for (let depth = 0; depth < 50; depth += 1) value = { not: { constraints: [value] } };
    expect(about('olm.constraint', value)).toEqual([]);
  });

  it('count those that a bundle has once', () => {
    const twice = [1, 2].map(() => ({ type: 'olm.csv.metadata', value: {} }));
    expect(warningsIn({ 'c.json': bundle(twice) }).map(({ message }) => message)).toEqual([
      'has 2 olm.csv.metadata properties: a catalog with two cannot be served over gRPC',
    ]);
  });
});

describe('strict rules for the catalog', () => {
  const needs = (name: string, version: string) =>
    bundle([{ type: 'olm.package.required', value: { packageName: 'bee', versionRange: '>=2.0.0' } }], {
      name,
      image: `registry.example/ant:v${version}`,
    });

  it('note a dependency that nothing here provides, once a package', () => {
    const found = warningsIn({
      'c.json': ['ant.v1.0.0', 'ant.v1.1.0', 'ant.v1.2.0'].map((name) => needs(name, '1')).join('\n'),
    });
    expect(found.map(({ severity, place, message }) => ({ severity, place, message }))).toEqual([
      {
        severity: 'note',
        place: 'c.json:1',
        message:
          'properties[1] (olm.package.required): no bundle in this catalog for "with package: bee and with version in range: >=2.0.0"; the same in 2 more bundles of the package',
      },
    ]);
  });

  it('say nothing where another bundle provides it', () => {
    const bee = JSON.stringify({
      schema: 'olm.bundle',
      name: 'bee.v2.1.0',
      package: 'bee',
      image: 'registry.example/bee:v2',
      properties: [{ type: 'olm.package', value: { packageName: 'bee', version: '2.1.0' } }],
    });
    expect(warningsIn({ 'a.json': needs('ant.v1.0.0', '1'), 'b.json': bee })).toEqual([]);
  });

  it('warn of an all whose parts are in different bundles, as if it were a list of dependencies', () => {
    const blue = { package: { packageName: 'blue', versionRange: '>=1.0.0' } };
    const green = { gvk: { group: 'greens.example.com', version: 'v1', kind: 'Green' } };
    const constraint = { type: 'olm.constraint', value: { all: { constraints: [blue, green] } } };
    const provider = (name: string, properties: unknown[]) =>
      JSON.stringify({ schema: 'olm.bundle', name, package: name, image: `registry.example/${name}`, properties });
    const blues = provider('blue', [{ type: 'olm.package', value: { packageName: 'blue', version: '1.0.0' } }]);
    const greens = provider('green', [{ type: 'olm.gvk', value: green.gvk }]);
    const warned = (...providers: string[]) =>
      warningsIn({ 'c.json': [bundle([constraint]), ...providers].join('\n') }).map(
        ({ severity, message }) => `${severity} ${message}`,
      );
    expect(warned(blues, greens)).toEqual([
      'warning properties[1] (olm.constraint): no bundle in this catalog meets all parts of it, and OLM tests it on one bundle',
    ]);
    // Where a part is nowhere, another catalog may have a bundle that is both.
    expect(warned(blues)).toEqual([
      'note properties[1] (olm.constraint): no bundle in this catalog for "with package: blue and with version in range: >=1.0.0 and providing an API with group: greens.example.com, version: v1, kind: Green"',
    ]);
  });

  it.each([
    {
      text: 'schema: olm.bundle\nname: a\nproperties: [{type: olm.constraint, value: {cel: {rule: "true"}}, all: {}}]',
      says: 'properties[0].all: opm does not know this field and drops it (indent it: "all" belongs in "value")',
    },
    { text: 'schema: olm.bundles\nname: x', says: 'OLM knows no schema "olm.bundles" (write "olm.bundle")' },
    { text: 'schema: olm.deprecation\npackage: a', says: '(write "olm.deprecations")' },
    { text: 'schema: olm.other', says: 'its schemas are olm.package, olm.channel, olm.bundle, olm.deprecations' },
    { text: 'schema: example.io/x', says: 'a catalog with schema "example.io/x" cannot be served over gRPC' },
    { text: 'schema: x.y\npackage: a/b', says: 'a catalog with package "a/b" cannot be served over gRPC' },
    {
      text: 'schema: olm.channel\npackage: a\nname: c\nentries: [{name: x, replace: y}]',
      says: 'entries[0].replace: opm does not know this field and drops it (write "replaces")',
    },
    {
      text: 'schema: olm.package\nname: a\ndefault_channel: x',
      says: 'default_channel: opm does not know this field and drops it (write "defaultChannel")',
    },
    {
      text: 'schema: olm.bundle\nname: a\nproperties: [{property: {type: x, value: y}}]',
      says: 'properties[0].property: opm does not know this field and drops it (write each item as {type: <type>, value: <value>}, without "property:" around it)',
    },
    {
      text: 'schema: olm.bundle\nname: a\nproperties: [{type: "", value: null}]',
      says: 'properties[0] (): has no type: no rule ever matches it (write each item as {type: <type>, value: <value>}, without "property:" around it)',
    },
    {
      text: 'schema: olm.bundle\nname: a\nversion: 1',
      says: 'fields here are schema, name, package, image, properties, relatedImages',
    },
    { text: 'schema: x.y\npackage: ""', says: 'package: is empty' },
    { text: 'schema: x.y\nproperties: [{type: "", value: 1}]', says: 'properties[0]: type is missing or empty' },
    { text: 'schema: x.y\nproperties: [{value: 1}]', says: 'properties[0]: type is missing or empty' },
    { text: 'schema: x.y\nproperties: {type: a}', says: 'properties: is not a list' },
    {
      text: 'schema: olm.bundle\nname: a\nproperties: [{type: x.y, value: null}]',
      says: 'properties[0]: value is missing or null',
    },
    {
      text: 'schema: olm.bundle\nname: a\nrelatedImages: [{name: x, image: ""}]',
      says: 'relatedImages[0]: image is missing or empty',
    },
    {
      text: 'schema: olm.channel\npackage: a\nname: c\nentries: [{name: x, replaces: ""}]',
      says: 'entries[0].replaces: is empty',
    },
    {
      text: 'schema: olm.channel\npackage: a\nname: c\nentries: [{name: x, skipRange: ""}]',
      says: 'entries[0].skipRange: is empty',
    },
    {
      text: 'schema: olm.channel\npackage: a\nname: c\nentries: [{name: x, skips: [""]}]',
      says: 'entries[0].skips[0]: is empty',
    },
    { text: 'schema: olm.package\nname: a\nicon: {base64data: aGk=}', says: 'icon: mediatype is missing or empty' },
    {
      text: 'schema: olm.package\nname: a\nicon: {base64data: aGk=, mediatype: text/plain}',
      says: 'icon: mediatype is not an image type',
    },
    { text: 'schema: olm.deprecations\npackage: a\nentries: []', says: 'entries are empty: nothing is deprecated' },
    {
      text: 'schema: olm.deprecations\npackage: a\nentries: [{reference: {schema: olm.bundle, name: x}, message: " "}]',
      says: 'entries[0] (olm.bundle x): the message is blank',
    },
    {
      text: 'schema: olm.deprecations\npackage: a\nentries: [{reference: {schema: olm.channel, name: old}, message: m}]\n---\nschema: olm.package\nname: a\ndefaultChannel: old',
      says: 'the default channel "old" is deprecated',
    },
  ])('$says', ({ text, says }) => {
    const found = warningsIn({ 'd/c.yaml': `schema: x.first\n---\n${text}\n` }).filter(({ message, advice }) =>
      `${message} (${advice})`.includes(says),
    );
    expect(found.map(({ place, severity }) => `${severity} ${place}`)).toEqual(['warning d/c.yaml:3']);
  });

  it('name each blob by its line, and pass over what .indexignore hides', () => {
    const bad = 'schema: olm.channel\npackage: a\nname: NAME\nentry: []\n';
    const files = {
      '.indexignore': 'hidden.yaml\n',
      'hidden.yaml': bad,
      'z.yaml': `${bad.replace('NAME', 'one')}---\n${bad.replace('NAME', 'two')}`,
      'a.json': '{"schema":"x"}\n{"schema":"olm.channel","name":"c","package":"a","skip":[]}\n',
    };
    expect(warningsIn(files).map(({ place, name }) => `${place} ${name}`)).toEqual([
      'a.json:2 c',
      'z.yaml:1 one',
      'z.yaml:6 two',
    ]);
  });
});

const filesOf = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path: relative(directory, path), bytes: readFileSync(path) }));

describe('the sample catalogs', () => {
  it.each(['v1', 'v2'])('%s has nothing to warn of', (edition) => {
    const found = warningsOf(filesOf(join(import.meta.dirname, '../../../../../examples/catalogs', edition)));
    expect(found.filter(({ severity }) => severity === 'warning')).toEqual([]);
  });
});

describe('the real catalog v4.20', needing(publicData('data/catalogs/v4.20')), () => {
  it('has nothing to warn of; what it lacks comes from another catalog', () => {
    const found = warningsOf(filesOf(join(PUBLIC_DATA, 'data/catalogs/v4.20')));
    expect(found.filter(({ severity }) => severity === 'warning')).toEqual([]);
    expect(new Set(found.map((warning) => warning.package))).toContain('alloydb-omni-operator');
  });
});
