import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import type { RbacObjects } from '../../kernel/rbac/authorize.js';
import { type ManagedObject, missingPermissions, preauthorizationError } from './preauthorize.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC = `${RBAC_GROUP}/v1`;
const account = { namespace: 'mill', name: 'installer' };
const owner = { resource: 'clusterobjectsets', name: 'gear-1' } as const;

const object = (
  apiVersion: string,
  kind: string,
  name: string,
  namespace?: string,
  more: object = {},
): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace && { namespace }) },
  ...more,
});
const role = (kind: string, name: string, rules: object[], namespace?: string) =>
  object(RBAC, kind, name, namespace, { rules });
const binding = (kind: string, name: string, roleRef: object, namespace?: string) =>
  object(RBAC, kind, name, namespace, {
    roleRef: { apiGroup: RBAC_GROUP, ...roleRef },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });
const managed = (
  resource: string,
  one: KubernetesObject,
  namespaced = one.metadata.namespace !== undefined,
): ManagedObject => ({
  object: one,
  resource,
  namespaced,
});

const NOTHING: RbacObjects = { roles: [], roleBindings: [], clusterRoles: [], clusterRoleBindings: [] };
/** The account with these rules everywhere, and those of the finalizers. */
const holding = (...rules: object[]): RbacObjects => {
  const finalizers = {
    verbs: ['update'],
    apiGroups: ['olm.operatorframework.io'],
    resources: ['clusterobjectsets/finalizers'],
  };
  return {
    ...NOTHING,
    clusterRoles: [role('ClusterRole', 'held', [finalizers, ...rules])],
    clusterRoleBindings: [binding('ClusterRoleBinding', 'held', { kind: 'ClusterRole', name: 'held' })],
  };
};
const onRbac = {
  verbs: ['*'],
  apiGroups: [RBAC_GROUP],
  resources: ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'],
};
const withoutFreedom = { ...onRbac, verbs: ['get', 'patch', 'update', 'delete', 'create'] };

const lines = (rbac: RbacObjects, ...objects: ManagedObject[]) =>
  preauthorizationError(missingPermissions({ account, rbac, objects, owner }))?.split('\n');
const HEAD =
  'pre-authorization failed: service account requires the following permissions to manage cluster extension:';

describe('what a service account lacks to manage objects', () => {
  const deployment = managed('deployments', object('apps/v1', 'Deployment', 'gear', 'mill'));
  const crd = managed(
    'customresourcedefinitions',
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'wheels.example'),
  );

  it('is reported all at once, sorted', () => {
    const service = managed('services', object('v1', 'Service', 'gear', 'mill'));
    expect(lines(NOTHING, deployment, crd, service, deployment)).toEqual([
      HEAD,
      '  Namespace:"" APIGroups:[apiextensions.k8s.io] Resources:[customresourcedefinitions] ResourceNames:[wheels.example] Verbs:[delete,get,patch,update]',
      '  Namespace:"" APIGroups:[apiextensions.k8s.io] Resources:[customresourcedefinitions] Verbs:[create]',
      '  Namespace:"" APIGroups:[olm.operatorframework.io] Resources:[clusterobjectsets/finalizers] ResourceNames:[gear-1] Verbs:[update]',
      '  Namespace:"mill" APIGroups:[] Resources:[services] ResourceNames:[gear] Verbs:[delete,get,patch,update]',
      '  Namespace:"mill" APIGroups:[] Resources:[services] Verbs:[create]',
      '  Namespace:"mill" APIGroups:[apps] Resources:[deployments] ResourceNames:[gear] Verbs:[delete,get,patch,update]',
      '  Namespace:"mill" APIGroups:[apps] Resources:[deployments] Verbs:[create]',
    ]);
  });

  it.each([
    { rule: { verbs: ['*'], apiGroups: ['apps'], resources: ['*'] }, lacks: [], because: 'it may do everything' },
    {
      rule: { verbs: ['*'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['gear'] },
      lacks: ['  Namespace:"mill" APIGroups:[apps] Resources:[deployments] Verbs:[create]'],
      because: 'a rule with names does not let create',
    },
    {
      rule: { verbs: ['get', 'create', 'update', 'patch'], apiGroups: ['apps'], resources: ['deployments'] },
      lacks: ['  Namespace:"mill" APIGroups:[apps] Resources:[deployments] ResourceNames:[gear] Verbs:[delete]'],
      because: 'what it makes must go again',
    },
  ])('is $lacks: $because', ({ rule, lacks }) => {
    expect(lines(holding(rule), deployment)?.slice(1) ?? []).toEqual(lacks);
  });

  it('is not given by a role of a namespace where the kind has none', () => {
    const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
    const rbac: RbacObjects = {
      ...holding(),
      roles: [role('Role', 'all', [everything], 'mill')],
      roleBindings: [binding('RoleBinding', 'all', { kind: 'Role', name: 'all' }, 'mill')],
    };
    const webhook = object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'v', 'mill');
    expect(lines(rbac, deployment)).toBeUndefined();
    expect(lines(rbac, managed('validatingwebhookconfigurations', webhook, false))).toHaveLength(3);
  });
});

describe('what it would give to others', () => {
  const pods = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
  const metrics = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
  const clusterRole = managed('clusterroles', role('ClusterRole', 'gear', [pods, metrics]));
  const clusterBinding = managed(
    'clusterrolebindings',
    binding('ClusterRoleBinding', 'gear', { kind: 'ClusterRole', name: 'gear' }),
  );
  const lacking = [
    '  Namespace:"" APIGroups:[] Resources:[pods] Verbs:[get,list]',
    '  Namespace:"" Verbs:[get] NonResourceURLs:[/metrics]',
  ];

  it.each([
    { rbac: holding(withoutFreedom), lacks: lacking, because: 'it must have it itself' },
    { rbac: holding(withoutFreedom, pods), lacks: lacking.slice(1), because: 'some of it' },
    { rbac: holding(withoutFreedom, pods, metrics), lacks: [], because: 'it has it' },
    { rbac: holding(onRbac), lacks: [], because: 'it may escalate and bind' },
    {
      rbac: holding({ ...withoutFreedom, verbs: [...withoutFreedom.verbs, 'escalate'] }),
      lacks: lacking,
      because: 'it may escalate, but not bind',
    },
    {
      rbac: holding({ ...withoutFreedom, verbs: [...withoutFreedom.verbs, 'bind'] }),
      lacks: lacking,
      because: 'it may bind, but not escalate',
    },
  ])('$because: $lacks', ({ rbac, lacks }) => {
    expect(lines(rbac, clusterRole, clusterBinding)?.slice(1) ?? []).toEqual(lacks);
  });

  it('is counted in the namespace of a Role, and by a role that is in the cluster already', () => {
    const inShop = managed(
      'rolebindings',
      binding('RoleBinding', 'view', { kind: 'ClusterRole', name: 'view' }, 'shop'),
    );
    const held = holding(withoutFreedom);
    const rbac = { ...held, clusterRoles: [...held.clusterRoles, role('ClusterRole', 'view', [pods])] };
    expect(lines(rbac, inShop)?.slice(1)).toEqual([
      '  Namespace:"shop" APIGroups:[] Resources:[pods] Verbs:[get,list]',
    ]);
  });

  it('is nothing where a role has no rules, and unknown where there is no role', () => {
    const empty = managed('roles', role('Role', 'empty', [{ verbs: ['get'] }], 'mill'));
    const unknown = managed('rolebindings', binding('RoleBinding', 'x', { kind: 'Role', name: 'absent' }, 'mill'));
    expect(lines(holding(withoutFreedom), empty, unknown)?.slice(1)).toEqual([
      '  Namespace:"mill" APIGroups:[rbac.authorization.k8s.io] Resources:[roles] ResourceNames:[absent] Verbs:[bind]',
    ]);
    expect(lines(holding(onRbac), empty, unknown)).toBeUndefined();
  });
});
