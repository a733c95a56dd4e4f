import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../api/cluster-service-version.js';
import type { KubernetesObject } from '../api/kubernetes-object.js';
import { allows, coveredBy, grantedRules, type RbacObjects, ruleError } from './authorize.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const account = { namespace: 'harbor', name: 'pilot' };

const role = (kind: string, name: string, rules: PolicyRule[], namespace?: string): KubernetesObject => ({
  apiVersion: RBAC,
  kind,
  metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  rules,
});

const binding = (roleKind: string, roleName: string, subject: object, namespace?: string): KubernetesObject => ({
  apiVersion: RBAC,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: `${roleName}-binding`, ...(namespace === undefined ? {} : { namespace }) },
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: roleKind, name: roleName },
  subjects: [subject],
});

const nothing: RbacObjects = { roles: [], roleBindings: [], clusterRoles: [], clusterRoleBindings: [] };
const readPods: PolicyRule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] };
const self = { kind: 'ServiceAccount', name: 'pilot', namespace: 'harbor' };

describe('a rule against a request', () => {
  const request = { verb: 'get', group: 'apps', resource: 'deployments', name: '' };
  it.each<{ rule: PolicyRule; allowed: boolean; because: string }>([
    { rule: { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'] }, allowed: true, because: 'named' },
    { rule: { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, allowed: true, because: 'stars cover all' },
    {
      rule: { verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] },
      allowed: false,
      because: 'other verb',
    },
    { rule: { verbs: ['get'], apiGroups: [''], resources: ['deployments'] }, allowed: false, because: 'other group' },
    { rule: { verbs: ['get'], resources: ['deployments'] }, allowed: false, because: 'no group named, none granted' },
    {
      rule: { verbs: ['get'], apiGroups: ['apps'], resources: ['deployments'], resourceNames: ['one'] },
      allowed: false,
      because: 'a right to one object is no right to all',
    },
    { rule: { verbs: ['get'], nonResourceURLs: ['*'] }, allowed: false, because: 'paths are no resources' },
  ])('$because', ({ rule, allowed }) => {
    expect(allows(rule, request)).toBe(allowed);
  });

  it.each([
    { granted: '*', wanted: 'pods/log', allowed: true, because: 'star covers subresources' },
    { granted: '*/log', wanted: 'pods/log', allowed: true, because: 'one subresource of everything' },
    { granted: 'pods', wanted: 'pods/log', allowed: false, because: 'a resource does not cover its subresources' },
    { granted: 'pods/log', wanted: 'pods', allowed: false, because: 'nor the other way round' },
  ])('$granted for $wanted: $because', ({ granted, wanted, allowed }) => {
    const rule = { verbs: ['get'], apiGroups: [''], resources: [granted] };
    expect(allows(rule, { verb: 'get', group: '', resource: wanted, name: '' })).toBe(allowed);
  });

  it.each([
    { pattern: '/metrics', path: '/metrics', allowed: true, because: 'equal' },
    { pattern: '/api/*', path: '/api/v1', allowed: true, because: 'prefix' },
    { pattern: '/api', path: '/api/v1', allowed: false, because: 'no star, no prefix' },
  ])('$pattern for $path: $because', ({ pattern, path, allowed }) => {
    expect(allows({ verbs: ['get'], nonResourceURLs: [pattern] }, { verb: 'get', path })).toBe(allowed);
  });
});

describe('what a service account may do', () => {
  const may = (objects: RbacObjects, namespace: string | undefined, rule: PolicyRule): boolean =>
    coveredBy(grantedRules(objects, account, namespace), rule);
  const inNamespace = (subject: object, bindingNamespace = 'harbor'): RbacObjects => ({
    ...nothing,
    roles: [role('Role', 'reader', [readPods], 'harbor')],
    roleBindings: [binding('Role', 'reader', subject, bindingNamespace)],
  });
  it.each([
    { subject: self, satisfied: true, because: 'bound by name' },
    { subject: { kind: 'ServiceAccount', name: 'pilot' }, satisfied: true, because: 'namespace of the binding counts' },
    { subject: { ...self, namespace: 'other' }, satisfied: false, because: 'an account of another namespace' },
    { subject: { kind: 'User', name: 'system:serviceaccount:harbor:pilot' }, satisfied: true, because: 'as a user' },
    { subject: { kind: 'Group', name: 'system:serviceaccounts:harbor' }, satisfied: true, because: 'as a group' },
    { subject: { kind: 'Group', name: 'system:masters' }, satisfied: false, because: 'a group it is not in' },
  ])('$because', ({ subject, satisfied }) => {
    expect(may(inNamespace(subject), 'harbor', readPods)).toBe(satisfied);
  });

  it('does not reach another namespace through a RoleBinding', () => {
    expect(may(inNamespace(self), 'elsewhere', readPods)).toBe(false);
    expect(may(inNamespace(self), undefined, readPods)).toBe(false);
  });

  it('adds up the rules of several roles', () => {
    const objects: RbacObjects = {
      ...nothing,
      roles: [role('Role', 'getter', [{ ...readPods, verbs: ['get'] }], 'harbor')],
      roleBindings: [binding('Role', 'getter', self, 'harbor'), binding('ClusterRole', 'lister', self, 'harbor')],
      clusterRoles: [role('ClusterRole', 'lister', [{ ...readPods, verbs: ['list'] }])],
    };
    expect(may(objects, 'harbor', readPods)).toBe(true);
    expect(may(objects, 'harbor', { ...readPods, verbs: ['watch'] })).toBe(false);
  });

  it('counts cluster-wide rights in every namespace', () => {
    const objects: RbacObjects = {
      ...nothing,
      clusterRoles: [role('ClusterRole', 'reader', [readPods])],
      clusterRoleBindings: [binding('ClusterRole', 'reader', self)],
    };
    expect(may(objects, undefined, readPods)).toBe(true);
    expect(may(objects, 'anywhere', readPods)).toBe(true);
  });

  it('grants nothing through bindings it cannot read or whose role is gone', () => {
    const broken = { apiVersion: RBAC, kind: 'RoleBinding', metadata: { name: 'broken', namespace: 'harbor' } };
    const dangling = binding('Role', 'gone', self, 'harbor');
    expect(may({ ...nothing, roleBindings: [broken, dangling] }, 'harbor', readPods)).toBe(false);
  });
});

describe('a rule that can never be granted', () => {
  it.each([
    { rule: { verbs: [], apiGroups: [''], resources: ['pods'] }, error: 'policy rule must have at least one verb' },
    {
      rule: { verbs: ['get'], apiGroups: [''], resources: ['pods'], nonResourceURLs: ['/'] },
      error: 'rule cannot apply to both regular resources and non-resource URLs',
    },
    { rule: readPods, error: undefined },
  ])('$error', ({ rule, error }) => {
    expect(ruleError(rule)).toBe(error);
  });
});

describe('a rule that stands for a billion requests', () => {
  const many = (letter: string) => Array.from({ length: 1_000 }, (_, at) => `${letter}${at}`);
  const huge: PolicyRule = { verbs: ['get'], apiGroups: many('g'), resources: many('r'), resourceNames: many('n') };
  it.each<[string, PolicyRule[], boolean]>([
    ['itself', [huge], true],
    ['all', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], true],
    ['all of one verb, without names', [{ verbs: ['get'], apiGroups: ['*'], resources: ['*'] }], true],
    ['one name less', [{ ...huge, resourceNames: many('n').slice(1) }], false],
    ['nothing', [], false],
  ])('is covered by %s: %#', (_what, granted, covered) => {
    expect(coveredBy(granted, huge)).toBe(covered);
  });
});
