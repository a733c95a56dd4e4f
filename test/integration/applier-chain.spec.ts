import { afterAll, beforeAll, describe, it } from 'vitest';
import type { KubernetesObject } from '#core/api/kubernetes-object';
import { ApplierBench } from './applier-support/applier-bench.js';
import { madeDeployment } from './applier-support/made-operator.js';

describe('a chain of three bundles with one Deployment', () => {
  let bench: ApplierBench;
  beforeAll(async () => {
    bench = await ApplierBench.start({ mirrored: true });
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
});
