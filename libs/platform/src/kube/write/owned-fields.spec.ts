import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { applyWouldChange } from './would-change.js';

const deployment = (containers: object[], more: Record<string, unknown> = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'n', labels: { a: 'b' }, finalizers: ['x/y'] },
  spec: { template: { spec: { containers } }, ...more },
});
const web = { name: 'web', image: 'i', ports: [{ containerPort: 80 }] };
const liveWeb = { ...web, ports: [{ containerPort: 80, protocol: 'TCP' }], imagePullPolicy: 'Always' };
const OWNED = {
  'f:metadata': { 'f:labels': { 'f:a': {} }, 'f:finalizers': { 'v:"x/y"': {} } },
  'f:spec': {
    'f:template': {
      'f:spec': {
        'f:containers': {
          'k:{"name":"web"}': {
            '.': {},
            'f:name': {},
            'f:image': {},
            'f:ports': { 'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} } },
          },
        },
      },
    },
  },
};

function live(fields: object, manager = 'us', operation = 'Apply'): KubernetesObject {
  const object = deployment([liveWeb]);
  return { ...object, metadata: { ...object.metadata, managedFields: [{ manager, operation, fieldsV1: fields }] } };
}

describe('whether an apply would change something', () => {
  it.each([
    { there: live(OWNED), wanted: deployment([web]), changes: false, because: 'we own exactly what we want, as it is' },
    { there: live(OWNED), wanted: deployment([{ ...web, image: 'j' }]), changes: true, because: 'another image' },
    {
      there: live(OWNED),
      wanted: deployment([{ name: 'web', image: 'i' }]),
      changes: true,
      because: 'our port is to go',
    },
    { there: live(OWNED), wanted: deployment([web, { name: 'more' }]), changes: true, because: 'another container' },
    {
      there: live(OWNED),
      wanted: deployment([web], { replicas: undefined }),
      changes: false,
      because: 'undefined is absence',
    },
    { there: live(OWNED, 'them'), wanted: deployment([web]), changes: true, because: 'the fields are somebody else’s' },
    {
      there: live(OWNED, 'us', 'Update'),
      wanted: deployment([web]),
      changes: true,
      because: 'we have not applied them',
    },
    { there: deployment([liveWeb]), wanted: deployment([web]), changes: true, because: 'nobody knows who owns them' },
    {
      there: live({ 'f:metadata': OWNED['f:metadata'], 'f:spec': { ...OWNED['f:spec'], 'f:paused': {} } }),
      wanted: deployment([web]),
      changes: true,
      because: 'a field that we own is no longer wanted',
    },
  ])('$changes: $because', ({ there, wanted, changes }) => {
    expect(applyWouldChange(there, wanted, 'us')).toBe(changes);
  });
});
