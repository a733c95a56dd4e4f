import type { Redis } from 'ioredis';
import { LONGEST_ANSWER } from '../redis/bounded-connection.js';
import { RedisScript } from '../redis/redis-script.js';

const LONGEST_VALUE = 1_024 * 1_024;

/**
 * Fields and values of hash ARGV[1] in turn, until they have ARGV[2] bytes. A value of more than ARGV[3] is
 * empty. As a key the hash would need the right to write.
 */
const BOUNDED = new RedisScript(`
local found, left = {}, tonumber(ARGV[2])
for _, field in ipairs(redis.call('HKEYS', ARGV[1])) do
  local size = redis.call('HSTRLEN', ARGV[1], field)
  local isLong = size > tonumber(ARGV[3])
  left = left - #field - (isLong and 0 or size)
  if left < 0 then break end
  table.insert(found, field)
  table.insert(found, isLong and '' or redis.call('HGET', ARGV[1], field))
end
return found`);

/**
 * Reads a hash that others write: no more of it than one answer may have. A hash that is too long counts as
 * empty.
 */
export async function boundedHash(redis: Redis, key: string): Promise<(readonly [field: string, value: string])[]> {
  const found = (await BOUNDED.run(redis, [], key, LONGEST_ANSWER, LONGEST_VALUE)) as string[];
  return found.flatMap((field, at) => (at % 2 === 0 ? [[field, found[at + 1] ?? ''] as const] : []));
}
