import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { connectRedis } from '#platform/redis/redis-connection';
import { thingContract } from './thing.contract.js';

const [url = '', prefix = '', lockMs = ''] = process.argv.slice(2);
const options = { redis: connectRedis(url), prefix, lockDurationMs: Number(lockMs) };
const queue = new BullmqJobQueue(thingContract, options);
await queue.process(
  async (job) => {
    console.log(`started ${job.thing}`);
    await new Promise(() => undefined);
  },
  { concurrency: 1 },
);
console.log('ready');
