import { expect, it } from 'vitest';
import { rightLines, rightsOf } from '#core/cluster/membership/role-rights';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { missingRights, unlistedRights } from './missing-rights.js';

const RULES = [
  {
    apiGroups: ['operators.coreos.com'],
    resources: ['catalogsources', 'catalogsources/status'],
    verbs: ['get', 'patch'],
  },
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list'] },
  { nonResourceURLs: ['/version'], verbs: ['get'] },
];

/** An API server that allows what `allows` says of the attributes it is asked for. */
const server = (allows: (spec: Record<string, Record<string, string>>) => boolean): Pick<KubeClient, 'create'> => ({
  create: async <T extends KubernetesObject>(object: T) => ({
    object: { ...object, status: { allowed: allows(object['spec'] as Record<string, Record<string, string>>) } },
    warnings: [],
  }),
});

it('every verb on every resource, subresource and path is a right of its own', () => {
  expect(rightLines(rightsOf(RULES))).toEqual([
    'get, patch catalogsources.operators.coreos.com',
    'get, patch catalogsources/status.operators.coreos.com',
    'list namespaces',
    'get /version',
  ]);
});

it.each([
  { because: 'all is allowed', allows: () => true, lacks: [] },
  {
    because: 'a subresource is asked for as such',
    allows: ({ resourceAttributes }: Record<string, Record<string, string>>) =>
      resourceAttributes?.['subresource'] !== 'status',
    lacks: ['get, patch catalogsources/status.operators.coreos.com'],
  },
  {
    because: 'reading alone is allowed',
    allows: ({ resourceAttributes, nonResourceAttributes }: Record<string, Record<string, string>>) =>
      (resourceAttributes ?? nonResourceAttributes)?.['verb'] !== 'patch',
    lacks: ['patch catalogsources.operators.coreos.com', 'patch catalogsources/status.operators.coreos.com'],
  },
])('$because', async ({ allows, lacks }) => {
  expect(rightLines(await missingRights(server(allows), rightsOf(RULES)))).toEqual(lacks);
});

/** A server that fails so often before it allows everything. */
function failing(times: number, status: number): Pick<KubeClient, 'create'> {
  let left = times;
  const allowing = server(() => true);
  return {
    create: async (object) => {
      if (left-- > 0) throw new KubeApiError('east', status, 'Unavailable', 'the connection broke');
      return allowing.create(object);
    },
  };
}

it.each([
  { times: 1, status: 0, fails: false },
  { times: 2, status: 0, fails: true },
  { times: 1, status: 403, fails: true },
])('is asked again where an answer was lost: $times times, with status $status: fails $fails', async (row) => {
  const asked = missingRights(failing(row.times, row.status), [{ verb: 'get', path: '/version' }]);
  if (row.fails) await expect(asked).rejects.toThrow('the connection broke');
  else expect(await asked).toEqual([]);
});

it('asks about what the API server does not list, and about nothing else', async () => {
  const asked: unknown[] = [];
  const rules = [
    { apiGroups: ['operators.coreos.com'], resources: ['catalogsources'], verbs: ['*'] },
    { apiGroups: [''], resources: ['namespaces'], verbs: ['list'], resourceNames: ['olm'] },
  ];
  const status = { resourceRules: rules, nonResourceRules: [{ nonResourceURLs: ['*'], verbs: ['get'] }] };
  const client: Pick<KubeClient, 'create'> = {
    create: async (object) => {
      if (object.kind === 'SelfSubjectRulesReview') return { object: { ...object, status }, warnings: [] };
      asked.push(object['spec']);
      return server(() => false).create(object);
    },
  };
  const missing = ['get, patch catalogsources/status.operators.coreos.com', 'list namespaces'];
  expect(rightLines(await unlistedRights(client, rightsOf(RULES)))).toEqual(missing);
  expect(asked).toHaveLength(3);
});
