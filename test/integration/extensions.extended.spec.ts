import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { loadClusters } from '#platform/kube/access/load-clusters';
import { serveCrds } from '#testing/cluster/served-crds';
import { startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { startRegistry } from '#testing/registry/in-memory-registry';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { describeExtensions } from '../story/extension-stories.js';
import { passOverExtension } from '../story/late-pass.js';
import { allRunning, startQuickEnvironment } from '../story/quick-environment.js';
import { expectEnoughRights, withUsersOf } from './redis-support/redis-users.js';
import { startShippedRedis } from './redis-support/shipped-redis.js';

describe('ClusterExtensions on a simulated cluster, with the users of Redis that are shipped', () => {
  let environment: ServicesEnvironment;
  describeExtensions(
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'flotilla-extensions-'));
      const kubeconfig = join(folder, 'kubeconfig');
      const fleet = await startSimulatedFleet({ clusters: ['east'], deploymentReadyAfterMs: 100 });
      await writeFile(kubeconfig, fleet.kubeconfig(), { mode: 0o600 });
      const registry = await startRegistry();
      // A watch of a kind that is not there yet looks for it every few seconds only.
      const [client] = await loadClusters({ kubeconfigs: [kubeconfig], fieldManager: 'tests' });
      if (client === undefined) throw new Error('the fleet has no cluster');
      await serveCrds(client);
      const redis = await startShippedRedis({ prefix: 'extensions' });
      const users = withUsersOf(redis, 'extensions');
      environment = await startQuickEnvironment({ ...users, registry, kubeconfigs: [kubeconfig] });
      const end = async () => {
        await environment.stop();
        await redis.stop();
        await client.close();
        await Promise.all([registry.stop(), fleet.stop(), rm(folder, { recursive: true, force: true, maxRetries: 5 })]);
      };
      return {
        client,
        registry,
        running: () => allRunning(environment.services),
        passLater: (extension, at) => {
          const asApplier = { ...environment, redis: { ...environment.redis, url: redis.urlOf('applier') } };
          return passOverExtension(asApplier, client, extension, at);
        },
        stop: end,
      };
    },
    { all: false },
  );

  it('need no right in Redis that a service lacks', () => expectEnoughRights(environment));
});
