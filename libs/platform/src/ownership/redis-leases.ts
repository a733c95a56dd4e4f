import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { RedisScript, SERVER_NOW } from '../redis/redis-script.js';
import { type Lease, type LeaseRequest, Leases, type LeaseTable } from './leases.port.js';

/**
 * Exchanges leases in one hash with these fields:
 * - `epoch`.
 * - `member NAME`, for each process that is alive: the time until which it counts as alive.
 * - The number of a shard: `FENCE TIME OWNER`. It stays without an owner once the shard is free,
 *   so that the next fencing number is greater.
 *
 * Times are the Redis server's, so the clocks of our processes need not agree. After Redis was emptied,
 * numbers continue from its time. So they are greater than the earlier ones, unless that time was set back.
 *
 * KEYS: the hash. ARGV: member, milliseconds of a lease, an epoch if there is none, `ending` or `alive`,
 * wanted shards. Returns the epoch; members and the milliseconds that each has left; shard, fencing number,
 * milliseconds left and owner of each lease.
 */
const EXCHANGE = new RedisScript(`
${SERVER_NOW}
local key, member, ends = KEYS[1], ARGV[1], now + tonumber(ARGV[2])
local function text(number) return string.format('%.0f', number) end
redis.call('HSETNX', key, 'epoch', ARGV[3])
if ARGV[4] == 'ending' then redis.call('HDEL', key, 'member ' .. member)
else redis.call('HSET', key, 'member ' .. member, text(ends)) end
local wanted, held, members, leases, epoch = {}, {}, {}, {}, ''
for i = 5, #ARGV do
  wanted[ARGV[i]] = true
  held[ARGV[i]] = { 0, 0, '' }
end
local all = redis.call('HGETALL', key)
for i = 1, #all, 2 do
  local field, value = all[i], all[i + 1]
  if field == 'epoch' then epoch = value
  elseif string.sub(field, 1, 7) == 'member ' then
    local left = (tonumber(value) or 0) - now
    if left <= 0 then redis.call('HDEL', key, field)
    else
      members[#members + 1] = string.sub(field, 8)
      members[#members + 1] = text(left)
    end
  else
    local fence, till, owner = string.match(value, '^(%d+) (%d+) (.*)$')
    held[field] = { tonumber(fence) or 0, tonumber(till) or 0, owner or '' }
  end
end
for shard, lease in pairs(held) do
  local fence, till, owner = lease[1], lease[2], lease[3]
  local free = owner == '' or till <= now
  if free then owner = '' end
  if wanted[shard] and (free or owner == member) then
    if free then fence = math.max(fence + 1, now) end
    till, owner = ends, member
  elseif owner == member then till, owner = 0, '' end
  if till ~= lease[2] or owner ~= lease[3] then
    redis.call('HSET', key, shard, text(fence) .. ' ' .. text(till) .. ' ' .. owner)
  end
  if owner ~= '' then
    for _, part in ipairs({ shard, text(fence), text(till - now), owner }) do leases[#leases + 1] = part end
  end
end
return { epoch, members, leases }`);

type RedisLeasesOptions = Readonly<{
  /** Prefix of the key. */
  prefix: string;
  /** The kind of process that owns these shards: `poller`, `applier`. */
  role: string;
  /** Number of shards. Processes with another number share nothing. */
  shards: number;
}>;

/** Leases in Redis: one script for each exchange, so that none is seen half done. */
export class RedisLeases extends Leases {
  readonly #key: string;

  constructor(
    private readonly redis: Redis,
    { prefix, role, shards }: RedisLeasesOptions,
  ) {
    super();
    this.#key = `${prefix}:shards:${role}:${shards}`;
  }

  async exchange({ member, ending, wanted, leaseMs }: LeaseRequest): Promise<LeaseTable> {
    const state = ending ? 'ending' : 'alive';
    const answer = await EXCHANGE.run(this.redis, [this.#key], member, leaseMs, randomUUID(), state, ...wanted);
    const [epoch, members, leases] = Array.isArray(answer) ? answer : [];
    return { epoch: String(epoch), members: membersIn(textsOf(members)), leases: leasesIn(textsOf(leases)) };
  }
}

const textsOf = (answer: unknown): readonly string[] => (Array.isArray(answer) ? answer.map(String) : []);

function membersIn(texts: readonly string[]): ReadonlyMap<string, number> {
  const members = new Map<string, number>();
  for (let at = 0; at + 1 < texts.length; at += 2) members.set(texts[at] ?? '', Number(texts[at + 1]));
  return members;
}

function leasesIn(texts: readonly string[]): ReadonlyMap<number, Lease> {
  const leases = new Map<number, Lease>();
  for (let at = 0; at + 3 < texts.length; at += 4) {
    const [shard, fence, leftMs, owner = ''] = texts.slice(at, at + 4);
    leases.set(Number(shard), { owner, fence: Number(fence), leftMs: Number(leftMs) });
  }
  return leases;
}
