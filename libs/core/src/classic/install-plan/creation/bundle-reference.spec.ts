import { describe, expect, it } from 'vitest';
import type { Property } from '../../../catalog/model/catalog.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { manifestOf } from '../steps/step-manifest.js';
import {
  type BundleReference,
  byReference,
  dereferenced,
  referenceOf,
  referredSteps,
  sourceOf,
} from './bundle-reference.js';
import { stepsOfBundle } from './bundle-steps.js';

const CSV: KubernetesObject = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'ClusterServiceVersion',
  metadata: { name: 'tug.v2' },
  spec: {
    install: {
      strategy: 'deployment',
      spec: {
        deployments: [],
        permissions: [{ serviceAccountName: 'tug', rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }] }],
      },
    },
  },
};
const SECRET: KubernetesObject = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'rope' }, data: {} };
const objects = [CSV, SECRET];
const catalogSource = { name: 'shelf', namespace: 'olm' };
const properties: Property[] = [
  { type: 'olm.package', value: { packageName: 'tug', version: '2.0.0' } },
  { type: '__proto__', value: { toString: '<&>' } },
];
const bundle = { catalogSource, replaces: 'tug.v1', properties };
const whole = stepsOfBundle({ objects, namespace: 'harbour', ...bundle });
const IMAGE = { image: 'registry.example/tug@sha256:2' };
const fetched = (reference: BundleReference, held = objects) =>
  referredSteps(reference, { objects: held, namespace: 'harbour' });
const referred = whole.map((step) => byReference(step, { ...bundle, source: IMAGE }));

describe('steps that refer to their bundle', () => {
  it('are told apart from whole ones', () => {
    expect(whole.map(referenceOf)).toEqual(whole.map(() => undefined));
    expect(referred.map((step) => referenceOf(step)?.name)).toEqual(whole.map(() => IMAGE.image));
  });

  it('give back every step of the bundle byte for byte: CSV with the resolver’s choice, Secret, rights', () => {
    const back = referred.map((step) => {
      const reference = referenceOf(step);
      return reference && dereferenced(step, reference, fetched(reference));
    });
    expect(back).toEqual(whole.map((step) => ({ step })));
  });

  it('keep what has become of them', () => {
    const [first] = referred;
    const reference = first && referenceOf(first);
    if (first === undefined || reference === undefined) throw new Error('no reference');
    const back = dereferenced({ ...first, status: 'Present' }, reference, fetched(reference));
    expect(back).toMatchObject({ step: { status: 'Present' } });
  });

  it('know inline content by its digest', () => {
    const steps = whole.map((step) => byReference(step, { ...bundle, source: { inline: 'sha256:3' } }));
    const sources = steps.map(referenceOf).map((reference) => reference && sourceOf(reference));
    expect(sources).toEqual(whole.map(() => ({ inline: 'sha256:3' })));
  });

  it('fail in OLM’s words where the bundle has no such object', () => {
    const step = referred.find(({ resource }) => resource.kind === 'BundleSecret');
    const reference = step && referenceOf(step);
    if (step === undefined || reference === undefined) throw new Error('no reference');
    expect(dereferenced(step, reference, fetched(reference, [CSV]))).toEqual({
      fail: "couldn't find unpacked step for BundleSecret rope in registry.example/tug@sha256:2",
    });
  });

  it.each<[why: string, manifest: string | undefined]>([
    ['none', undefined],
    ['no JSON', '"BundleImage" {'],
    ['an object of that kind is an object', '{"kind":"BundleImage","name":"x","metadata":{}}'],
    ['no name', '{"kind":"BundleImage","name":"","catalogSourceName":"a","catalogSourceNamespace":"b"}'],
    ['a reference of OLM', '{"kind":"ConfigMap","name":"x","catalogSourceName":"a","catalogSourceNamespace":"b"}'],
    ['null', 'null'],
  ])('are not taken for it: %s', (_why, manifest) => {
    const [step] = whole;
    if (step === undefined) throw new Error('no step');
    const { manifest: _held, ...resource } = step.resource;
    expect(referenceOf({ ...step, resource: { ...resource, ...(manifest && { manifest }) } })).toBeUndefined();
  });

  it('are never taken for the object itself', () => {
    expect(referred.map(manifestOf)).toEqual(
      whole.map(() => ({ fail: expect.stringContaining(`for ref ${IMAGE.image}`), needsReplan: true })),
    );
  });
});
