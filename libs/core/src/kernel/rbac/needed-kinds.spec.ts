import { describe, expect, it } from 'vitest';
import { deniedRight } from './denied-right.js';
import { distinctKinds, neededToWrite, refusedKindsText } from './needed-kinds.js';

const object = (apiVersion: string, kind: string, name: string, namespace?: string) => ({
  ...{ apiVersion, kind },
  metadata: { name, ...(namespace !== undefined && { namespace }) },
});

describe('the kinds that an install writes', () => {
  it.each([
    ['v1', 'Secret', '', 'secrets'],
    ['policy/v1', 'PodDisruptionBudget', 'policy', 'poddisruptionbudgets'],
    ['networking.k8s.io/v1', 'NetworkPolicy', 'networking.k8s.io', 'networkpolicies'],
    ['scheduling.k8s.io/v1', 'PriorityClass', 'scheduling.k8s.io', 'priorityclasses'],
    ['operators.coreos.com/v1alpha1', 'ClusterServiceVersion', 'operators.coreos.com', 'clusterserviceversions'],
  ])('%s %s is %s/%s', (apiVersion, kind, group, resource) => {
    expect(neededToWrite(object(apiVersion, kind, 'it'))).toMatchObject({ group, resource, name: 'it' });
  });

  it('count once for each namespace', () => {
    const needed = [
      object('v1', 'Secret', 'a', 'x'),
      object('v1', 'Secret', 'b', 'x'),
      object('v1', 'Secret', 'c', 'y'),
    ].map(neededToWrite);
    expect(distinctKinds(needed).map(({ name }) => name)).toEqual(['a', 'c']);
  });
});

describe('the text about kinds that are refused', () => {
  const refused = {
    group: 'monitoring.coreos.com',
    resource: 'servicemonitors',
    name: 'web',
    verbs: ['create', 'patch'],
  };
  const user = 'system:serviceaccount:flotilla-access:applier';

  it('has the words of the API server, so that the right in it is found', () => {
    const text = refusedKindsText(user, [{ ...refused, namespace: 'team' }]);
    expect(text).toBe(
      `servicemonitors.monitoring.coreos.com "web" is forbidden: User "${user}" cannot create resource ` +
        '"servicemonitors" in API group "monitoring.coreos.com" in the namespace "team", nor patch',
    );
    expect(deniedRight(text)).toEqual({
      user,
      verb: 'create',
      resource: 'servicemonitors',
      group: 'monitoring.coreos.com',
    });
  });

  it('stays short', () => {
    const many = Array.from({ length: 12 }, (_, at) => ({ ...refused, group: '', resource: `r${at}`, verbs: ['get'] }));
    expect(refusedKindsText('hub', many)).toMatch(
      /^r0 "web" is forbidden: User "hub" cannot get .*; and 2 more kinds$/,
    );
  });
});
