import { POLLER } from '#core/kernel/actions/field-managers';
import { ClusterBudgets } from '#platform/hub/cluster-budgets';
import { managedClients } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { CatalogPoller } from './catalog-poller.js';
import { catalogPollerModule } from './catalog-poller.module.js';
import { ExtensionPoller } from './extension-poller.js';
import { Observer } from './observer.js';

await runMain(
  'catalog-poller',
  async (hub) => {
    const clients = await managedClients(hub.settings, POLLER);
    const imports = [catalogPollerModule(hub, clients)];
    const budgets = new ClusterBudgets({ ...hub, clients });
    let poller: CatalogPoller | undefined;
    let extensions: ExtensionPoller | undefined;
    return {
      imports,
      port: hub.settings.catalogPollerPort,
      checks: [
        { name: 'watches', check: async () => poller?.freshness.check() ?? { up: false, detail: 'is starting' } },
        {
          name: 'extensions',
          check: async () => extensions?.freshness.check() ?? { up: false, detail: 'is starting' },
        },
        { name: 'olm', check: async () => poller?.leftToOlm.check() ?? { up: false, detail: 'is starting' } },
        budgets.check,
      ],
      drain: (app, deadlineMs) => {
        budgets.stop();
        return app.get(Observer).drain(deadlineMs);
      },
      onStarted: (app) => {
        budgets.start();
        poller = app.get(CatalogPoller);
        extensions = app.get(ExtensionPoller);
      },
    };
  },
  { hasKey: true },
);
