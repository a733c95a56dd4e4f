import { runMain } from '#platform/service/run-main';
import { consoleModule } from './console.module.js';
import { ConsoleService } from './console.service.js';
import { consoleParts } from './console-parts.js';

await runMain(
  'console',
  async (hub) => {
    const { settings } = hub;
    const service = await ConsoleService.open(consoleParts(hub));
    service.follow();
    return { imports: [consoleModule(service)], port: settings.consoleHealthPort };
  },
  { hasKey: false },
);
