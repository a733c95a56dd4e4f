import { expect, it } from 'vitest';
import { ClusterServiceVersion } from '../../kernel/api/cluster-service-version.js';
import { OperatorGroup } from '../../kernel/api/operator-group.js';
import { contendsForApis } from './contends-for-apis.js';
import { observedCsv, observedOperatorGroup } from './observed-part.js';

const csv = (status: object) =>
  observedCsv({
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: { name: 'mill.v1', namespace: 'team' },
    spec: {
      customresourcedefinitions: { owned: [{ name: 'mills.example.com', version: 'v1', kind: 'Mill' }] },
      apiservicedefinitions: { owned: [{ group: 'grain.example.com', version: 'v2', kind: 'Grain' }] },
    },
    status,
  }) as unknown as ClusterServiceVersion;
const group = (providedAPIs?: string) =>
  OperatorGroup.parse(
    observedOperatorGroup({
      apiVersion: 'operators.coreos.com/v1',
      kind: 'OperatorGroup',
      metadata: {
        ...{ name: 'other', namespace: 'elsewhere' },
        ...(providedAPIs === undefined ? {} : { annotations: { 'olm.providedAPIs': providedAPIs } }),
      },
      status: { namespaces: ['elsewhere'] },
    }),
  );
const succeeded = { phase: 'Succeeded', reason: 'InstallSucceeded' };

it.each<[string, object, string | undefined, boolean]>([
  ['a group with a definition that it owns', succeeded, 'Lamp.v1.example.com,Mill.v1.example.com', true],
  ['a group with an API of a server that it runs', succeeded, 'Grain.v2.grain.example.com', true],
  ['a group with another version of its API', succeeded, 'Mill.v2.example.com', false],
  ['a group with APIs of others', succeeded, 'Lamp.v1.example.com', false],
  ['a group without APIs', succeeded, undefined, false],
  [
    'any group, once two groups provide its API',
    { phase: 'Failed', reason: 'InterOperatorGroupOwnerConflict' },
    undefined,
    true,
  ],
  [
    'any group, once a static group refused its API',
    { phase: 'Failed', reason: 'CannotModifyStaticOperatorGroupProvidedAPIs' },
    undefined,
    true,
  ],
  ['no group for another failure', { phase: 'Failed', reason: 'UnsupportedOperatorGroup' }, undefined, false],
])('an operator contends with %s', (_, status, providedAPIs, contends) => {
  expect(contendsForApis(csv(status), group(providedAPIs))).toBe(contends);
});
