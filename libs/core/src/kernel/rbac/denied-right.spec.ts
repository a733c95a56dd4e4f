import { describe, expect, it } from 'vitest';
import { deniedRight } from './denied-right.js';

const HUB = 'system:serviceaccount:flotilla:applier';

describe('the right that a refusal names', () => {
  it.each([
    {
      text: `cluster "east": list of roles: roles.rbac.authorization.k8s.io is forbidden: User "${HUB}" cannot list resource "roles" in API group "rbac.authorization.k8s.io" at the cluster scope`,
      right: { user: HUB, verb: 'list', resource: 'roles', group: 'rbac.authorization.k8s.io' },
    },
    {
      text: 'secrets is forbidden: User "clerk" cannot watch resource "secrets" in API group "" in the namespace "shop": RBAC: role.rbac.authorization.k8s.io "gone" not found',
      right: { user: 'clerk', verb: 'watch', resource: 'secrets', group: '' },
    },
    {
      text: 'subscriptions.operators.coreos.com "lamp" is forbidden: User "hub" cannot update resource "subscriptions/status" in API group "operators.coreos.com" in the namespace "shop"',
      right: { user: 'hub', verb: 'update', resource: 'subscriptions/status', group: 'operators.coreos.com' },
    },
    { text: 'pods "a" is forbidden: exceeded quota: few', right: undefined },
    { text: 'forbidden: User "hub" cannot get path "/version"', right: undefined },
    { text: 'connection refused', right: undefined },
  ])('$text', ({ text, right }) => {
    expect(deniedRight(text)).toEqual(right);
  });
});
