import { runMain } from '#platform/hub/run-main';
import { ResolverWorker } from './resolver-worker.js';
import { resolverWorkerModule } from './resolver-worker.module.js';

await runMain(
  'resolver-worker',
  async (hub) => ({
    imports: [resolverWorkerModule(hub)],
    port: hub.settings.resolverWorkerPort,
    checks: [],
    drain: (app, deadlineMs) => app.get(ResolverWorker).drain(deadlineMs),
  }),
  { hasKey: false },
);
