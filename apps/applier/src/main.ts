import { APPLIER } from '#core/kernel/actions/field-managers';
import { ClusterBudgets } from '#platform/hub/cluster-budgets';
import { managedClients } from '#platform/hub/managed-clusters';
import { runMain } from '#platform/hub/run-main';
import { Applier } from './applier.js';
import { applierModule } from './applier.module.js';

let applier: Applier | undefined;

await runMain(
  'applier',
  async (hub) => {
    const clients = await managedClients(hub.settings, APPLIER);
    const budgets = new ClusterBudgets({ ...hub, clients });
    return {
      imports: [applierModule(hub, clients)],
      port: hub.settings.applierPort,
      checks: [
        { name: 'clusters', check: async () => applier?.clusters.check() ?? { up: false, detail: 'is starting' } },
        { name: 'olm', check: async () => applier?.leftToOlm.check() ?? { up: false, detail: 'is starting' } },
        { name: 'openshift', check: async () => applier?.upgrades.check() ?? { up: false, detail: 'is starting' } },
        hub.refused.check,
        { name: 'settings', check: async () => applier?.settings.check() ?? { up: false, detail: 'is starting' } },
        { name: 'joining', check: async () => applier?.joining.check() ?? { up: false, detail: 'is starting' } },
        budgets.check,
      ],
      drain: (app, deadlineMs) => {
        budgets.stop();
        return app.get(Applier).drain(deadlineMs);
      },
      onStarted: (app) => {
        budgets.start();
        applier = app.get(Applier);
      },
    };
  },
  { hasKey: true },
);
