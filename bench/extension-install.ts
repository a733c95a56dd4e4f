import { parseArgs } from 'node:util';
import { CLUSTER_CATALOG_API } from '#core/kernel/api/cluster-catalog';
import { CLUSTER_EXTENSION_API, ClusterExtension } from '#core/kernel/api/cluster-extension';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { startLifecycleEnvironment } from './lifecycle/lifecycle-environment.js';
import { type IsSo, MilestoneStates } from './lifecycle/milestone-states.js';
import { catalogImage, putOperators } from './lifecycle/operator-images.js';
import { machine } from './machine.js';

// Usage: node dist/bench/extension-install.js [--runs 5] [--simulated]. One extension after the other, each
// of a package of its own.

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, simulated: { type: 'boolean', default: false } },
});
const runs = Number(values.runs);
const NAMESPACE = 'fleet';
const SHAPES = ['plain', 'full'] as const;

const environment = await startLifecycleEnvironment({ simulated: values.simulated ? 1 : 0 });
try {
  const rows = await measure(environment.client);
  const cluster = values.simulated ? 'simulated cluster' : 'etcd and kube-apiserver';
  process.stdout.write(`${machine()}; ${cluster}; medians of ${runs} runs\n\n`);
  process.stdout.write('| operator | what | median | slowest |\n| --- | --- | --- | --- |\n');
  for (const { shape, what, times } of rows) {
    const sorted = times.toSorted((a, b) => a - b);
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    process.stdout.write(`| ${shape} | ${what} | ${seconds(median)} | ${seconds(sorted.at(-1) ?? 0)} |\n`);
  }
} finally {
  await environment.stop();
}
process.exit(0);

async function measure(client: KubeClient) {
  const operators = SHAPES.flatMap((shape) =>
    Array.from({ length: runs }, (_, run) => ({ shape, name: `${shape}-${run}` })),
  );
  await putOperators(environment.registry, operators);
  const states = new MilestoneStates(client);
  await states.start();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const source = { type: 'Image', image: { ref: catalogImage(environment.registry.host, 2) } };
  await client.create({ ...CLUSTER_CATALOG_API, metadata: { name: 'shelf' }, spec: { source } });
  await states.until(CLUSTER_CATALOG_API, 'shelf', isServing);
  const times = new Map<string, number[]>();
  const note = (key: string, ms: number) => times.set(key, [...(times.get(key) ?? []), ms]);
  for (const { shape, name } of operators) {
    const catalog = (version: string) => ({ sourceType: 'Catalog', catalog: { packageName: name, version } });
    const begun = performance.now();
    const spec = { namespace: NAMESPACE, source: catalog('1.0.0') };
    await client.create({ ...CLUSTER_EXTENSION_API, metadata: { name }, spec });
    note(`${shape} install`, (await states.until(CLUSTER_EXTENSION_API, name, hasInstalled('1.0.0'))) - begun);
    const changed = performance.now();
    await client.patch({ ...CLUSTER_EXTENSION_API, name }, { spec: { source: catalog('2.0.0') } });
    note(`${shape} update`, (await states.until(CLUSTER_EXTENSION_API, name, hasInstalled('2.0.0'))) - changed);
  }
  await states.stop();
  return [...times].map(([key, all]) => {
    const [shape = '', what = ''] = key.split(' ');
    return { shape, what: `${what}: until installed and ready`, times: all };
  });
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}

/** Installed with this version, and all of its objects ready. */
function hasInstalled(version: string): IsSo {
  return (object) => {
    const { status } = ClusterExtension.parse({ ...object, ...CLUSTER_EXTENSION_API });
    const isTrue = (wanted: string) =>
      status?.conditions?.some(({ type, status: is }) => type === wanted && is === 'True');
    return status?.install?.bundle.version === version && isTrue('Installed') === true && isTrue('Available') === true;
  };
}

function isServing(object: KubernetesObject): boolean {
  const { conditions = [] } = Object(object['status']);
  return conditions.some(({ type, status }: Record<string, unknown>) => type === 'Serving' && status === 'True');
}
