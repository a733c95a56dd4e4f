import { findRedis } from '#platform/redis/local/find-redis';

const found = await findRedis({ log: () => undefined, preferExisting: false });
console.log(`url ${found.url}`);
setInterval(() => undefined, 60_000);
