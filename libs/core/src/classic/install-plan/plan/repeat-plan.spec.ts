import { describe, expect, it } from 'vitest';
import { type ClusterServiceVersion, CSV_API } from '../../../kernel/api/cluster-service-version.js';
import { INSTALL_PLAN_API, type InstallPlan, type InstallPlanStep } from '../../../kernel/api/install-plan.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { stepOf } from '../steps/install-plan-step.js';
import { isUndone, repeatableSteps, repeatedStatus } from './repeat-plan.js';

const RBAC = 'rbac.authorization.k8s.io/v1';
const object = (kind: string, name: string, more: object = {}, apiVersion = 'v1'): KubernetesObject => ({
  ...{ apiVersion, kind, metadata: { name } },
  ...more,
});
const step = (of: KubernetesObject, status = 'Created', resolving = 'mill.v1'): InstallPlanStep => ({
  ...stepOf(of, { resolving, sourceName: 's', sourceNamespace: 'olm' }),
  status,
});
const plan = (steps: readonly (InstallPlanStep | null)[], phase = 'Complete'): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name: 'install-1', namespace: 'team' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: ['mill.v1'] },
  status: {
    ...{ phase, catalogSources: [], startTime: '2026-01-01T00:00:00Z', plan: [...steps] },
    conditions: [{ type: 'Installed', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
  },
});
const csv = (phase: string, metadata: object = {}, status: object = {}): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace: 'team', ...metadata },
  spec: {},
  status: { phase, ...status },
});
const account = object('ServiceAccount', 'mill');
const role = (verbs: string[]) =>
  object('Role', 'mill', { rules: [{ apiGroups: [''], resources: ['pods'], verbs }] }, RBAC);

describe('the steps of a complete plan that may be executed again', () => {
  const all = [
    step(object('ClusterServiceVersion', 'mill.v1', {}, 'operators.coreos.com/v1alpha1')),
    step(object('Subscription', 'gear', {}, 'operators.coreos.com/v1alpha1')),
    step(object('Secret', 'seal')),
    step(object('CustomResourceDefinition', 'mills.example.com', {}, 'apiextensions.k8s.io/v1'), 'Present'),
    step(account),
    null,
    step(role(['get']), 'Unknown'),
  ];
  const refs = (one: InstallPlan, csvs: ClusterServiceVersion[]) =>
    repeatableSteps(one, csvs).map(({ index, ref }) => [index, ref.kind, ref.name, ref.namespace]);

  it('are those that are done, but for ClusterServiceVersions and Subscriptions', () => {
    expect(refs(plan(all), [csv('Pending')])).toEqual([
      [2, 'Secret', 'seal', 'team'],
      [3, 'CustomResourceDefinition', 'mills.example.com', undefined],
      [4, 'ServiceAccount', 'mill', 'team'],
    ]);
  });

  it.each<[why: string, phase: string, csvs: ClusterServiceVersion[]]>([
    ['of a plan that failed', 'Failed', [csv('Pending')]],
    ['whose version is gone', 'Complete', []],
    ['whose version is being replaced', 'Complete', [csv('Replacing')]],
    ['whose version is being deleted', 'Complete', [csv('Succeeded', { deletionTimestamp: '2026-01-01T00:00:00Z' })]],
    ['whose version is a copy', 'Complete', [csv('Succeeded', {}, { reason: 'Copied' })]],
  ])('are none %s', (_why, phase, csvs) => {
    expect(refs(plan(all, phase), csvs)).toEqual([]);
  });

  const done = (of: KubernetesObject) => {
    const [found] = repeatableSteps(plan([step(of)]), [csv('Succeeded')]);
    if (found === undefined) throw new Error('no step');
    return found;
  };
  const binding = (name: string) =>
    object(
      'RoleBinding',
      'mill',
      { roleRef: { kind: 'Role', name: 'mill' }, subjects: [{ kind: 'ServiceAccount', name }] },
      RBAC,
    );
  it.each<[what: string, made: KubernetesObject, live: KubernetesObject | undefined, undone: boolean]>([
    ['a ServiceAccount that is gone', account, undefined, true],
    ['a ServiceAccount with other labels', account, object('ServiceAccount', 'mill', { secrets: [] }), false],
    [
      'a ConfigMap that users edited',
      object('ConfigMap', 'c', { data: { a: '1' } }),
      object('ConfigMap', 'c', { data: {} }),
      false,
    ],
    ['a Role as it was made', role(['get']), role(['get']), false],
    ['a Role with other rules', role(['get']), role([]), true],
    ['a binding of another account', binding('mill'), binding('other'), true],
  ])('have undone objects: %s, %#', (_what, made, live, undone) => {
    expect(isUndone(done(made), live)).toBe(undone);
  });

  it('leave all others as they are, and begin the time anew', () => {
    const { status } = plan([step(account), step(role(['get']))]);
    if (status === undefined) throw new Error('no status');
    const repeated = repeatedStatus(status, [done(account)], '2026-01-02T00:00:00Z');
    expect(repeated.plan?.map((one) => one?.status)).toEqual(['Unknown', 'Created']);
    expect(repeated).toMatchObject({
      phase: 'Installing',
      conditions: [{ status: 'False', reason: 'RetryRequested' }],
    });
    expect(repeated).not.toHaveProperty('startTime');
  });
});
