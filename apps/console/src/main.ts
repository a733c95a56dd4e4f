import { RedisActionSender } from '#platform/console/redis-action-channel';
import { RedisSessionStore } from '#platform/console/redis-session-store';
import { runMain } from '#platform/hub/run-main';
import { RedisViewReader } from '#platform/view/redis-view-reader';
import { consoleModule } from './console.module.js';
import { ConsoleService } from './console.service.js';

await runMain(
  'console',
  async ({ settings, clock, log, metrics, redis }) => {
    const reader = new RedisViewReader(redis, settings.redisPrefix);
    const sender = new RedisActionSender(redis, settings.redisPrefix);
    const sessions = new RedisSessionStore(redis, settings.redisPrefix);
    const service = await ConsoleService.open({
      settings,
      clock,
      log,
      registry: metrics.registry,
      reader,
      sender,
      sessions,
    });
    service.follow();
    return { imports: [consoleModule(service)], port: settings.consoleHealthPort };
  },
  { hasKey: false },
);
