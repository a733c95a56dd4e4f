import { describe, expect, it } from 'vitest';
import { affectedNamespaces } from './affected-namespaces.js';
import type { ClusterNamespaces } from './namespace-rules.js';

const PREFIX = 'operators.coreos.com/';
const CUT = 'p'.repeat(60);
const view: ClusterNamespaces = {
  globalCatalogNamespace: 'olm',
  isGone: false,
  hasNamespace: (name) => ['olm', 'team-a', 'team-b', 'harbour'].includes(name),
  subscribedTo: (label) => new Set(label.startsWith(`${PREFIX}${CUT}`) ? ['team-a'] : []),
  operatorsOf: () => [],
  subscribed: new Set(['team-b', 'team-a']),
  waitingForCluster: () => new Set(['waiting']),
  waitsForRights: (namespace) => namespace === 'forbidden',
  sharing: ({ metadata }) => new Set(metadata.name === 'shared' ? ['team-c'] : []),
  selecting: ({ metadata }) => new Set(metadata.name === 'named' ? ['platform', 'naming'] : ['platform']),
  contending: () => new Set(['rival']),
  copyingOver: () => new Set(['platform']),
};
const object = (kind: string, namespace?: string, labels: Record<string, string> = {}) => ({
  apiVersion: 'v1',
  kind,
  metadata: { name: 'x', labels, ...(namespace === undefined ? {} : { namespace }) },
});

describe('affectedNamespaces', () => {
  it.each([
    { kind: 'Subscription', namespace: 'team-a', to: ['team-a'], because: 'a wish concerns its own namespace' },
    {
      kind: 'CatalogSource',
      namespace: 'olm',
      to: ['olm', 'team-a', 'team-b'],
      because: 'a global catalog is seen by all subscribers',
    },
    {
      kind: 'CatalogSource',
      namespace: 'team-a',
      to: ['team-a'],
      because: 'a local catalog is seen by its own namespace',
    },
    { kind: 'CustomResourceDefinition', namespace: undefined, to: ['waiting'], because: 'a CSV may wait for the CRD' },
    { kind: 'ClusterRole', namespace: undefined, to: ['waiting'], because: 'a CSV may wait for a permission' },
    { kind: 'APIService', namespace: undefined, to: ['waiting'], because: 'a CSV may wait for another owner of it' },
    { kind: 'Namespace', namespace: undefined, to: ['platform'], because: 'a group may select by label' },
    { kind: 'OLMConfig', namespace: undefined, to: ['platform'], because: 'it says whether copies are wanted' },
    {
      kind: 'OperatorGroup',
      namespace: 'team-a',
      to: ['rival', 'team-a'],
      because: 'an operator of another group may wait for its APIs',
    },
    { kind: 'Pod', namespace: 'team-a', to: [], because: 'nothing is decided from pods' },
  ])('$kind in $namespace → $to: $because', ({ kind, namespace, to }) => {
    expect(affectedNamespaces(object(kind, namespace), view)).toEqual(to);
  });
  it('names the namespaces whose objects name a Namespace', () => {
    const named = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'named' } };
    expect(affectedNamespaces(named, view)).toEqual(['naming', 'platform']);
  });
  it('sends a CRD to the namespaces of the Operators that gather it', () => {
    const labels = { 'operators.coreos.com/lamp.team-b': '', 'operators.coreos.com/lamp-x.harbour': '' };
    const crd = object('CustomResourceDefinition', undefined, labels);
    expect(affectedNamespaces(crd, view)).toEqual(['harbour', 'team-b', 'waiting']);
  });
  it.each([
    { label: 'mine', to: ['olm'], because: 'its name has no namespace' },
    { label: 'mine.nowhere', to: ['olm'], because: 'there is no such namespace' },
    { label: 'lamp.Harbour', to: ['olm'], because: 'no namespace can have that name' },
    { label: 'lamp.', to: ['olm'], because: 'nothing is behind the dot' },
    { label: 'a.b.harbour', to: ['harbour'], because: 'a package may have dots in its name' },
    { label: `${CUT}.te`, to: ['team-a'], because: 'the label was cut, and a Subscription has it' },
    { label: `${'q'.repeat(60)}.te`, to: ['olm'], because: 'the label was cut, and nothing has it' },
  ])('sends what carries the label of Operator $label to $to: $because', ({ label, to }) => {
    for (const kind of ['CustomResourceDefinition', 'ServiceAccount', 'Namespace', 'Service', 'Subscription']) {
      const found = affectedNamespaces(object(kind, undefined, { [`${PREFIX}${label}`]: '' }), view);
      expect(found.filter((name) => !['waiting', 'platform'].includes(name))).toEqual(to);
    }
  });
  it.each([
    { name: 'mine', isGone: false, to: ['olm'], because: 'a user made it' },
    { name: 'mine', isGone: true, to: ['olm'], because: 'it comes back while it has components' },
    { name: 'lamp.harbour', isGone: false, to: ['harbour'], because: 'it is left of an operator' },
    { name: `${CUT}.team-a`, isGone: false, to: [], because: 'passes write it' },
    { name: `${CUT}.team-b`, isGone: false, to: ['team-b'], because: 'its Subscription is in another namespace' },
    { name: `${CUT}.team-a`, isGone: true, to: ['team-a'], because: 'passes make it again' },
  ])('sends Operator $name, gone: $isGone, to $to: $because', ({ name, isGone, to }) => {
    const operator = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', metadata: { name } };
    expect(affectedNamespaces(operator, { ...view, isGone })).toEqual(to);
  });
  it('follows the owner label of a Deployment to the namespace of its CSV', () => {
    expect(affectedNamespaces(object('Deployment', 'elsewhere', { 'olm.owner.namespace': 'team-b' }), view)).toEqual([
      'team-b',
    ]);
  });
  it('reports a CSV that has gone where one of its name may be copied to its place', () => {
    const gone = object('ClusterServiceVersion', 'team-a');
    expect(affectedNamespaces(gone, view)).toEqual(['team-a']);
    expect(affectedNamespaces(gone, { ...view, isGone: true })).toEqual(['platform', 'team-a']);
    const copy = object('ClusterServiceVersion', 'elsewhere', { 'olm.copiedFrom': 'operators' });
    expect(affectedNamespaces(copy, { ...view, isGone: true })).toEqual(['operators']);
  });
  it('sends a copied CSV to the namespace of its original', () => {
    const labels = { 'olm.copiedFrom': 'operators' };
    expect(affectedNamespaces(object('ClusterServiceVersion', 'elsewhere', labels), view)).toEqual(['operators']);
    expect(affectedNamespaces(object('ClusterServiceVersion', 'team-a', labels), view)).toEqual([
      'operators',
      'team-a',
    ]);
  });
  it.each(['Service', 'RoleBinding', 'ClusterRoleBinding', 'APIService', 'ValidatingWebhookConfiguration'])(
    'follows the owner label of a %s to the namespace of its CSV, wherever the object lies',
    (kind) => {
      const labels = { 'olm.owner.namespace': 'team-b' };
      const found = affectedNamespaces(object(kind, 'kube-system', labels), {
        ...view,
        waitingForCluster: () => new Set(),
      });
      expect(found).toEqual(['team-b']);
    },
  );
  it.each(['Not_Ok', 'a.b', 'x'.repeat(64), ''])('leads to no namespace that cannot exist: %j', (name) => {
    for (const label of ['olm.owner.namespace', 'olm.copiedFrom']) {
      for (const kind of ['Service', 'Deployment', 'Role', 'ClusterServiceVersion', 'ClusterRoleBinding']) {
        const found = affectedNamespaces(object(kind, 'team-a', { [label]: name }), view);
        expect(found.filter((one) => one === name)).toEqual([]);
      }
    }
  });
  it('reports a binding that operators share to each of them', () => {
    const binding = object('RoleBinding', 'kube-system', { 'olm.owner.namespace': 'team-b' });
    const shared = { ...binding, metadata: { ...binding.metadata, name: 'shared' } };
    expect(affectedNamespaces(shared, view)).toEqual(['team-b', 'team-c']);
  });
  it.each(['Role', 'RoleBinding'])('reports a %s of an operator also where an install was forbidden', (kind) => {
    const labels = { 'olm.owner.namespace': 'team-b' };
    expect(affectedNamespaces(object(kind, 'forbidden', labels), view)).toEqual(['forbidden', 'team-b']);
    expect(affectedNamespaces(object(kind, 'team-a', labels), view)).toEqual(['team-b']);
  });
  it('sends a Role of a copied CSV to the copy and to its original', () => {
    const labels = { 'olm.owner.namespace': 'target', 'olm.copiedFrom': 'operators' };
    expect(affectedNamespaces(object('Role', 'target', labels), view)).toEqual(['operators', 'target']);
  });
});
