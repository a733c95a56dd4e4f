import { load } from 'js-yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';
import { offer } from './applier-support/made-operator.js';

/** The manifest in the documentation of OpenShift, with name and namespace filled in. */
const manifest = (name: string, namespace: string, status: string) => `
apiVersion: operators.coreos.com/v1
kind: OperatorCondition
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  conditions:
  - type: Upgradeable
    status: "${status}"
    reason: "migration"
    message: "The Operator is performing a migration."
    lastTransitionTime: "2020-08-24T23:15:55Z"
`;

describe('an OperatorCondition of version v1 with spec.conditions', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start();
  });
  afterAll(() => bench.stop());

  const says = (status: string) =>
    bench.client.apply(KubernetesObject.parse(load(manifest('crane.v1.0.0', 'crane', status))));

  it('is kept, holds an upgrade back, and releases it', async () => {
    const first = { version: '1.0.0', objects: [] };
    await offer(bench, 'crane', [first]);
    bench.namespace('crane');
    bench.subscribe('crane', 'crane');
    await bench.installed('crane', 'crane.v1.0.0');
    const { object } = await says('False');
    expect(object['spec']).toMatchObject({
      conditions: [{ type: 'Upgradeable', status: 'False', reason: 'migration' }],
      serviceAccounts: ['crane'],
    });

    await offer(bench, 'crane', [first, { version: '1.1.0', replaces: '1.0.0', objects: [] }]);
    const phase = () => bench.describe('crane');
    await bench.settle('crane', () => phase() === 'crane.v1.0.0 Replacing, crane.v1.1.0 Pending');
    expect(bench.csvs('crane').find(({ metadata }) => metadata.name === 'crane.v1.1.0')?.status).toMatchObject({
      reason: 'OperatorConditionNotUpgradeable',
      message: expect.stringContaining('The Operator is performing a migration.'),
    });
    await says('True');
    await bench.installed('crane', 'crane.v1.1.0');
  });
});
