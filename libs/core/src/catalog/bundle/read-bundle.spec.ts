import { describe, expect, it } from 'vitest';
import { BundleError } from './bundle.error.js';
import { BUNDLE_LIMITS, readBundle } from './read-bundle.js';
import { validateBundle } from './validate-bundle.js';

const files = (tree: Record<string, string>) =>
  Object.entries(tree).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) }));

const CSV = 'apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\nmetadata: {name: ant.v1.0.0}\n';
const NOTES = 'annotations:\n  operators.operatorframework.io.bundle.package.v1: ant\n';
const good = { 'manifests/csv.yaml': CSV, 'metadata/annotations.yaml': NOTES };
const service = (name: string) => `apiVersion: v1\nkind: Service\nmetadata: {name: ${name}}\n`;
const names = (tree: Record<string, string>) => readBundle(files(tree)).objects.map(({ metadata }) => metadata.name);

describe('readBundle', () => {
  it('keeps the order of file names, the CSV included', () => {
    const bundle = readBundle(files({ ...good, 'manifests/z.yaml': service('z'), 'manifests/a.yaml': service('a') }));
    expect(bundle.objects.map(({ metadata }) => metadata.name)).toEqual(['a', 'ant.v1.0.0', 'z']);
    expect(bundle.csv.metadata.name).toBe('ant.v1.0.0');
    expect(bundle.annotations).toEqual({ 'operators.operatorframework.io.bundle.package.v1': 'ant' });
    expect(bundle.warnings).toEqual([]);
  });

  it.each([
    { add: { 'manifests/.hidden.yaml': service('h') }, warns: [], because: 'hidden files do not count' },
    { add: { 'manifests/sub/a.yaml': service('a') }, warns: [], because: 'nor do sub-directories' },
    { add: { 'tests/a.yaml': service('a') }, warns: [], because: 'nor other directories' },
    { add: { 'manifests/a.yaml': 'a: [' }, warns: [/^manifests\/a\.yaml:1: skipped: /], because: 'broken YAML' },
    {
      add: { 'manifests/a.yaml': 'x: y\n' },
      warns: [/^manifests\/a\.yaml: skipped: not a Kubernetes/],
      because: 'no kind',
    },
    { add: { 'manifests/a.yaml': '' }, warns: [/^manifests\/a\.yaml: the file is empty/], because: 'nothing in it' },
    {
      add: { 'manifests/d.yaml': CSV.replace('ant.v1.0.0', 'ant.v2.0.0') },
      warns: [/^manifests\/d\.yaml: skipped: manifests\/csv\.yaml already has/],
      because: 'a second CSV',
    },
  ])('takes only the CSV: $because', ({ add, warns }) => {
    const bundle = readBundle(files({ ...good, ...add } as Record<string, string>));
    expect(bundle.objects.map(({ metadata }) => metadata.name)).toEqual(['ant.v1.0.0']);
    expect(bundle.warnings).toHaveLength(warns.length);
    for (const [index, pattern] of warns.entries()) expect(bundle.warnings[index]).toMatch(pattern);
  });

  it('uses the first document of a file and says so', () => {
    const bundle = readBundle(files({ ...good, 'manifests/a.yaml': `${service('one')}---\n${service('two')}` }));
    expect(bundle.objects.map(({ metadata }) => metadata.name)).toEqual(['one', 'ant.v1.0.0']);
    expect(bundle.warnings).toEqual(['manifests/a.yaml: only the first document is used']);
  });

  it('reads JSON manifests', () => {
    expect(
      names({ ...good, 'manifests/a.json': '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}' }),
    ).toContain('s');
  });

  it('finds the manifests where the annotations say', () => {
    const tree = {
      'metadata/annotations.yaml': `${NOTES}  operators.operatorframework.io.bundle.manifests.v1: deploy/\n`,
      'deploy/csv.yaml': CSV,
    };
    expect(names(tree)).toEqual(['ant.v1.0.0']);
  });

  it('knows the fields of metadata in any case', () => {
    const bundle = readBundle(
      files({
        ...good,
        'metadata/annotations.yaml': NOTES.replace('annotations:', 'Annotations:'),
        'metadata/b.yaml': 'Dependencies: [{type: x, value: 1}]\nPROPERTIES: [{type: z, value: 2}]\n',
      }),
    );
    expect(bundle).toMatchObject({ dependencies: [{ type: 'x', value: 1 }], properties: [{ type: 'z', value: 2 }] });
  });

  it('takes dependencies and properties from whatever file has them, and passes over a broken one', () => {
    const bundle = readBundle(
      files({
        ...good,
        'metadata/a.yaml': 'dependencies:\n- type: olm.gvk\n    value: {}\n',
        'metadata/b.yaml': 'dependencies:\n- {type: olm.package, value: {packageName: bee, version: ">=1.0.0"}}\n',
        'metadata/c.yaml': 'properties: [{type: olm.maxOpenShiftVersion, value: "4.19"}]\n',
      }),
    );
    expect(bundle.dependencies).toEqual([{ type: 'olm.package', value: { packageName: 'bee', version: '>=1.0.0' } }]);
    expect(bundle.properties).toEqual([{ type: 'olm.maxOpenShiftVersion', value: '4.19' }]);
    expect(bundle.warnings).toHaveLength(1);
  });

  it.each([
    { tree: {}, says: 'no bundle objects found' },
    { tree: { 'metadata/annotations.yaml': NOTES }, says: 'no bundle objects found' },
    { tree: { ...good, 'manifests/csv.yaml': service('s') }, says: 'no csv in bundle' },
    { tree: { 'manifests/csv.yaml': CSV }, says: 'Could not find annotations file' },
    {
      tree: { ...good, 'metadata/annotations.yaml': 'annotations: {other: x}\n' },
      says: 'Could not find annotations file',
    },
    {
      tree: { ...good, 'manifests/csv.yaml': `${CSV}spec: {customresourcedefinitions: {owned: [{name: things}]}}\n` },
      says: "error checking provided apis in bundle ant.v1.0.0: couldn't parse plural.group from crd name: things",
    },
    {
      tree: {
        ...good,
        'manifests/csv.yaml': `${CSV}spec: {customresourcedefinitions: {required: [{name: things}]}}\n`,
      },
      says: `get properties for bundle "ant.v1.0.0": get required apis: couldn't parse plural.group from crd name: things`,
    },
    {
      tree: {
        ...good,
        'manifests/csv.yaml': `${CSV}spec: {customresourcedefinitions: {owned: [{name: things.x.test, version: v2, kind: Thing}]}}\n`,
        'manifests/crd.yaml':
          'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.x.test}\nspec: {group: x.test, names: {kind: Thing, plural: things}, versions: [{name: v1}]}\n',
      },
      says: "couldn't find x.test/v2/Thing (things) in bundle. found: map[x.test/v1/Thing (things):{}]",
    },
  ])('refuses: $says', ({ tree, says }) => {
    const reading = () => readBundle(files(tree as Record<string, string>));
    expect(reading).toThrow(BundleError);
    expect(reading).toThrow(says);
  });

  it.each(['labels', 'annotations', 'namespace', 'finalizers', 'ownerReferences'])(
    'keeps an object whose %s is null',
    (field) => {
      const bundle = readBundle(files({ ...good, 'manifests/a.yaml': service('one').replace('}', `, ${field}: }`) }));
      expect(bundle.objects[0]?.metadata).toEqual({ name: 'one' });
      expect(bundle.manifests[0]).toMatchObject({ metadata: { name: 'one', [field]: null } });
      expect([...bundle.warnings, ...bundle.refusals]).toEqual([]);
    },
  );

  it.each([
    ['annotations: {hot: true}', 'metadata.annotations.hot is the boolean true; a text is expected: quote it'],
    ['labels: {a: 1, b: 2}', 'metadata.labels.a is the number 1; a text is expected: quote it (and 1 more)'],
  ])('keeps an object with %s as opm does, and says that no cluster takes it', (field, problem) => {
    const bundle = readBundle(files({ ...good, 'manifests/a.yaml': service('one').replace('}', `, ${field}}`) }));
    expect(bundle.manifests).toHaveLength(2);
    expect(bundle.refusals).toEqual([`manifests/a.yaml: Service one: ${problem}`]);
  });

  it.each([
    ['spec: {version: 1.0}', 'spec.version is the number 1; a text is expected: quote it'],
    ['spec: {relatedImages: [{name: 1}]}', 'spec.relatedImages[0].name is the number 1; a text is expected: quote it'],
  ])('refuses a CSV with %s', (line, problem) => {
    const reading = () => readBundle(files({ ...good, 'manifests/csv.yaml': `${CSV}${line}\n` }));
    expect(reading).toThrow(`manifests/csv.yaml: ClusterServiceVersion ant.v1.0.0: ${problem}`);
  });

  it('says what OLM refuses of a CSV that opm renders', () => {
    const bundle = readBundle(files({ ...good, 'manifests/csv.yaml': `${CSV}spec: {displayName: 5}\n` }));
    expect(validateBundle(bundle)).toEqual(
      expect.arrayContaining([
        'manifests/csv.yaml: ClusterServiceVersion ant.v1.0.0: spec.displayName is the number 5; a text is expected: quote it',
      ]),
    );
  });

  it('reads a CSV with empty annotations and fields', () => {
    const text = CSV.replace('}', ', annotations: {createdAt: }}');
    const bundle = readBundle(files({ ...good, 'manifests/csv.yaml': `${text}spec: {replaces: , skips: , icon: }\n` }));
    expect(bundle.csv.metadata.annotations).toEqual({ createdAt: '' });
    expect([...bundle.warnings, ...bundle.refusals]).toEqual([]);
  });

  it('refuses what is too large', () => {
    const many = Object.fromEntries(Array.from({ length: BUNDLE_LIMITS.files }, (_, i) => [`manifests/${i}.yaml`, '']));
    expect(() => readBundle(files({ ...good, ...many }))).toThrow('is too large');
  });
});
