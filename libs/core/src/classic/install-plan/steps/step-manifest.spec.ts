import { describe, expect, it } from 'vitest';
import { object, step } from '../execution/decide-step.fixture.js';
import { manifestOf } from './step-manifest.js';

/** The manifest of a step of this kind that a user wrote. */
const manifest = (kind: string, written: object) => {
  const { resource, ...rest } = step(object(kind));
  return manifestOf({ ...rest, resource: { ...resource, manifest: JSON.stringify(written) } });
};

describe('the manifest of a step', () => {
  it('is a CSV as OLM writes it, without a status', () => {
    const spec = { skips: null, installModes: [{ type: 'OwnNamespace' }], icon: [{ base64data: 'a' }] };
    expect(manifest('ClusterServiceVersion', { metadata: { name: 'tug.v1', labels: null }, spec })).toEqual({
      object: {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'ClusterServiceVersion',
        metadata: { name: 'tug.v1' },
        spec: {
          install: { strategy: '', spec: { deployments: null } },
          version: '0.0.0',
          customresourcedefinitions: {},
          apiservicedefinitions: {},
          displayName: '',
          provider: {},
          icon: [{ base64data: 'a', mediatype: '' }],
          installModes: [{ type: 'OwnNamespace', supported: false }],
          cleanup: { enabled: false },
        },
      },
    });
  });

  it.each(['labels', 'annotations', 'ownerReferences', 'finalizers'])('may have %s that is null', (field) => {
    expect(manifest('ConfigMap', { metadata: { name: 'a', [field]: null }, data: null })).toEqual({
      object: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: null },
    });
  });

  it.each([
    ['ConfigMap', { metadata: { annotations: { hot: true } } }, 'metadata.annotations.hot is the boolean true'],
    ['Subscription', { spec: { channel: 4.2 } }, 'spec.channel is the number 4.2'],
    ['ClusterServiceVersion', { spec: { installModes: 'all' } }, 'spec.installModes is a text'],
  ])('fails the plan with the field: %s', (kind, written, field) => {
    const fail = expect.stringContaining(`error parsing step manifest: it: ${field}`);
    expect(manifest(kind, written)).toEqual({ fail });
  });
});
