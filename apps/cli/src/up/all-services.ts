import type { INestApplication } from '@nestjs/common';
import { ClusterBudgets } from '#platform/hub/cluster-budgets';
import type { Hub } from '#platform/hub/hub';
import type { ServiceParts } from '#platform/hub/run-main';
import { OlmDetectors } from '#platform/joining/olm-detectors';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { Applier } from '../../../applier/src/applier.js';
import { applierModule } from '../../../applier/src/applier.module.js';
import { CatalogPoller } from '../../../catalog-poller/src/catalog-poller.js';
import { catalogPollerModule } from '../../../catalog-poller/src/catalog-poller.module.js';
import { ExtensionPoller } from '../../../catalog-poller/src/extension-poller.js';
import { Observer } from '../../../catalog-poller/src/observer.js';
import { ResolverWorker } from '../../../resolver-worker/src/resolver-worker.js';
import { resolverWorkerModule } from '../../../resolver-worker/src/resolver-worker.module.js';

/** The clusters as each service sees them: who writes is told by the field manager. */
export type Clients = Readonly<{ poller: readonly KubeClient[]; applier: readonly KubeClient[] }>;

const STARTING = { up: false, detail: 'is starting' };

/** Poller, resolver worker and applier as parts of one process: one hub, one port, one health. */
export function allServices(hub: Hub, clients: Clients): ServiceParts {
  let poller: CatalogPoller | undefined;
  let extensions: ExtensionPoller | undefined;
  let applier: Applier | undefined;
  const budgets = new ClusterBudgets({ ...hub, clients: [...clients.poller, ...clients.applier] });
  const lookouts = new OlmDetectors(hub, clients.applier);
  return {
    imports: [
      catalogPollerModule(hub, clients.poller, lookouts),
      resolverWorkerModule(hub),
      applierModule(hub, clients.applier, lookouts),
    ],
    port: hub.settings.catalogPollerPort,
    checks: [
      { name: 'watches', check: async () => poller?.freshness.check() ?? STARTING },
      { name: 'extensions', check: async () => extensions?.freshness.check() ?? STARTING },
      { name: 'clusters', check: async () => applier?.clusters.check() ?? STARTING },
      { name: 'olm', check: async () => applier?.leftToOlm.check() ?? STARTING },
      { name: 'openshift', check: async () => applier?.upgrades.check() ?? STARTING },
      hub.refused.check,
      { name: 'joining', check: async () => applier?.joining.check() ?? STARTING },
      budgets.check,
    ],
    drain: (app, deadlineMs) => {
      budgets.stop();
      return drain(app, deadlineMs);
    },
    onStarted: (app) => {
      budgets.start();
      poller = app.get(CatalogPoller);
      extensions = app.get(ExtensionPoller);
      applier = app.get(Applier);
    },
  };
}

/** In the order in which work flows, so that none is handed on to a service that has ended; one deadline for all. */
async function drain(app: INestApplication, deadlineMs: number): Promise<void> {
  const end = performance.now() + deadlineMs;
  for (const service of [Observer, ResolverWorker, Applier]) {
    await app.get<Observer | ResolverWorker | Applier>(service).drain(Math.max(end - performance.now(), 0));
  }
}
