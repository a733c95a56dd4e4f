import { findRedis } from '#platform/redis/local/find-redis';

// Tests that run side by side would all install the same package at once.
try {
  const redis = await findRedis({ log: (line) => console.log(line), preferExisting: false });
  await redis.stop();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
