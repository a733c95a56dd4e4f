import { POLLER } from '#core/actions/field-managers';
import { managedClients } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { CatalogPoller } from './catalog-poller.js';
import { catalogPollerModule } from './catalog-poller.module.js';
import { ExtensionPoller } from './extensions/extension-poller.js';

await runMain(
  'catalog-poller',
  async (hub) => {
    const imports = [catalogPollerModule(hub, await managedClients(hub.settings, POLLER))];
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
      ],
      drain: (app, deadlineMs) => app.get(CatalogPoller).drain(deadlineMs),
      onStarted: (app) => {
        poller = app.get(CatalogPoller);
        extensions = app.get(ExtensionPoller);
      },
    };
  },
  { hasKey: true },
);
