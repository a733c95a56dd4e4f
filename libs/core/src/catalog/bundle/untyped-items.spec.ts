import { describe, expect, it } from 'vitest';
import { catalogBundleOf } from './bundle-blob.js';
import { readBundle } from './read-bundle.js';
import { validateBundle } from './validate-bundle.js';

const CSV = `apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: ant.v1.0.0}
spec: {version: 1.0.0, install: {strategy: deployment, spec: {deployments: []}}}
`;
const NOTES = `annotations:
  operators.operatorframework.io.bundle.package.v1: ant
  operators.operatorframework.io.bundle.channels.v1: stable
`;
const bundle = (more: Readonly<Record<string, string>>) =>
  readBundle(
    Object.entries({ 'manifests/csv.yaml': CSV, 'metadata/annotations.yaml': NOTES, ...more }).map(([path, text]) => ({
      path,
      bytes: new TextEncoder().encode(text),
    })),
  );
const HINT = 'write each item as {type: <type>, value: <value>}, without "property:" around it';

describe('metadata of a bundle with "property:" around its items', () => {
  it.each([
    { file: 'properties', text: 'properties:\n- property: {type: color, value: red}\n', where: 'properties[0]' },
    {
      file: 'dependencies',
      text: 'dependencies:\n- {type: olm.label, value: {label: a}}\n- property: {type: olm.label, value: {label: b}}\n',
      where: 'dependencies[1]',
    },
  ])('$file: validate names the item and the right form, render refuses', ({ file, text, where }) => {
    const read = bundle({ [`metadata/${file}.yaml`]: text });
    expect(validateBundle(read)).toEqual([`${where} has no type: ${HINT}`]);
    expect(() => catalogBundleOf(read, '')).toThrow(`${where} of the bundle's metadata has no type: ${HINT}`);
  });
});

describe('an object that is in a bundle twice', () => {
  const account = (name: string, namespace: string, apiVersion = 'v1') =>
    `{apiVersion: ${apiVersion}, kind: ServiceAccount, metadata: {name: ${name}, namespace: ${namespace}}}`;

  it('is named once, whatever its namespace', () => {
    const files = { 'manifests/a.yaml': account('ant', 'x'), 'manifests/b.yaml': account('ant', 'z') };
    const said = 'ant: ServiceAccount of v1 is in manifests/ more than once; OLM v1 refuses such a bundle: keep one';
    expect(validateBundle(bundle({ ...files, 'manifests/c.yaml': account('ant', 'x') }))).toEqual([said]);
  });

  it('is another one where kind, API or name differ', () => {
    const files = { 'manifests/a.yaml': account('ant', 'x'), 'manifests/b.yaml': account('bee', 'x') };
    expect(validateBundle(bundle({ ...files, 'manifests/c.yaml': account('ant', 'x', 'v2') }))).toEqual([]);
  });
});

describe('a CustomResourceDefinition of v1beta1 in a bundle', () => {
  it('is named as one that no cluster takes', () => {
    const crd =
      'apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition\nmetadata: {name: ants.example.com}\n';
    expect(validateBundle(bundle({ 'manifests/crd.yaml': crd }))).toEqual([
      expect.stringMatching(/^ants\.example\.com: .*v1beta1 are not served by any cluster since Kubernetes 1\.22/),
    ]);
  });
});
