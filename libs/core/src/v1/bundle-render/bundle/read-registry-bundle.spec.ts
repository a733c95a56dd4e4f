import { describe, expect, it } from 'vitest';
import { BUNDLE_LIMITS } from '../../../catalog/bundle/read-bundle.js';
import { annotationsFile, crd, csv, file } from '../sample-bundle.fixture.js';
import { readRegistryBundle } from './read-registry-bundle.js';

const service = (name: string) => ({ apiVersion: 'v1', kind: 'Service', metadata: { name } });
const read = (...files: Parameters<typeof readRegistryBundle>[0]) => readRegistryBundle(files);

describe('reading a bundle for OLM v1', () => {
  it('takes every document of every file, lists too', () => {
    const list = { apiVersion: 'v1', kind: 'List', items: [service('c'), { kind: 'List', items: [service('d')] }] };
    const untyped = { apiVersion: 'v1', kind: 'ServiceList', items: [{ metadata: { name: 'e' } }] };
    const result = read(
      annotationsFile,
      file('manifests/csv.yaml', csv()),
      file('manifests/b.yaml', service('b'), '', crd('wheels.parts.example.org')),
      file('manifests/a.json', service('a')),
      file('manifests/c.yaml', list, untyped),
    );
    if ('error' in result) throw new Error(result.error);
    expect(result.packageName).toBe('gear');
    expect(result.crds.map(({ metadata }) => metadata.name)).toEqual(['wheels.parts.example.org']);
    expect(result.others.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual(
      ['a', 'b', 'c', 'd', 'e'].map((name) => `Service ${name}`),
    );
  });

  it('takes the last of several CSVs', () => {
    const named = (name: string) => ({ ...csv(), metadata: { name } });
    const result = read(
      annotationsFile,
      file('manifests/a.yaml', named('one')),
      file('manifests/b.yaml', named('two')),
    );
    expect(result).toMatchObject({ csv: { metadata: { name: 'two' } }, others: [] });
  });

  const manifest = file('manifests/csv.yaml', csv());
  it.each([
    { files: [manifest], says: 'open metadata/annotations.yaml: no such file or directory' },
    { files: [annotationsFile], says: 'stat manifests: no such file or directory' },
    {
      files: [annotationsFile, file('manifests/a.yaml', service('a'))],
      says: 'no ClusterServiceVersion found in "manifests"',
    },
    {
      files: [annotationsFile, manifest, file('manifests/more/deep/a.yaml', service('a'))],
      says: 'subdirectories are not allowed within the "manifests" directory of the bundle image filesystem: found "manifests/more"',
    },
    {
      files: [annotationsFile, file('manifests/a.yaml', { metadata: {} })],
      says: `error parsing objects in "manifests/a.yaml": unable to decode "manifests/a.yaml": Object 'Kind' is missing in '{"metadata":{}}'`,
    },
    {
      files: [annotationsFile, file('manifests/a.yaml', 'a: b: c')],
      says: 'error parsing objects in "manifests/a.yaml": error parsing manifests/a.yaml: error converting YAML to JSON: yaml: line 1: ',
    },
    {
      files: [annotationsFile, file('manifests/a.yaml', { ...csv(), spec: { minKubeVersion: 1.25 } })],
      says: 'ClusterServiceVersion: spec.minKubeVersion is the number 1.25; a text is expected: quote it',
    },
    {
      files: [annotationsFile, file('manifests/a.yaml', { ...csv(), spec: { version: 'one' } })],
      says: 'ClusterServiceVersion: spec.version is ',
    },
    {
      files: [annotationsFile, file('manifests/a.yaml', { ...csv(), spec: { installModes: 'all' } })],
      says: 'error parsing objects in "manifests/a.yaml": ClusterServiceVersion: spec.installModes is a text; a list is expected',
    },
    {
      files: [
        annotationsFile,
        manifest,
        ...Array.from({ length: BUNDLE_LIMITS.files }, (_, i) => file(`manifests/${i}`)),
      ],
      says: 'bundle of 5002 files',
    },
  ])('refuses: $says', ({ files, says }) => {
    const result = readRegistryBundle(files);
    expect(result).toMatchObject({ reason: 'Retrying', error: expect.stringContaining(says) });
  });

  it('does not follow lists without end', () => {
    let nested: object = service('a');
    for (let depth = 0; depth < 30; depth++) nested = { kind: 'List', apiVersion: 'v1', items: [nested] };
    expect(read(annotationsFile, file('manifests/a.yaml', nested))).toMatchObject({
      error: expect.stringContaining('lists nest more than 16 levels'),
    });
  });
});

describe('properties', () => {
  const max = { type: 'olm.maxOpenShiftVersion', value: '4.20' };
  const properties = (list: unknown) => file('metadata/properties.yaml', { properties: list });
  const annotation = (...files: Parameters<typeof readRegistryBundle>[0]) => {
    const result = read(annotationsFile, ...files);
    return 'error' in result ? result.error : result.csv.metadata.annotations['olm.properties'];
  };
  const plain = file('manifests/csv.yaml', csv());
  const annotated = (text: string) => file('manifests/csv.yaml', csv({}, {}, { 'olm.properties': text }));

  it.each([
    { files: [plain], is: undefined, because: 'there are none' },
    { files: [annotated('[ ]')], is: '[ ]', because: 'without the file the annotation stays as it is' },
    { files: [plain, properties([max])], is: JSON.stringify([max]), because: 'those of the file' },
    {
      files: [
        annotated('[{"type":"a","value":{"z":1,"b":"<"}}]'),
        properties([{ value: { z: 1, b: 2 }, type: 'own' }]),
      ],
      is: '[{"type":"a","value":{"z":1,"b":"\\u003c"}},{"type":"own","value":{"b":2,"z":1}}]',
      because: "the CSV's own come first, and values of YAML have sorted keys",
    },
    {
      files: [annotated('[{"type":"a","value":[1.50,1E3,-0.0]}]'), properties([max])],
      is: '[{"type":"a","value":[1.50,1E3,-0.0]},{"type":"olm.maxOpenShiftVersion","value":"4.20"}]',
      because: 'numbers of the CSV keep their form',
    },
    { files: [plain, file('metadata/properties.yaml')], is: undefined, because: 'an empty file says nothing' },
    { files: [plain, file('metadata/properties.yaml', '# none')], is: 'null', because: 'no list is null in Go' },
    {
      files: [annotated('no JSON')],
      is: "failed to unmarshal csv.metadata.annotations['olm.properties']: it is not a JSON list of properties {type, value}",
      because: 'what is written there must be readable',
    },
    {
      files: [plain, properties('all')],
      is: 'failed to unmarshal metadata/properties.yaml: it needs a list "properties" of {type, value}',
      because: 'so must the file',
    },
  ])('$is: $because', ({ files, is }) => {
    expect(annotation(...files)).toBe(is);
  });
});
