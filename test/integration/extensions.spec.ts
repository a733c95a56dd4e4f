import { describe } from 'vitest';
import { startRegistry } from '#testing/registry/in-memory-registry';
import { installMissingCrds } from '../../apps/cli/src/clusters/install-crds.js';
import { describeExtensions } from '../story/extension-stories.js';
import { setQuickStage } from '../story/quick-stage.js';

describe('ClusterExtensions on a simulated cluster', () => {
  describeExtensions(async () => {
    const registry = await startRegistry();
    const { clients, strike } = await setQuickStage({ registry });
    const [client] = clients;
    if (client === undefined) throw new Error('a stage without clusters');
    await Promise.all(clients.map((one) => installMissingCrds(one)));
    return { client, registry, strike: () => strike().finally(() => registry.stop()) };
  });
});
