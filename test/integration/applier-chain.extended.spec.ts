import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeDeployment } from './applier-support/made-operator.js';

// If it is ready late, each bundle finds the Deployment already taken by another one.
describe.each([20, 150])(
  'a chain of three bundles with one Deployment, ready after %i ms',
  (deploymentReadyAfterMs) => {
    let bench: ApplierBench;
    beforeAll(async () => {
      bench = await ApplierBench.start({ cached: true, deploymentReadyAfterMs });
    });
    afterAll(() => bench.stop());

    const csv = (name: string, namespace: string): KubernetesObject => {
      const before = { 'chain.v2': 'chain.v1', 'chain.v3': 'chain.v2' }[name];
      return {
        apiVersion: 'operators.coreos.com/v1alpha1',
        kind: 'ClusterServiceVersion',
        metadata: { name, namespace },
        spec: {
          displayName: name,
          version: `${name.slice(-1)}.0.0`,
          installModes: [{ type: 'OwnNamespace', supported: true }],
          install: { strategy: 'deployment', spec: { deployments: [madeDeployment('chain', 'default')] } },
          ...(before === undefined ? {} : { replaces: before }),
        },
      };
    };

    it.each(['123', '132', '213', '231', '312', '321'])(
      'ends with the newest when made in the order %s',
      async (order) => {
        const namespace = `chain-${order}`;
        bench.namespace(namespace);
        bench.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
        for (const version of order) {
          bench.cluster.create(csv(`chain.v${version}`, namespace));
          await bench.pass(namespace);
        }
        await bench.installed(namespace, 'chain.v3');
      },
    );

    // No rule says that the newest replaces the oldest, in OLM neither: the user must choose one of the two.
    it('rests when the middle one is gone before the oldest arrives, and ends with the newest once the oldest is deleted', async () => {
      const namespace = 'chain-gap';
      const ref = (name: string) => ({
        ...{ apiVersion: 'operators.coreos.com/v1alpha1', kind: 'ClusterServiceVersion' },
        ...{ name, namespace },
      });
      bench.namespace(namespace);
      bench.cluster.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } });
      for (const name of ['chain.v3', 'chain.v2']) {
        bench.cluster.create(csv(name, namespace));
        await bench.pass(namespace);
      }
      bench.cluster.delete(ref('chain.v2'));
      await bench.settle(namespace, () => !bench.describe(namespace).includes('chain.v2'));
      bench.cluster.create(csv('chain.v1', namespace));
      await bench.settle(namespace, () => bench.describe(namespace).includes('chain.v1 Succeeded'));
      bench.cluster.requests.clear();
      for (let pass = 0; pass < 3; pass += 1) await bench.pass(namespace);
      const writes = bench.cluster.requests.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb));
      expect(writes, 'the two do not take the Deployment from one another').toEqual([]);
      bench.cluster.delete(ref('chain.v1'));
      await bench.installed(namespace, 'chain.v3');
    });
  },
);
