import { describe, expect, it } from 'vitest';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { gear } from '../world/csv-world.fixture.js';
import type { CsvWorld } from '../world/csv-world.js';
import { apiServiceIssues } from './api-service-issues.js';
import { held, installed } from './serving.fixture.js';

const api = { name: 'wheels', group: 'run.example.org', version: 'v1', kind: 'Wheel', deploymentName: 'gear' };
const csv = gear('v1', { apiservicedefinitions: { owned: [api] } });
const whole = installed(csv);
const withApiService = (change: (one: KubernetesObject) => KubernetesObject): Partial<CsvWorld> => ({
  apiServices: new Map([...whole.apiServices].map(([name, one]) => [name, change(one)])),
});
const RBAC = 'rbac.authorization.k8s.io';

describe('csv-lifecycle.md §3, row "owned APIService resources broken": joined errors', () => {
  it.each<{ parts: Partial<CsvWorld>; says: string | undefined; because: string }>([
    { parts: {}, says: undefined, because: 'all as installed' },
    {
      parts: { apiServices: new Map() },
      says: 'apiservice.apiregistration.k8s.io "v1.run.example.org" not found',
      because: 'no APIService',
    },
    {
      parts: withApiService((one) => ({ ...one, metadata: { ...one.metadata, labels: {} } })),
      says: 'v1.run.example.org is unadoptable',
      because: 'it belongs to somebody else',
    },
    { parts: { services: new Map() }, says: 'service "gear-service" not found', because: 'no Service' },
    {
      parts: withApiService((one) => ({ ...one, spec: { service: { name: 'other', namespace: 'mill' } } })),
      says: 'found APIService and service reference mismatch',
      because: 'it leads elsewhere',
    },
    {
      parts: withApiService((one) => ({ ...one, spec: { ...(one['spec'] as object), caBundle: 'b3RoZXI=' } })),
      says: 'secret gear-service-cert CA cert hash does not match expected',
      because: 'it trusts another authority',
    },
    { parts: { servingCertificates: new Map() }, says: 'secret "gear-service-cert" not found', because: 'no Secret' },
    { parts: { deployments: [] }, says: 'deployment.apps "gear" not found', because: 'no Deployment' },
    {
      parts: { servingCertificates: held({ caHash: 'other' }) },
      says: 'deployment gear CA cert hash does not match expected',
      because: 'the Deployment serves by another authority',
    },
    { parts: { serviceAccounts: [] }, says: 'serviceaccounts "default" not found', because: 'no service account' },
    { parts: { roles: [] }, says: `role.${RBAC} "gear-service-cert" not found`, because: 'no Role' },
    {
      parts: { clusterRoleBindings: [] },
      says: `clusterrolebinding.${RBAC} "gear-service-system:auth-delegator" not found`,
      because: 'no auth-delegator',
    },
    {
      parts: { roleBindings: [], authReaders: [] },
      says: `[rolebinding.${RBAC} "gear-service-cert" not found, rolebinding.${RBAC} "gear-service-auth-reader" not found]`,
      because: 'two bindings gone',
    },
  ])('$because: $says', ({ parts, says }) => {
    expect(apiServiceIssues(csv, { ...whole, ...parts })).toBe(says);
  });
});
