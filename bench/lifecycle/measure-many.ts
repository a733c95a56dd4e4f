import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { type Usage, usageOf } from '../fleet/process-usage.js';
import { startLifecycleEnvironment } from './lifecycle-environment.js';
import { catalogSource, createPatiently, namespace, operatorGroup, subscription } from './lifecycle-objects.js';
import { catalogImage, csvName, putOperators } from './operator-images.js';
import { operatorsRun } from './operators-run.js';

export type ManyMeasures = Readonly<{
  clusters: number;
  operators: number;
  /** From the first Subscription until every operator of every cluster runs. */
  seconds: number;
  usage: ReadonlyMap<string, Usage | undefined>;
}>;

const PLACE = 'fleet';
const PATIENCE_MS_PER_CLUSTER = 60_000;

/** Measures the usage of the services for the same operators in every one of many simulated clusters. */
export async function measureMany(size: Readonly<{ clusters: number; operators: number }>): Promise<ManyMeasures> {
  const environment = await startLifecycleEnvironment({ simulated: size.clusters });
  try {
    const names = Array.from({ length: size.operators }, (_, n) => `many-${n + 1}`);
    await putOperators(
      environment.registry,
      names.map((name) => ({ name, shape: 'full' })),
    );
    const image = catalogImage(environment.registry.host, 1);
    const start = performance.now();
    await Promise.all(environment.clients.map((client) => subscribe(client, names, image)));
    const deadline = start + size.clusters * PATIENCE_MS_PER_CLUSTER;
    for (const client of environment.clients)
      await operatorsRun(client, { namespace: PLACE, csvs: names.map((name) => csvName(name, 1)), deadline });
    const seconds = (performance.now() - start) / 1_000;
    const used = environment.services.map(
      async ({ name, pid }) => [name, pid === undefined ? undefined : await usageOf(pid)] as const,
    );
    return { ...size, seconds, usage: new Map(await Promise.all(used)) };
  } finally {
    await environment.stop();
  }
}

async function subscribe(client: KubeClient, packages: readonly string[], image: string): Promise<void> {
  const objects = [
    namespace(PLACE),
    operatorGroup(PLACE),
    catalogSource(PLACE, image),
    ...packages.map((name) => subscription(PLACE, name, PLACE, name)),
  ];
  for (const object of objects) await createPatiently(client, object);
}
