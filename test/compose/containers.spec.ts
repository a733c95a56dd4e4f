import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { BullmqJobQueue } from '#platform/queue/bullmq-job-queue';
import { connectRedis } from '#platform/redis/redis-connection';
import { CATALOG_LABEL, pullCatalog } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { pushImage } from '#platform/registry/image-push';
import { startTcpProxy } from '#testing/control-plane/tcp-proxy';
import { baseImages, registryImage } from '#testing/docker-engine/base-images';
import { docker } from '#testing/docker-engine/docker-command';
import { dockerFolder, findEngine } from '#testing/docker-engine/find-engine';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { jobQueueConformance } from '../integration/queue-support/job-queue.conformance.js';
import { thingContract } from '../integration/queue-support/thing.contract.js';
import { StartedContainers } from './started-containers.js';

const search = { environment: process.env, log: (line: string) => console.log(line) };
const engine = await findEngine(search);
const images = typeof engine === 'string' ? engine : await baseImages(engine, dockerFolder(process.env), search);
const registry =
  typeof engine === 'string' || typeof images === 'string'
    ? { because: 'there is no engine' }
    : await registryImage(engine, dockerFolder(process.env), search);
const isThere = typeof images !== 'string';
if (!isThere) console.log(`not run: ${images}`);
if (!isThere && typeof engine !== 'string') await engine.stop();

const parts = () => {
  if (typeof engine === 'string' || typeof images === 'string') throw new Error(String(images));
  return { engine, images };
};

describe(
  'servers that testcontainers starts',
  needing({ isThere, what: `a Docker engine (${String(images)})` }),
  () => {
    let containers: StartedContainers;
    beforeAll(async () => {
      containers = await StartedContainers.in(parts().engine, parts().images.redis);
    });
    afterAll(async () => {
      await containers?.stop();
      await parts().engine.stop();
    });

    describe('Redis, as docker-compose.yml has it', () => {
      let url = '';
      beforeAll(async () => {
        ({ url } = await containers.redis());
      });

      jobQueueConformance(async (options = {}) => {
        const redis = connectRedis(url);
        const backoff = { firstMs: 40, longestMs: 200 };
        const queue = new BullmqJobQueue(thingContract, { redis, prefix: randomUUID(), backoff, ...options });
        const dispose = async () => {
          await queue.close({ deadlineMs: 0 }).catch(() => undefined);
          redis.disconnect();
        };
        return { queue, dispose };
      });
    });

    it('Sentinel: writes go on when the machine of the master is gone, with its address', async () => {
      const master = await containers.redis();
      const replica = await containers.redis(master);
      const watching = connectRedis(replica.url);
      onTestFinished(() => watching.disconnect());
      await expect.poll(() => watching.info('replication'), PATIENCE).toContain('master_link_status:up');
      const sentinel = await containers.sentinel(master);
      const redis = connectRedis(sentinel.url);
      onTestFinished(() => redis.disconnect());
      await redis.set('before', 'there');
      await expect.poll(() => watching.get('before'), PATIENCE).toBe('there');
      await docker(parts().engine, ['kill', master.container.getId()]);
      await expect.poll(() => redis.set('after', 'there').catch(String), PATIENCE).toBe('OK');
      expect([await watching.get('after'), await redis.get('before')]).toEqual(['there', 'there']);
    });

    const needs = needing({ isThere: 'image' in registry, what: 'because' in registry ? registry.because : 'nothing' });
    it('a registry: takes a catalog, which the engine pulls by tag and by digest', needs, async () => {
      const { address } = await containers.registry('image' in registry ? registry.image : '');
      // Engines and our client take plain HTTP from loopback alone.
      const proxy = await startTcpProxy({ host: address, port: 5000 });
      onTestFinished(() => proxy.stop());
      const reference = `127.0.0.1:${proxy.port}/acme/catalog`;
      const file = { path: 'configs/etcd/catalog.yaml', bytes: Buffer.from('schema: olm.package\nname: etcd\n') };
      const image = await buildImage({ files: [file], labels: { [CATALOG_LABEL]: '/configs' } });
      const client = new HttpRegistryClient();
      await pushImage(client, `${reference}:v1`, image);
      const { files } = await pullCatalog(client, `${reference}:v1`);
      expect(files.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual([file.bytes.toString()]);
      const pinned = `${reference}@${image.manifest.digest}`;
      // With its tag, its digest goes, too.
      onTestFinished(async () => void (await docker(parts().engine, ['image', 'rm', `${reference}:v1`])));
      for (const one of [`${reference}:v1`, pinned]) await docker(parts().engine, ['pull', '--quiet', one]);
      const format = '{{json .RepoDigests}} {{json .Config.Labels}}';
      const inspected = await docker(parts().engine, ['image', 'inspect', '--format', format, `${reference}:v1`]);
      expect(inspected).toContain(pinned);
      expect(inspected).toContain(CATALOG_LABEL);
    });
  },
);
