import type { ConnectionOptions } from 'node:tls';
import { Redis, type RedisOptions } from 'ioredis';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { InvalidRedisUrl, RedisUnreachable } from './redis-errors.js';
import { refusalLine } from './redis-refusal.js';
import { MissingRights } from './redis-rights.js';
import { noteTrouble, type RedisTrouble, withAdvice } from './redis-trouble.js';

type NetStream = Redis['stream'];

const LONGEST_RECONNECT_PAUSE_MS = 2_000;
const NO_ANSWER = 'no answer';

/** The URL without user and password, fit for logs and messages. */
export function withoutCredentials(url: string): string {
  const parsed = parseRedisUrl(url);
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}

/** @throws InvalidRedisUrl; the text itself is not repeated, since it may hold a password */
export function parseRedisUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !['redis:', 'rediss:'].includes(parsed.protocol) || parsed.hostname === '') {
    throw new InvalidRedisUrl();
  }
  return parsed;
}

export type RedisConnection = Readonly<{
  redis: Redis;
  /** What keeps the connection from working; undefined while it works or nothing is known yet. */
  trouble: () => string | undefined;
  /**
   * Which rights the user of the connection lacks, as seen from commands that were
   * refused in the last minute.
   */
  rights: MissingRights;
}>;

/** What TLS needs beyond the authorities that Node.js trusts. */
export type RedisTls = Readonly<Pick<ConnectionOptions, 'ca' | 'cert' | 'key'>>;

/** As {@link openRedis}, for callers that do not ask for the trouble. */
export const connectRedis = (url: string, log: Log = silentLog): Redis => openRedis(url, log).redis;

/**
 * A connection that returns by itself whenever Redis does: commands given meanwhile wait for it, as
 * the queue's workers need. Errors go to the log as text alone, because the client's error objects
 * carry the arguments of AUTH.
 */
export function openRedis(url: string, log: Log, tls?: RedisTls): RedisConnection {
  const address = withoutCredentials(url);
  const rights = new MissingRights(userOf(url));
  const redis = new CheckedRedis(rights, url, {
    ...(tls === undefined ? {} : { tls }),
    maxRetriesPerRequest: null,
    enableReadyCheck: true,
    retryStrategy: (times) => Math.min(LONGEST_RECONNECT_PAUSE_MS, 50 * 2 ** Math.min(times, 6)),
  });
  let trouble: RedisTrouble | undefined;
  const note = (text: string) => {
    const noted = noteTrouble(trouble, text, performance.now());
    trouble = noted.trouble;
    if (noted.log) log.warn({ redis: address, error: trouble.reason }, 'Redis cannot be used; trying again');
  };
  let error: string | undefined;
  redis.on('error', (failure: Error) => {
    error = withAdvice(failure);
    if (!CUT_OFF.test(error)) note(error);
  });
  redis.on('close', async () => {
    const said = error;
    error = undefined;
    if (said !== undefined && !CUT_OFF.test(said)) return;
    const refusal = await refusalLine(new URL(url), tls);
    if (!SETTLED.has(redis.status)) note(refusal ?? said ?? 'the server closed the connection');
  });
  redis.on('ready', () => {
    if (trouble !== undefined) log.info({ redis: address }, 'Redis connection is back');
    trouble = undefined;
  });
  return { redis, trouble: () => trouble?.reason, rights };
}

/**
 * Notes the commands that Redis refuses to the user of the connection, whichever part
 * of the program sent them. Commands that are given at the same time leave in one write.
 */
class CheckedRedis extends Redis {
  #corked: NetStream | undefined;

  constructor(
    private readonly rights: MissingRights,
    url: string,
    options: Omit<RedisOptions, 'replyMapping'>,
  ) {
    super(url, options);
  }

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const [command] = sent;
    command.promise.catch((error: unknown) => this.rights.note(error, command.name));
    this.#writeTogether();
    return super.sendCommand(...sent);
  }

  /** Holds back what is written until all code that runs now has given its commands. */
  #writeTogether(): void {
    const stream: NetStream | undefined = this.stream; // undefined until it connects
    if (stream === undefined || stream === this.#corked) return;
    this.#corked = stream;
    stream.cork();
    process.nextTick(() => {
      this.#corked = undefined;
      stream.uncork();
    });
  }
}

const userOf = (url: string): string => decodeURIComponent(parseRedisUrl(url).username) || 'default';

const SETTLED: ReadonlySet<string> = new Set(['ready', 'end']);

/** Errors that say no more than that the server closed the connection: why, it may have said before. */
const CUT_OFF = /EPIPE|ECONNRESET|Connection is closed/;

/**
 * One PING over a connection of its own, no retries. @throws RedisUnreachable saying
 * why, without the password
 */
export async function pingRedis(url: string, timeoutMs = 5_000, tls?: RedisTls): Promise<void> {
  const redis = new Redis(parseRedisUrl(url).href, {
    ...(tls === undefined ? {} : { tls }),
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false, // it sends INFO, to which not every user has a right
    disableClientInfo: true, // so that PING is the command whose answer is seen
    retryStrategy: () => null,
  });
  let because = NO_ANSWER;
  redis.on('error', (error: Error) => {
    because = withAdvice(error);
  });
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    const text = error instanceof Error && !/closed/i.test(error.message) ? error.message : because;
    const refusal = CUT_OFF.test(text) || text === NO_ANSWER ? await refusalLine(parseRedisUrl(url), tls) : undefined;
    throw new RedisUnreachable(withoutCredentials(url), refusal ?? text);
  } finally {
    redis.disconnect();
  }
}
