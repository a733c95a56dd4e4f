import { expect } from 'vitest';
import { CATALOG_SOURCE_API, type CatalogSource } from '../../kernel/api/catalog-source.js';
import { type ClusterServiceVersion, CSV_API } from '../../kernel/api/cluster-service-version.js';
import { INSTALL_PLAN_API, type InstallPlan } from '../../kernel/api/install-plan.js';
import type { Diagnosis, HealthState } from './diagnosis.js';

/** One object, its expected diagnosis, and the expected advice. No `todo` means no advice. */
export type DiagnosisCase = Readonly<{
  because: string;
  diagnosis: Diagnosis;
  standing: HealthState;
  says: RegExp;
  todo?: RegExp;
}>;

export const check = ({ diagnosis, standing, says, todo }: DiagnosisCase) => {
  expect(diagnosis.standing).toBe(standing);
  expect(diagnosis.because.join('\n')).toMatch(says);
  expect(diagnosis.todo.join('\n')).toMatch(todo ?? /^$/);
};

export const source = (
  status?: CatalogSource['status'],
  spec: Partial<CatalogSource['spec']> = { image: 'r.example/c:1' },
) => ({
  ...CATALOG_SOURCE_API,
  metadata: { name: 'c', namespace: 'olm' },
  spec: { sourceType: 'grpc', ...spec },
  ...(status === undefined ? {} : { status }),
});
export const state = (lastObservedState: string) => ({ connectionState: { lastObservedState } });

export const step = (name: string, status: string) => ({
  resolving: 'mill.v1',
  status,
  resource: { sourceName: 'c', sourceNamespace: 'olm', group: '', version: 'v1', kind: 'Service', name },
});
export const plan = (
  phase: string,
  more: Partial<NonNullable<InstallPlan['status']>> = {},
  approved = true,
): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name: 'install-1', namespace: 'team' },
  spec: { approval: 'Manual', approved, clusterServiceVersionNames: ['mill.v1'] },
  status: { phase, catalogSources: [], ...more },
});

export const group = (name = 'g') => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OperatorGroup' as const,
  metadata: { name, namespace: 'team' },
});
export const csv = (status?: ClusterServiceVersion['status']): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace: 'team' },
  spec: {},
  ...(status === undefined ? {} : { status }),
});

/** The hub's text about a webhook that did not answer; `more` may name its owner. */
export const unanswered = (where = 'service policy/guard', more = ''): string =>
  'Internal error occurred: failed calling webhook "guard.example.com": failed to call webhook: Post "https://guard": ' +
  `context deadline exceeded; webhook "guard.example.com" is of ValidatingWebhookConfiguration guards (${where}, failurePolicy Fail)${more}`;
