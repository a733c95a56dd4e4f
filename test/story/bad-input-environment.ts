import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { serveCrds } from '#testing/cluster/served-crds';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import type {
  EnvironmentOptions,
  ServicesEnvironment,
} from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import {
  putSampleBundles,
  putSampleCatalog,
  SAMPLE_CATALOG,
} from '../../apps/cli/src/commands/demo/environment/sample-images.js';
import { createCatalog, createNamespace } from './bad-input-fixture.js';
import { EXAMPLES } from './play-story.js';
import { startQuickEnvironment } from './quick-environment.js';

/**
 * An environment with a good catalog in the global namespace of both its clusters, and a registry to put bad
 * things into.
 */
export type BadInputEnvironment = Readonly<{
  environment: ServicesEnvironment;
  registry: InMemoryRegistry;
  east: KubeClient;
  west: KubeClient;
  /** The image of a bundle that can be installed. */
  goodBundle: string;
  stop(): Promise<void>;
}>;

export const GLOBAL_CATALOG = { name: 'samples', namespace: 'olm' };

export async function startBadInputEnvironment(options: EnvironmentOptions = {}): Promise<BadInputEnvironment> {
  const registry = await startRegistry();
  const environment = await startQuickEnvironment({ ...options, registry });
  const [east, west] = environment.clients;
  if (east === undefined || west === undefined) throw new Error('the environment has fewer than two clusters');
  await putSampleBundles(EXAMPLES, registry.put);
  await putSampleCatalog(EXAMPLES, 'v1', registry);
  for (const client of [east, west]) {
    const { name, namespace } = GLOBAL_CATALOG;
    await serveCrds(client);
    await createNamespace(client, namespace, []);
    await createCatalog(client, namespace, { image: `${registry.host}/${SAMPLE_CATALOG}` }, name);
  }
  return {
    environment,
    registry,
    east,
    west,
    goodBundle: `${registry.host}/flotilla-samples/lighthouse-operator-bundle:v1.0.0`,
    stop: async () => {
      await environment.stop();
      await registry.stop();
    },
  };
}
