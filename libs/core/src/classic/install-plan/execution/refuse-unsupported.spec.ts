import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import { stepOf } from '../steps/install-plan-step.js';
import { concludeExecution } from './conclude-execution.js';
import { bundleRefusal, refuseUnsupported } from './refuse-unsupported.js';

const NOW = '2026-01-01T00:00:00Z';
const planOf = (...kinds: readonly string[]): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: 'install-1', namespace: 'harbour' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
  status: {
    phase: 'Installing',
    catalogSources: [],
    plan: kinds.map((kind) =>
      stepOf(
        { apiVersion: 'v1', kind, metadata: { name: 'it' }, spec: { install: { spec: { deployments: [] } } } },
        { resolving: 'tug.v1', sourceName: 's', sourceNamespace: 'olm' },
      ),
    ),
  },
});

describe('kinds that no plan may hold', () => {
  it('are found before anything is applied, and fail the plan at once', () => {
    const plan = planOf('ClusterServiceVersion', 'DaemonSet', 'ConfigMap', 'constructor');
    const outcomes = refuseUnsupported(plan);
    expect([...outcomes.keys()]).toEqual([1, 3]);
    const { status, againAfterMs } = concludeExecution(plan, outcomes, { now: NOW, retryTimeoutMs: 60_000 });
    const message =
      'the InstallPlan contains invalid data: bundle tug.v1 brings DaemonSet "it", and objects of this kind cannot be installed by a plan. Nothing was applied';
    expect(status).toMatchObject({
      phase: 'Failed',
      message,
      conditions: [{ type: 'Installed', status: 'False', reason: 'InstallComponentFailed', message }],
    });
    expect(status.plan?.map((step) => step?.status)).toEqual([
      'Unknown',
      'UnsupportedResource',
      'Unknown',
      'UnsupportedResource',
    ]);
    expect(againAfterMs).toBeUndefined();
  });

  it('are found as well: definitions of OLM’s own APIs', () => {
    const plan = planOf('ClusterServiceVersion', 'CustomResourceDefinition');
    const crd = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'subscriptions.operators.coreos.com' },
    };
    const step = stepOf(crd, { resolving: 'tug.v1', sourceName: 's', sourceNamespace: 'olm' });
    const outcomes = refuseUnsupported({ ...plan, status: { ...plan.status, plan: [step] } as InstallPlan['status'] });
    expect(outcomes.get(0)).toEqual({
      status: 'UnsupportedResource',
      error:
        'bundle tug.v1: CustomResourceDefinition "subscriptions.operators.coreos.com" defines an API of OLM or Flotilla, and no bundle may install or replace it. Nothing was applied',
      patienceMs: 0,
    });
  });

  it('are found as well: a CSV that its own definition refuses', () => {
    const csv = {
      apiVersion: 'operators.coreos.com/v1alpha1',
      kind: 'ClusterServiceVersion',
      metadata: { name: 'tug.v1' },
    };
    expect(bundleRefusal('tug.v1', [csv])).toBe(
      'bundle tug.v1: ClusterServiceVersion: spec.install.spec.deployments is missing',
    );
  });

  it('are not: pull secrets, Secrets of the bundle, monitors', () => {
    expect(refuseUnsupported(planOf('Secret', 'ServiceMonitor', 'Subscription', 'NetworkPolicy')).size).toBe(0);
  });
});
