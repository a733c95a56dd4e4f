import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { isClusterScoped } from '../steps/step-manifest.js';
import { clusterWide, csv, decide, live, object, RBAC, step } from './decide-step.fixture.js';
import { SUPPORTED_STEP_KINDS } from './decide-step.js';
import { refusedWrite } from './step-words.js';

const OPERATORS = 'operators.coreos.com/v1alpha1';
const tug = csv('tug.v1');
/** An owner that the resolver writes into the manifests of an operator's own accounts and roles. */
const owned = { metadata: { name: 'it', ownerReferences: [{ ...named(), uid: '' }] } };
function named() {
  return { apiVersion: OPERATORS, kind: 'ClusterServiceVersion', name: 'tug.v1' };
}
const byReference = {
  ownerReferences: [{ ...named(), uid: 'uid-tug.v1', controller: false, blockOwnerDeletion: false }],
};
const byOwnerLabels = {
  labels: { 'olm.owner': 'tug.v1', 'olm.owner.namespace': 'harbour', 'olm.owner.kind': 'ClusterServiceVersion' },
};
const byLabel = { labels: { 'olm.owner': 'tug.v1' } };
const none = {};

type Conflict = 'left untouched' | 'overwritten' | 'merged';
type Row = Readonly<{ kind: string; api: string; conflict: Conflict; owner: string; metadata: object; more?: object }>;

const OTHER_KINDS: readonly (readonly [kind: string, api: string])[] = [
  ['PrometheusRule', 'monitoring.coreos.com/v1'],
  ['ServiceMonitor', 'monitoring.coreos.com/v1'],
  ['PodDisruptionBudget', 'policy/v1'],
  ['PriorityClass', 'scheduling.k8s.io/v1'],
  ['VerticalPodAutoscaler', 'autoscaling.k8s.io/v1'],
  ['ConsoleYAMLSample', 'console.openshift.io/v1'],
  ['ConsoleQuickStart', 'console.openshift.io/v1'],
  ['ConsoleCLIDownload', 'console.openshift.io/v1'],
  ['ConsoleLink', 'console.openshift.io/v1'],
  ['ConsolePlugin', 'console.openshift.io/v1'],
  ['NetworkPolicy', 'networking.k8s.io/v1'],
];

const rows: readonly Row[] = [
  {
    kind: 'Subscription',
    api: OPERATORS,
    conflict: 'left untouched',
    owner: 'none',
    metadata: { annotations: { 'olm.generated-by': 'install-1' } },
  },
  { kind: 'Secret', api: 'v1', conflict: 'overwritten', owner: 'CSV', metadata: byReference },
  { kind: 'ServiceAccount', api: 'v1', conflict: 'merged', owner: 'CSV(s)', metadata: byReference, more: owned },
  { kind: 'Role', api: RBAC, conflict: 'overwritten', owner: 'CSV', metadata: byReference, more: owned },
  { kind: 'RoleBinding', api: RBAC, conflict: 'overwritten', owner: 'CSV', metadata: byReference, more: owned },
  { kind: 'ClusterRole', api: RBAC, conflict: 'overwritten', owner: 'label olm.owner', metadata: byLabel },
  { kind: 'ClusterRoleBinding', api: RBAC, conflict: 'overwritten', owner: 'label olm.owner', metadata: byLabel },
  { kind: 'Service', api: 'v1', conflict: 'overwritten', owner: 'CSV', metadata: byReference },
  { kind: 'ConfigMap', api: 'v1', conflict: 'overwritten', owner: 'CSV', metadata: byReference },
  ...OTHER_KINDS.map(([kind, api]) => ({
    kind,
    api,
    conflict: 'overwritten' as const,
    owner: isClusterScoped(kind) ? 'owner labels' : 'CSV ownerRef',
    metadata: isClusterScoped(kind) ? byOwnerLabels : byReference,
  })),
];

const there = (kind: string, api: string): KubernetesObject =>
  isClusterScoped(kind) ? clusterWide(kind, {}, api) : live(kind, {}, api);

describe('install-plans.md §5, table of step kinds', () => {
  it.each(rows)('$kind: owner $owner', ({ kind, api, metadata, more = none }) => {
    expect(decide(step(object(kind, more, api)), [tug])).toMatchObject({
      status: 'Created',
      actions: [{ do: 'create', object: { kind, metadata } }],
    });
  });

  it.each(rows)('$kind: label olm.managed=true', ({ kind, api, more = none }) => {
    const metadata = { labels: { 'olm.managed': 'true' } };
    expect(decide(step(object(kind, more, api)), [tug])).toMatchObject({ actions: [{ object: { metadata } }] });
  });

  it.each(rows)('$kind: create conflict, $conflict', ({ kind, api, conflict, metadata, more = none }) => {
    const decision = decide(step(object(kind, more, api)), [there(kind, api), tug]);
    if (conflict === 'left untouched') expect(decision).toEqual({ status: 'Present', actions: [] });
    else
      expect(decision).toMatchObject({
        status: 'Present',
        actions: [{ do: 'update', object: { kind, metadata: { ...metadata, resourceVersion: '42' } } }],
      });
  });

  it('has a row for every kind that a plan may hold', () => {
    const elsewhere = ['ClusterServiceVersion', 'CustomResourceDefinition', 'BundleSecret'];
    const shown = new Set([...rows.map(({ kind }) => kind), ...elsewhere]);
    expect(SUPPORTED_STEP_KINDS.filter((kind) => !shown.has(kind))).toEqual([]);
  });
});

describe('install-plans.md §5, owners that a manifest names', () => {
  const old = csv('tug.v0');
  const csvOwner = (name: string, more: object = {}) => ({ ...named(), name, ...more });
  const config = { apiVersion: 'v1', kind: 'ConfigMap', name: 'map', uid: 'uid-of-map' };
  const own = { ...byReference.ownerReferences[0] };
  const made = (kind: string, owners: readonly object[], api: string) =>
    object(kind, { metadata: { name: 'it', ownerReferences: owners } }, api);
  const namespaced = rows.filter(({ kind, owner }) => kind !== 'Subscription' && owner.startsWith('CSV'));

  it.each(namespaced)('$kind: each CSV with the live uid, whatever CSV the step is of', ({ kind, api }) => {
    const owners = [csvOwner('tug.v0', { uid: '', controller: true }), config, csvOwner('tug.v1', { uid: 'old' })];
    const live0 = csvOwner('tug.v0', { uid: 'uid-tug.v0', controller: true });
    const decided = (resolving: string) => decide(step(made(kind, owners, api), 'Unknown', resolving), [tug, old]);
    const last = csvOwner('tug.v1', { uid: 'uid-tug.v1' });
    expect(decided('')).toMatchObject({
      actions: [{ object: { metadata: { ownerReferences: [live0, config, last] } } }],
    });
    expect(decided('tug.v1')).toMatchObject({
      actions: [{ object: { metadata: { ownerReferences: [live0, config, own] } } }],
    });
  });

  it('takes a reference that has no uid at all', () => {
    expect(decide(step(made('ConfigMap', [csvOwner('tug.v0')], 'v1'), 'Unknown', ''), [old])).toMatchObject({
      actions: [{ object: { metadata: { ownerReferences: [csvOwner('tug.v0', { uid: 'uid-tug.v0' })] } } }],
    });
  });

  it('names the CSV that is not there', () => {
    const fail =
      'error generating ownerrefs for configmap: it: clusterserviceversions.operators.coreos.com "gone" not found';
    expect(decide(step(made('ConfigMap', [csvOwner('gone')], 'v1')), [tug])).toEqual({ fail });
  });
});

describe('install-plans.md §5, error prefixes', () => {
  it.each<[kind: string, creating: string, updating: string]>([
    ['ClusterServiceVersion', 'error creating csv it: no', 'error updating csv it: no'],
    ['Subscription', 'error creating subscription it: no', 'error updating subscription it: no'],
    ['CustomResourceDefinition', 'no', 'error updating CRD "it": no'],
    ['BundleSecret', 'error updating secret: it: no', 'error updating secret: it: no'],
    ['Secret', 'error creating secret it - no', 'error creating secret it - no'],
    ['ServiceAccount', 'error creating service account: it: no', 'error updating service account: it: no'],
    ['Role', 'error creating role it: no', 'error updating role it: no'],
    ['RoleBinding', 'error creating rolebinding it: no', 'error updating rolebinding it: no'],
    ['ClusterRole', 'error creating clusterrole it: no', 'error updating clusterrole it: no'],
    ['ClusterRoleBinding', 'error creating clusterrolebinding it: no', 'error updating clusterrolebinding it: no'],
    ['Service', 'error updating service: it: no', 'error updating service: it: no'],
    ['ConfigMap', 'error updating configmap: it: no', 'error updating configmap: it: no'],
    ['NetworkPolicy', 'error creating unstructured object it: no', 'error updating unstructured object it: no'],
  ])('%s: create → %s; update → %s', (kind, creating, updating) => {
    const made = step(object('ConfigMap'));
    const one = { ...made, resource: { ...made.resource, kind } };
    expect([refusedWrite(one, false, 'no'), refusedWrite(one, true, 'no')]).toEqual([creating, updating]);
  });

  it.each<[kind: string, api: string, says: string]>([
    ['Secret', 'v1', 'secret it'],
    ['Role', RBAC, 'role it'],
    ['RoleBinding', RBAC, 'rolebinding it'],
    ['ServiceAccount', 'v1', 'service account: it'],
    ['Service', 'v1', 'service: it'],
    ['ConfigMap', 'v1', 'configmap: it'],
    ['NetworkPolicy', 'networking.k8s.io/v1', 'unstructured object: it'],
  ])('%s whose CSV is absent (%s) → error generating ownerrefs for %s', (kind, api, says) => {
    const fail = `error generating ownerrefs for ${says}: clusterserviceversions.operators.coreos.com "tug.v1" not found`;
    expect(decide(step(object(kind, owned, api)), [])).toEqual({ fail });
  });
});
