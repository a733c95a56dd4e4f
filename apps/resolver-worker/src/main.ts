import { runMain } from '#platform/service/run-main';
import { ResolverWorkerModule } from './resolver-worker.module.js';

await runMain(
  'resolver-worker',
  async ({ settings }) => ({ imports: [ResolverWorkerModule], port: settings.resolverWorkerPort }),
  { hasKey: false },
);
