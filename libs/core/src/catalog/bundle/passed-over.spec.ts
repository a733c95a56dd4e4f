import { describe, expect, it } from 'vitest';
import { LONGEST_VERDICT } from '../../kernel/verdict/verdict-line.js';
import { catalogBundleOf } from './bundle-blob.js';
import { readBundle } from './read-bundle.js';
import { validateBundle } from './validate-bundle.js';

const CSV = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: ant.v1.0.0}
spec:
  version: 1.0.0
  install: {strategy: deployment, spec: {deployments: []}}
`;
const OWNER = `${CSV}  customresourcedefinitions: {owned: [{name: ants.a.test, version: v1, kind: Ant}]}\n`;
const CRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ants.a.test}
spec: [
`;
const PREFIX = 'operators.operatorframework.io.bundle.';
const NOTES = `annotations:\n  ${PREFIX}package.v1: ant\n  ${PREFIX}channels.v1: stable\n`;

const files = (more: Readonly<Record<string, string>>) =>
  Object.entries({ 'manifests/csv.yaml': CSV, 'metadata/annotations.yaml': NOTES, ...more }).map(([path, text]) => ({
    path,
    bytes: new TextEncoder().encode(text),
  }));
const validated = (more: Readonly<Record<string, string>>) => validateBundle(readBundle(files(more)));
const dependencies = (item: string) => ({ 'metadata/dependencies.yaml': `dependencies:\n- ${item}\n` });

describe('a file that is passed over is named with the true reason', () => {
  it.each([
    [
      'a text',
      { 'manifests/a.yaml': 'just a text\n' },
      'manifests/a.yaml: skipped: not a Kubernetes object: it is a text',
    ],
    [
      'a list',
      { 'manifests/a.yaml': '- kind: ConfigMap\n' },
      'manifests/a.yaml: skipped: not a Kubernetes object: it is a list',
    ],
    [
      'no kind',
      { 'manifests/a.yaml': 'apiVersion: v1\n' },
      'manifests/a.yaml: skipped: not a Kubernetes object: it has no kind',
    ],
    [
      'README',
      { 'manifests/README.md': '# Ant\n\n- see: [\n' },
      'manifests/README.md: skipped: no manifest: keep files other than',
    ],
    ['LICENSE', { 'manifests/LICENSE': 'Apache' }, 'manifests/LICENSE: skipped: no manifest: keep files other than'],
    [
      'dependencies of another form',
      { 'metadata/dependencies.yaml': 'dependencies: {type: olm.gvk}\n' },
      'metadata/dependencies.yaml: skipped: dependencies is a map; a list is expected',
    ],
    [
      'a type that is a number',
      dependencies('{type: 7, value: {}}'),
      'metadata/dependencies.yaml: skipped: dependencies[0].type is the number 7; a text is expected: quote it',
    ],
    [
      'properties of another form',
      { 'metadata/properties.yaml': 'properties: [text]\n' },
      'metadata/properties.yaml: skipped: properties[0] is a text; a map is expected',
    ],
  ])('%s', (_, more, says) => {
    const found = validated(more);
    expect(found).toEqual([expect.stringContaining(says)]);
    expect(found[0]?.length).toBeLessThanOrEqual(LONGEST_VERDICT);
  });

  it('where a CRD is missed, the file that may hold it', () => {
    expect(() => readBundle(files({ 'manifests/csv.yaml': OWNER, 'manifests/crd.yaml': CRD }))).toThrow(
      /^couldn't find a\.test\/v1\/Ant \(ants\) in bundle: manifests\/crd\.yaml:\d+: skipped: error converting YAML/,
    );
    expect(() => readBundle(files({ 'manifests/csv.yaml': OWNER }))).toThrow(/found: map\[\]: add the CustomResource/);
  });

  it('where nothing is left, the first of them', () => {
    const none = { 'manifests/csv.yaml': 'a text', 'manifests/b.yaml': '- a list' };
    expect(() => readBundle(files(none))).toThrow(
      'no bundle objects found: manifests/b.yaml: skipped: not a Kubernetes object: it is a list; a map is expected (and 1 more file)',
    );
  });
});

describe('numbers that are not quoted, and values in the wrong place', () => {
  it.each([
    ['channels.v1', '4.10', 'is the number 4.1; a text is expected: quote it'],
    ['package.v1', '7', 'is the number 7; a text is expected: quote it'],
    ['channel.default.v1', 'true', 'is the boolean true; a text is expected: quote it'],
    ['channels.v1', '[stable]', 'is a list; a text is expected'],
  ])('annotation %s: %s', (key, value, says) => {
    const notes = `annotations:\n  ${PREFIX}package.v1: ant\n  ${PREFIX}${key}: ${value}\n`.replace(
      key === 'package.v1' ? `  ${PREFIX}package.v1: ant\n` : '\u0000',
      '',
    );
    expect(() => readBundle(files({ 'metadata/annotations.yaml': notes }))).toThrow(
      `metadata/annotations.yaml: skipped: annotation ${PREFIX}${key} ${says}`,
    );
  });

  const WHERE = 'metadata/dependencies.yaml: dependencies[0] ';
  it.each([
    ['{type: olm.package, value: {packageName: bee, version: 1.0}}', '(olm.package): value.version is the number 1; a'],
    [
      '{type: olm.package, packageName: bee, version: ">=1.0.0"}',
      '(olm.package): packageName and version are next to type: move to "value:"',
    ],
    ['{type: olm.gvk, group: a.test}', '(olm.gvk): group is next to type: move to "value:"'],
    ['{type: olm.gvk}', '(olm.gvk): value is missing'],
    ['{type: olm.package, value: bee}', '(olm.package): value is a text; a map is expected'],
    [
      '{type: olm.gvk, value: {group: a.test, kind: Bee, version: true}}',
      '(olm.gvk): value.version is the boolean true; a',
    ],
  ])('dependency %s: validate says so, and nothing is rendered, as by opm', (item, says) => {
    expect(validated(dependencies(item))).toEqual([expect.stringContaining(`${WHERE}${says}`)]);
    expect(() => catalogBundleOf(readBundle(files(dependencies(item))), '')).toThrow(`${WHERE}${says}`);
  });

  it('other types keep what they have, and null is absent', () => {
    const label = dependencies('{type: olm.label, value: {label: a}}');
    expect(validated(label)).toEqual([]);
    const empty = dependencies('{type: olm.package, value: {packageName: bee, version: null}}');
    expect(validated(empty)).toEqual(['dependencies[0] (olm.package): Package version is empty']);
  });
});
