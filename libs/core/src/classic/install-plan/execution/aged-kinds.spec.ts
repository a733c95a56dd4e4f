import { describe, expect, it } from 'vitest';
import { INSTALL_PLAN_API, type InstallPlan } from '../../../kernel/api/install-plan.js';
import { stepOf } from '../steps/install-plan-step.js';
import { agedKinds, bringsAgedApi, unservedText } from './aged-kinds.js';

const object = (kind: string, apiVersion: string) => ({ apiVersion, kind, metadata: { name: 'it' } });
const step = (kind: string, apiVersion: string, status = 'Unknown') => ({
  ...stepOf(object(kind, apiVersion), { resolving: 'tug.v1', sourceName: 's', sourceNamespace: 'olm' }),
  status,
});
const plan = (...steps: ReturnType<typeof step>[]): InstallPlan => ({
  ...INSTALL_PLAN_API,
  metadata: { name: 'install-1', namespace: 'harbour' },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [] },
  status: { phase: 'Installing', catalogSources: [], plan: steps },
});
const CRD = 'CustomResourceDefinition';

describe('versions of built-in APIs that some clusters do not serve', () => {
  it.each([
    { kind: CRD, apiVersion: 'apiextensions.k8s.io/v1beta1', isAged: true },
    { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1beta1', isAged: true },
    { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1alpha1', isAged: true },
    { kind: 'NetworkPolicy', apiVersion: 'networking.k8s.io/v1beta1', isAged: true },
    { kind: CRD, apiVersion: 'apiextensions.k8s.io/v1', isAged: false },
    // An operator may be installed that brings them.
    { kind: 'VerticalPodAutoscaler', apiVersion: 'autoscaling.k8s.io/v1beta1', isAged: false },
    { kind: 'ServiceMonitor', apiVersion: 'monitoring.coreos.com/v1', isAged: false },
  ])('$kind of $apiVersion: $isAged', ({ kind, apiVersion, isAged }) => {
    expect(agedKinds(plan(step(kind, apiVersion)))).toEqual(isAged ? [{ apiVersion, kind }] : []);
    expect(bringsAgedApi([object('ConfigMap', 'v1'), object(kind, apiVersion)])).toBe(isAged);
  });

  it('are not asked for where OLM writes the kind in its own version, nor for steps that are done', () => {
    expect(agedKinds(plan(step('Role', 'rbac.authorization.k8s.io/v1beta1')))).toEqual([]);
    expect(agedKinds(plan(step(CRD, 'apiextensions.k8s.io/v1beta1', 'Present')))).toEqual([]);
    const twice = plan(step(CRD, 'apiextensions.k8s.io/v1beta1'), step(CRD, 'apiextensions.k8s.io/v1beta1'));
    expect(agedKinds(twice)).toHaveLength(1);
  });

  it('are named with bundle and object, if the cluster does not serve them', () => {
    const old = step(CRD, 'apiextensions.k8s.io/v1beta1');
    expect(unservedText(old, [])).toBeUndefined();
    expect(unservedText(old, agedKinds(plan(old)))).toMatch(
      /^api-server resource not found installing CustomResourceDefinition it of bundle tug\.v1: .* apiextensions\.k8s\.io\/v1beta1, and no newer one does$/,
    );
  });

  it.each([
    { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1alpha1', says: ', and no newer one does' },
    { kind: 'Workload', apiVersion: 'scheduling.k8s.io/v1alpha1', says: ': its Kubernetes is another version' },
    { kind: 'Ingress', apiVersion: 'networking.k8s.io/v1beta1', says: ', and no newer one does' },
    { kind: 'ServiceCIDR', apiVersion: 'networking.k8s.io/v1beta1', says: ': its Kubernetes is another version' },
  ])('may be of a newer cluster, unless Kubernetes has removed them: $kind of $apiVersion', ({ says, ...one }) => {
    const open = step(one.kind, one.apiVersion);
    expect(unservedText(open, agedKinds(plan(open)))).toContain(says);
  });
});
