import type { Redis } from 'ioredis';

/**
 * Adds an entry to stream KEYS[1], of at most about ARGV[1] entries. First deletes a stream that takes no
 * more entries: its entries have the last id, or the key holds no stream.
 */
const ADD_ANEW = `
local function add() return redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*', unpack(ARGV, 2)) end
local id = add()
if type(id) == 'table' and id.err and (id.err:find('exhausted', 1, true) or id.err:find('WRONGTYPE', 1, true)) then
  redis.call('DEL', KEYS[1])
  return add()
end
return id`;
/** Error of Redis for a stream that takes no entry any more. */
const SPOILT = /exhausted the last possible ID|WRONGTYPE/;

/** Writes an entry of the console to one of its streams. Returns the id that Redis gave it. */
export async function sendEntry(
  redis: Redis,
  stream: string,
  most: number,
  fields: readonly string[],
): Promise<string> {
  try {
    return (await redis.xadd(stream, 'MAXLEN', '~', most, '*', ...fields)) ?? '';
  } catch (error) {
    if (!SPOILT.test(String(error))) throw error;
    return String(await redis.eval(ADD_ANEW, 1, stream, most, ...fields));
  }
}
