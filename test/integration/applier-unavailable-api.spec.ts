import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeDeployment, offer } from './applier-support/made-operator.js';

const GROUP = 'tides.example.com';
const TIDES = 'tide-operator.v1.0.0';
const LABEL = 'operators.coreos.com/tide-operator.lights';

describe('an operator whose aggregated API does not answer', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start({ cached: true });
    bench.namespace('lights');
    // On the network of its node no process listens at the first port.
    const owned = { group: GROUP, version: 'v1', kind: 'Tide', name: 'tides', deploymentName: 'tide-api' };
    await offer(bench, 'tide-operator', [
      {
        version: '1.0.0',
        objects: [],
        deployments: [madeDeployment('tide-api', 'tide-operator', { hostNetwork: true })],
        spec: { apiservicedefinitions: { owned: [{ ...owned, containerPort: 1 }] } },
      },
    ]);
    bench.subscribe('lights', 'tide-operator');
    bench.subscribe('lights', 'lighthouse-operator');
    // The status of an Operator waits for a CSV that has just begun to install (why: classic.md "The status
    // of an Operator waits for two seconds").
    await bench.settle(
      'lights',
      () => csv('lighthouse-operator.v1.0.0')?.status?.phase === 'Succeeded' && kinds().has('ClusterServiceVersion'),
    );
  });
  afterAll(() => bench.stop());

  const csv = (name: string) => bench.csvs('lights').find(({ metadata }) => metadata.name === name);

  /** Those of the components of its Operator. */
  const kinds = () => {
    const operator = { apiVersion: 'operators.coreos.com/v1', kind: 'Operator', name: 'tide-operator.lights' };
    const status = bench.cluster.get(operator)?.['status'] as
      | { components?: { refs?: { kind: string }[] } }
      | undefined;
    return new Set(status?.components?.refs?.map(({ kind }) => kind));
  };

  it('waits for it, as in OLM, while everything else of its namespace goes on', async () => {
    expect(csv(TIDES)?.status).toMatchObject({
      phase: 'Installing',
      reason: 'InstallWaiting',
      message: 'apiServices not installed',
    });
    await expect(bench.pass('lights'), 'a pass of the namespace').resolves.toMatchObject({ rounds: 1 });
  });

  it('has its labels and its Operator object', () => {
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'tide-api', namespace: 'lights' };
    expect(bench.cluster.get(deployment)?.metadata.labels).toHaveProperty([LABEL]);
    expect(kinds()).toEqual(
      new Set([
        'APIService',
        'ClusterServiceVersion',
        'ClusterRoleBinding',
        'Deployment',
        'InstallPlan',
        'OperatorCondition',
        'Role',
        'RoleBinding',
        'Secret',
        'Service',
        'ServiceAccount',
        'Subscription',
      ]),
    );
  });

  it('can be deleted', async () => {
    const subscription = { apiVersion: 'operators.coreos.com/v1alpha1', kind: 'Subscription', namespace: 'lights' };
    bench.cluster.delete({ ...subscription, name: 'tide-operator' });
    bench.cluster.delete({ ...subscription, kind: 'ClusterServiceVersion', name: TIDES });
    await bench.settle('lights', () => csv(TIDES) === undefined);
    const apiService = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: `v1.${GROUP}` };
    expect(bench.cluster.get(apiService)).toBeUndefined();
  });
});
