import { describe, expect, it } from 'vitest';
import type { InstallPlanStep } from '../../../kernel/api/install-plan.js';
import { stepOf } from '../steps/install-plan-step.js';
import type { SettledDecision, StepContext } from '../steps/step-world.js';
import { outcomeOf, warningEvent } from './step-outcome.js';

const context: StepContext = {
  plan: { name: 'install-1', namespace: 'harbour', uid: 'plan-uid' },
  clusterServiceVersionNames: ['tug.v1'],
  operatorNamespace: 'olm',
  now: '2026-01-01T00:00:10Z',
  retryTimeoutMs: 60_000,
  migrateStoredVersions: false,
};
const RBAC = 'rbac.authorization.k8s.io/v1';
const object = (kind: string, apiVersion = 'v1') => ({ apiVersion, kind, metadata: { name: 'it' } });
const step = (made: ReturnType<typeof object>): InstallPlanStep =>
  stepOf(made, { resolving: 'tug.v1', sourceName: 'shelf', sourceNamespace: 'olm' });

describe('how a step ended', () => {
  const create: SettledDecision = { actions: [{ do: 'create', object: object('Role') }], status: 'Created' };
  const update: SettledDecision = { actions: [{ do: 'update', object: object('Role') }], status: 'Present' };
  const refused = (reason: string, kindServed?: boolean) =>
    ({ ok: false, message: 'nope', reason, ...(kindServed === undefined ? {} : { kindServed }) }) as const;
  const monitor = step(object('ServiceMonitor', 'monitoring.coreos.com/v1'));

  it.each<[why: string, outcome: object, expected: object]>([
    ['done', outcomeOf(step(object('Role', RBAC)), create, { ok: true, warnings: [] }), { status: 'Created' }],
    [
      'refused',
      outcomeOf(step(object('Role', RBAC)), create, refused('Invalid')),
      { status: 'Unknown', error: 'error creating role it: nope', forbidden: false },
    ],
    [
      'forbidden',
      outcomeOf(step(object('Role', RBAC)), update, refused('Forbidden')),
      { status: 'Unknown', error: 'error updating role it: nope', forbidden: true },
    ],
    [
      'a secret of the bundle',
      outcomeOf(step(object('Secret')), create, refused('Invalid')),
      { status: 'Unknown', error: 'error updating secret: it: nope', forbidden: false },
    ],
    [
      'found though the namespace is gone',
      outcomeOf(monitor, create, refused('NotFound', true)),
      { status: 'Unknown', error: 'error creating unstructured object it: nope', forbidden: false },
    ],
    [
      'a kind the cluster does not know',
      outcomeOf(monitor, create, refused('NotFound', false)),
      {
        status: 'Unknown',
        forbidden: false,
        error:
          'api-server resource not found installing ServiceMonitor it: GroupVersionKind monitoring.coreos.com/v1, Kind=ServiceMonitor ' +
          'not found on the cluster. This API may have been deprecated and removed, see ' +
          'https://kubernetes.io/docs/reference/using-api/deprecation-guide/ for more information.',
      },
    ],
    [
      'a CSV that appeared meanwhile is left',
      outcomeOf(step(object('ClusterServiceVersion', 'operators.coreos.com/v1alpha1')), create, {
        ok: true,
        warnings: [],
        alreadyExisted: true,
      }),
      { status: 'Present' },
    ],
    [
      'a Role that appeared meanwhile is looked at again',
      outcomeOf(step(object('Role', RBAC)), create, { ok: true, warnings: [], alreadyExisted: true }),
      { status: 'Unknown', error: 'it appeared while it was being created' },
    ],
  ])('%s', (_why, outcome, expected) => {
    expect(outcome).toEqual(expected);
  });

  it('reports the API server’s warnings about a step that resolves no operator', () => {
    const dependency = { ...step(object('Service')), resolving: '' };
    expect(warningEvent([0, dependency], context, ['old'])).toMatchObject([
      { type: 'Warning', message: '1 warning(s) generated during operator installation (Service "it"): old' },
    ]);
  });

  it('reports the API server’s warnings', () => {
    expect(warningEvent([3, step(object('Service'))], context, [])).toEqual([]);
    expect(warningEvent([3, step(object('Service'))], context, ['a is old', 'b is gone'])).toMatchObject([
      {
        reason: 'AppliedWithWarnings',
        about: { kind: 'InstallPlan', name: 'install-1', fieldPath: 'status.plan[3]' },
        message: '2 warning(s) generated during installation of operator "tug.v1" (Service "it"): a is old, b is gone',
      },
    ]);
  });
});
