import { RedisActionSender } from '#platform/console/redis-action-channel';
import { RedisAuditTrail } from '#platform/console/redis-audit-trail';
import { RedisQuestionAsker } from '#platform/console/redis-question-channel';
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
    const asker = new RedisQuestionAsker({ redis, prefix: settings.redisPrefix, clock });
    const sessions = new RedisSessionStore(redis, settings.redisPrefix);
    const trail = new RedisAuditTrail(redis, settings.redisPrefix);
    const service = await ConsoleService.open({
      settings,
      clock,
      log,
      registry: metrics.registry,
      reader,
      sender,
      asker,
      sessions,
      trail,
    });
    service.follow();
    return { imports: [consoleModule(service)], port: settings.consoleHealthPort };
  },
  { hasKey: false },
);
