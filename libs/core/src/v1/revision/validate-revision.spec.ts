import { describe, expect, it } from 'vitest';
import type { ClusterObjectSet } from '../../kernel/api/cluster-object-set.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { duplicateObjects, validateRevision } from './validate-revision.js';

const configMap = (name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'lamps', ...metadata },
});
const phase = (name: string, ...objects: KubernetesObject[]) => ({
  name,
  objects: objects.map((object) => ({ object, protection: 'Prevent' as const })),
});
const revision: ClusterObjectSet = {
  apiVersion: 'olm.operatorframework.io/v1',
  kind: 'ClusterObjectSet',
  metadata: { name: 'lamp-3' },
  spec: { lifecycleState: 'Active', revision: 3 },
};
const said = (...phases: ReturnType<typeof phase>[]) => validateRevision(revision, phases);
const REVISION = 'revision validation error: revision "lamp-3" (3): ';
const A = '/v1, Kind=ConfigMap lamps/a';

describe('v1-apply.md, "Revision reconcile" 4: static validation, in the words of boxcutter', () => {
  it('has nothing to say about objects that differ in name, namespace, kind, group or version', () => {
    const others: readonly KubernetesObject[] = [
      configMap('b'),
      configMap('a', { namespace: 'shades' }),
      { ...configMap('a'), kind: 'Secret' },
      { ...configMap('a'), apiVersion: 'example.com/v1' },
      { ...configMap('a'), apiVersion: 'example.com/v2' },
    ];
    expect(said(phase('one', configMap('a'), ...others))).toBeUndefined();
    expect(said()).toBeUndefined();
  });

  it.each([
    ['uid', { uid: 'abc' }],
    ['generation', { generation: 3 }],
    ['generateName', { generateName: 'a-' }],
    ['finalizers', { finalizers: ['example.com/stop'] }],
    ['ownerReferences', { ownerReferences: [{ apiVersion: 'v1', kind: 'Secret', name: 'o', uid: '1' }] }],
    ['resourceVersion', { resourceVersion: '7' }],
  ])('forbids metadata.%s', (field, metadata) => {
    const text = `${REVISION}phase "one": ${A}: metadata.${field}: Forbidden: must be empty`;
    expect(said(phase('one', configMap('a', metadata)))).toBe(text);
  });

  it('takes empty metadata for none', () => {
    const metadata = { uid: '', generation: 0, generateName: '', finalizers: [], ownerReferences: [] };
    expect(said(phase('one', configMap('a', metadata)))).toBeUndefined();
  });

  it('names all that is wrong with an object, and every object', () => {
    const both = phase('one', configMap('a', { uid: 'x', finalizers: ['f'] }), configMap('b', { uid: 'y' }));
    const a = `${A}: metadata.uid: Forbidden: must be empty, metadata.finalizers: Forbidden: must be empty`;
    const b = '/v1, Kind=ConfigMap lamps/b: metadata.uid: Forbidden: must be empty';
    expect(said(both)).toBe(`${REVISION}phase "one": ${a}, ${b}`);
  });

  it.each([
    {
      apiVersion: '',
      kind: 'ConfigMap',
      is: '/, Kind=ConfigMap lamps/a: apiVersion: Required value: must not be empty',
    },
    { apiVersion: 'a/b/c', kind: 'X', is: '/, Kind=X lamps/a: apiVersion: Required value: must not be empty' },
    { apiVersion: 'apps/v1', kind: '', is: 'apps/v1, Kind= lamps/a: kind: Required value: must not be empty' },
  ])('wants apiVersion and kind: "$apiVersion", "$kind"', ({ apiVersion, kind, is }) => {
    expect(said(phase('one', { ...configMap('a'), apiVersion, kind }))).toBe(`${REVISION}phase "one": ${is}`);
  });

  it('finds one object in several phases, and names them in each', () => {
    const dup = `${A}: duplicate object found in phases: one, two`;
    expect(said(phase('two', configMap('a')), phase('one', configMap('a')), phase('three', configMap('b')))).toBe(
      `${REVISION}phase "two": ${dup}, phase "one": ${dup}`,
    );
  });

  it('finds one object twice in a phase, whatever its content', () => {
    const other = { ...configMap('a'), data: { b: '2' } };
    const text = `${REVISION}phase "one": ${A}: duplicate object found in phases: one`;
    expect(said(phase('one', configMap('a'), other, configMap('a')))).toBe(text);
  });

  it.each(['1st', 'one-', 'One', 'o'.repeat(64), ''])('wants a DNS-1035 label as the name of a phase: %j', (name) => {
    expect(said(phase(name))).toMatch(
      /^revision validation error: revision "lamp-3" \(3\): phase ".*": phase name inv/,
    );
  });

  it('says the rule for a name before what is wrong with objects', () => {
    const rule =
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with " +
      "an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
    const object = `${A}: metadata.uid: Forbidden: must be empty`;
    const text = `${REVISION}phase "1st": phase name invalid: ${rule}, ${object}`;
    expect(said(phase('1st', configMap('a', { uid: 'x' })))).toBe(text);
  });
});

it('duplicateObjects names each object that is there more than once, sorted', () => {
  const phases = [phase('one', configMap('b'), configMap('a')), phase('two', configMap('a'), configMap('b'))];
  expect(duplicateObjects(phases)).toEqual([
    { object: A, phases: ['one', 'two'] },
    { object: '/v1, Kind=ConfigMap lamps/b', phases: ['one', 'two'] },
  ]);
});
