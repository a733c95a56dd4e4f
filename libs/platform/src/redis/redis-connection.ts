import { Redis, type RedisOptions } from 'ioredis';
import { type Log, silentLog } from '../telemetry/log.port.js';
import { withAdvice } from './redis-advice.js';
import { clockSkew } from './redis-clock.js';
import { RedisUnreachable, RedisUnusable } from './redis-errors.js';
import { type RedisTarget, type RedisTls, reconnectPauseMs, redisTarget } from './redis-options.js';
import { refusalLine, sentinelFailure } from './redis-refusal.js';
import { RedisRefusals } from './redis-refusals.js';
import { MissingRights } from './redis-rights.js';
import { NOTHING_KNOWN, type RedisServerInfo, readServerInfo, unusableText } from './redis-server-info.js';
import { ALL_SENTINELS, noteTrouble, type RedisTrouble } from './redis-trouble.js';
import { parseSentinelUrl, speaksTls, userOf, withoutCredentials } from './redis-url.js';

type NetStream = Redis['stream'];

const NO_ANSWER = 'no answer';
const CLOSED = 'the server closed the connection';
const SPEAK_TLS = 'if it uses TLS only, write rediss:// instead of redis:// in FLOTILLA_REDIS_URL';

export type RedisConnection = Readonly<{
  redis: Redis;
  /** Returns the reason the connection does not work. Undefined while it works or nothing is known yet. */
  trouble: () => string | undefined;
  /** Missing rights of the connection's user, as seen from commands that Redis refused in the last minute. */
  rights: MissingRights;
  refusals: RedisRefusals;
  /** Returns the facts of the last answer to INFO, requested at each connect. */
  serverInfo: () => RedisServerInfo;
}>;

/** Opens a connection as {@link openRedis}, for callers that do not ask for the trouble. */
export const connectRedis = (url: string, log: Log = silentLog): Redis => openRedis(url, log).redis;

/**
 * Opens a connection that returns by itself whenever Redis does. Commands given meanwhile wait for it, as the
 * queue's workers need. Errors go to the log as text alone, because the client's error objects carry the
 * arguments of AUTH. `onUnusable` is called before anything is sent to a Redis that the hub cannot work with.
 * `onError` is called with every error of every command.
 */
export function openRedis(
  url: string,
  log: Log,
  tls?: RedisTls,
  onUnusable: (error: RedisUnusable) => void = () => undefined,
  onError: (error: unknown) => void = () => undefined,
): RedisConnection {
  const address = withoutCredentials(url);
  const rights = new MissingRights(userOf(url));
  const refusals = new RedisRefusals();
  let info = NOTHING_KNOWN;
  const redis = new CheckedRedis(redisTarget(url, tls), {
    onError: (error, command) => {
      const isNews = rights.text === undefined;
      rights.note(error, command);
      refusals.note(error);
      onError(error);
      if (isNews && rights.text !== undefined)
        log.warn({ redis: address, error: rights.text }, 'Redis refuses commands');
    },
    onInfo: (answer) => {
      info = readServerInfo(answer, info);
      const refusal = unusableText(info);
      if (refusal !== undefined) onUnusable(new RedisUnusable(address, refusal));
    },
  });
  redis.on('ready', async () => {
    const skew = await clockSkew(redis, Date.now);
    if (skew !== undefined) log.warn({ redis: address, error: skew }, 'clocks differ');
  });
  const trouble = watchTrouble(redis, { url, address, log, ...(tls && { tls }) });
  return { redis, trouble, rights, refusals, serverInfo: () => info };
}

type Place = Readonly<{ url: string; address: string; log: Log; tls?: RedisTls }>;

/**
 * Notes and logs the trouble that keeps the connection from working. Returns a function that returns the last
 * trouble while it lasts.
 */
function watchTrouble(redis: Redis, { url, address, log, tls }: Place): () => string | undefined {
  const sentinels = parseSentinelUrl(url);
  let trouble: RedisTrouble | undefined;
  let before: RedisTrouble | undefined;
  let wasReady = false;
  const note = (text: string) => {
    const noted = noteTrouble(trouble, text, performance.now(), before);
    trouble = noted.trouble;
    if (noted.log) log.warn({ redis: address, error: trouble.reason }, 'Redis cannot be used; trying again');
  };
  let error: string | undefined;
  let sentinelError: Error | undefined;
  redis.on('sentinelError', (failure: Error) => {
    sentinelError = failure;
  });
  redis.on('error', async (failure: Error) => {
    if (ALL_SENTINELS.test(failure.message)) {
      const met = await sentinelFailure(sentinelError ?? failure, speaksTls(url), tls);
      if (!SETTLED.has(redis.status)) note(withAdvice(met));
      return;
    }
    error = withAdvice(failure);
    if (!CUT_OFF.test(error)) note(error);
  });
  redis.on('close', async () => {
    const said = error;
    error = undefined;
    if (said !== undefined && !CUT_OFF.test(said)) return;
    const refusal = sentinels === undefined ? await refusalLine(new URL(url), tls) : undefined;
    const closed = wasReady || speaksTls(url) ? CLOSED : `${CLOSED}: ${SPEAK_TLS}`;
    if (!SETTLED.has(redis.status)) note(refusal ?? said ?? closed);
  });
  redis.on('ready', () => {
    if (trouble?.isLogged === true) log.info({ redis: address }, 'Redis connection is back');
    before = trouble ?? before;
    trouble = undefined;
    wasReady = true;
  });
  return () => trouble?.reason;
}

type Notes = Readonly<{
  /** Gets every error of every command, whichever part of the program sent it. */
  onError: (error: unknown, command: string) => void;
  onInfo: (answer: string) => void;
}>;

/** Passes on what Redis answers. Commands that are given at the same time leave in one write. */
class CheckedRedis extends Redis {
  readonly #notes: Notes;
  #corked: NetStream | undefined;

  constructor({ url, options }: RedisTarget, notes: Notes) {
    const checked = { ...options, maxRetriesPerRequest: null, enableReadyCheck: true, retryStrategy: reconnectPauseMs };
    super(...((url === undefined ? [checked] : [url, checked]) as [string, Omit<RedisOptions, 'replyMapping'>]));
    this.#notes = notes; // it connects later
  }

  override sendCommand(...sent: Parameters<Redis['sendCommand']>): unknown {
    const [command] = sent;
    const { name } = command;
    command.promise.then(
      (answer: unknown) => {
        if (name === 'info' && typeof answer === 'string') this.#notes.onInfo(answer);
      },
      (error: unknown) => this.#notes.onError(error, name),
    );
    this.#writeTogether();
    return super.sendCommand(...sent);
  }

  /**
   * Returns a connection for commands that wait. This connection logs the trouble of both once. The listener
   * is empty: the client prints errors that have no listener.
   */
  override duplicate(...options: Parameters<Redis['duplicate']>): Redis {
    return super.duplicate(...options).on('error', () => undefined);
  }

  /** Holds back writes until all code that runs now has given its commands. */
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

const SETTLED: ReadonlySet<string> = new Set(['ready', 'end']);

/** Errors that say no more than that the server closed the connection: why, it may have said before. */
const CUT_OFF = /EPIPE|ECONNRESET|Connection is closed/;

/**
 * Sends one PING over a separate connection, without retries.
 * @throws RedisUnreachable with the reason, without the password; RedisUnusable if the hub cannot work with
 * this Redis
 */
export async function pingRedis(url: string, timeoutMs = 5_000, tls?: RedisTls): Promise<void> {
  const target = redisTarget(url, tls);
  const options: Omit<RedisOptions, 'replyMapping'> = {
    ...target.options,
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    sentinelCommandTimeout: timeoutMs,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false, // it sends INFO, to which not every user has a right
    disableClientInfo: true, // so that PING is the command whose answer is seen
    failoverDetector: false,
    sentinelRetryStrategy: () => null,
    retryStrategy: () => null,
  };
  const redis = target.url === undefined ? new Redis(options) : new Redis(target.url, options);
  let seen: Error | undefined;
  const note = (error: Error) => {
    if (!ALL_SENTINELS.test(error.message)) seen = error;
  };
  redis.on('sentinelError', note);
  redis.on('error', note);
  try {
    await redis.connect();
    await redis.ping();
  } catch (error) {
    redis.disconnect();
    throw new RedisUnreachable(withoutCredentials(url), await reasonOf(error, seen, { url, ...(tls && { tls }) }));
  }
  try {
    const refusal = unusableText(readServerInfo(await redis.info().catch(() => '')));
    if (refusal !== undefined) throw new RedisUnusable(withoutCredentials(url), refusal);
  } finally {
    redis.disconnect();
  }
}

/** Returns the reason a connection failed: the server's answer, otherwise the client's error. */
async function reasonOf(error: unknown, seen: Error | undefined, { url, tls }: Pick<Place, 'url' | 'tls'>) {
  const answered = error instanceof Error && !/closed/i.test(error.message) && !ALL_SENTINELS.test(error.message);
  const failure = answered ? error : seen;
  if (parseSentinelUrl(url) !== undefined)
    return failure === undefined ? NO_ANSWER : withAdvice(await sentinelFailure(failure, speaksTls(url), tls));
  if (failure !== undefined && !CUT_OFF.test(failure.message)) return withAdvice(failure);
  return (await refusalLine(new URL(url), tls)) ?? failure?.message ?? NO_ANSWER;
}
