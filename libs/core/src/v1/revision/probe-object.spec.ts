import { describe, expect, it } from 'vitest';
import type { ProgressionProbe } from '../../kernel/api/cluster-object-set.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { DEFAULT_PROBES } from './default-probes.js';
import { probeObject } from './probe-object.js';

const object = (apiVersion: string, kind: string, more: Readonly<Record<string, unknown>> = {}): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'it', namespace: 'here', generation: 2, labels: { of: 'test' } },
  ...more,
});
const deployment = (status?: unknown) => object('apps/v1', 'Deployment', { status });
const claim = (status?: unknown) => object('v1', 'PersistentVolumeClaim', { status });
const crd = (status?: unknown) => object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { status });
const available = (status: string) => [{ type: 'Available', status }];

describe('the probes that every revision has', () => {
  it.each([
    { because: 'a kind without probes is ready at once', live: object('v1', 'ConfigMap'), problems: [] },
    {
      because: 'a claim is ready once it is bound',
      live: claim({ phase: 'Bound' }),
      problems: [],
    },
    {
      because: 'a claim that waits',
      live: claim({ phase: 'Pending' }),
      problems: ['value at key "status.phase" != "Bound"; expected: "Bound" got: "Pending"'],
    },
    { because: 'a claim nobody looked at', live: claim({}), problems: ['missing key: "status.phase"'] },
    {
      because: 'a CRD without conditions',
      live: crd({}),
      problems: ['missing .status.conditions'],
    },
    {
      because: 'a CRD without the condition',
      live: crd({ conditions: [{ type: 'NamesAccepted', status: 'True' }] }),
      problems: ['missing .status.condition["Established"]'],
    },
    {
      because: 'a Deployment all of whose replicas are new and available',
      live: deployment({ observedGeneration: 2, replicas: 1, updatedReplicas: 1, conditions: available('True') }),
      problems: [],
    },
    {
      because: 'the status of a Deployment that speaks of its earlier spec says nothing',
      live: deployment({ observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions: available('True') }),
      problems: ['.status outdated'],
    },
    {
      because: 'every probe that fails is told',
      live: deployment({ observedGeneration: 2, replicas: 2, updatedReplicas: 1, conditions: available('False') }),
      problems: [
        '"status.updatedReplicas" != "status.replicas" expected: 1 got: 2',
        '.status.condition["Available"] is False',
      ],
    },
    {
      because: 'a Deployment of another group is none',
      live: object('example.com/v1', 'Deployment'),
      problems: [],
    },
  ])('$because', ({ live, problems }) => {
    expect(probeObject(live, live, DEFAULT_PROBES)).toEqual(problems);
  });
});

describe('probes of a revision that a user writes', () => {
  const ofLabel = (assertion: ProgressionProbe['assertions'][number]): ProgressionProbe => ({
    selector: { type: 'Label', label: { matchLabels: { of: 'test' } } },
    assertions: [assertion],
  });
  const live = object('v1', 'ConfigMap', { data: { foo: 'foo', bar: 'foo' } });
  const value = (fieldPath: string, text: string) => ({
    type: 'FieldValue',
    fieldValue: { fieldPath, value: text },
  });
  const equal = (fieldA: string, fieldB: string) => ({ type: 'FieldsEqual', fieldsEqual: { fieldA, fieldB } });

  it.each([
    {
      because: 'another value than expected',
      assertion: value('data.foo', 'bar'),
      problems: ['value at key "data.foo" != "bar"; expected: "bar" got: "foo"'],
    },
    { because: 'the value expected', assertion: value('data.foo', 'foo'), problems: [] },
    {
      because: 'a name that every object has is no field',
      assertion: value('constructor', 'x'),
      problems: ['missing key: "constructor"'],
    },
    { because: 'equal fields', assertion: equal('data.foo', 'data.bar'), problems: [] },
    {
      because: 'a field that is missing',
      assertion: equal('data.foo', 'data.nope'),
      problems: ['"data.nope" missing'],
    },
    {
      because: 'a probe that nobody knows never passes',
      assertion: { type: 'New' },
      problems: ['unknown probe type "New"'],
    },
  ])('$because', ({ assertion, problems }) => {
    expect(probeObject(live, live, [ofLabel(assertion)])).toEqual(problems);
  });

  it('select by the labels that were applied, not by those that were put on later', () => {
    const wanted = { ...live, metadata: { name: 'it' } };
    expect(probeObject(live, wanted, [ofLabel(value('data.foo', 'bar'))])).toEqual([]);
  });
});
