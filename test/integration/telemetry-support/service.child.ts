import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { redisCheck } from '#platform/redis/redis-check';
import { connectRedis } from '#platform/redis/redis-connection';
import { runService } from '#platform/service/run-service';
import { createLog } from '#platform/telemetry/log';
import { Metrics } from '#platform/telemetry/metrics/metrics';
import { thingContract } from '../queue-support/thing.contract.js';
import { partsModule } from './parts.module.js';

const [url = '', prefix = '', jobMs = '0', shutdownMs = '10000'] = process.argv.slice(2);
const log = createLog({ service: 'things', level: 'info' });
const redis = connectRedis(url, log);
const metrics = new Metrics({ processMetrics: false });
const queue = new BullmqJobQueue(thingContract, { redis, prefix, log });
metrics.watchQueues([queue]);
await queue.process(
  async (job, { signal }) => {
    console.log(`started ${job.thing}`);
    await new Promise<void>((resolve) => {
      setTimeout(resolve, Number(jobMs));
      signal.addEventListener('abort', () => resolve());
    });
    if (signal.aborted) throw new Error('told to stop');
    console.log(`finished ${job.thing}`);
  },
  { concurrency: 1 },
);
const service = await runService({
  name: 'things',
  imports: [partsModule({ check: redisCheck(redis), drain: (deadlineMs) => queue.close({ deadlineMs }) })],
  health: { registry: metrics.registry },
  bindAddress: '127.0.0.1',
  port: 0,
  log,
  shutdownTimeoutMs: Number(shutdownMs),
});
console.log(`url ${service.url}`);
