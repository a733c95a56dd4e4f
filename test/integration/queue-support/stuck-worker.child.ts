import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { connectRedis } from '#platform/redis/redis-connection';
import { thingContract } from './thing.contract.js';

const [url = '', prefix = ''] = process.argv.slice(2);
const queue = new BullmqJobQueue(thingContract, { redis: connectRedis(url), prefix });
await queue.process(
  async (job) => {
    console.log(`started ${job.thing}`);
    await new Promise(() => undefined);
  },
  { concurrency: 1 },
);
console.log('ready');
