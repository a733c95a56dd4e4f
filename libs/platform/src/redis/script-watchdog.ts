import { Redis, type RedisOptions } from 'ioredis';
import type { Log } from '../telemetry/log.port.js';
import { withAdvice } from './redis-advice.js';
import { type RedisTls, redisTarget } from './redis-options.js';
import { noteTrouble, type RedisTrouble } from './redis-trouble.js';
import { parseRedisUrl, withoutCredentials } from './redis-url.js';

/** Redis answers so to all commands but a few while a script runs for longer than `busy-reply-threshold`. */
const BUSY = /^BUSY /;
/** The script ended by itself meanwhile. */
const NOT_BUSY = /^NOTBUSY/;
const UNKILLABLE = /^UNKILLABLE/;
const PAUSE_MS = 500;
const ANSWER_MS = 5_000;

/** True if Redis carries out nothing since a script does not end. */
export const isBusyWithScript = (message: string): boolean => BUSY.test(message);

type ScriptWatchdogOptions = Readonly<{ url: string; tls?: RedisTls | undefined; log: Log }>;

/**
 * Ends a script that keeps Redis from answering any other client, such as one of a stolen resolver (decision
 * 0519). Needs the right `script|kill`: poller and applier have it. It cannot end a script that has written.
 * Redis must then be restarted; the health check of the shipped Redis does so.
 */
export class ScriptWatchdog {
  readonly #address: string;
  #isEnding = false;
  #notBeforeMs = 0;
  #trouble: RedisTrouble | undefined;

  constructor(
    private readonly options: ScriptWatchdogOptions,
    private readonly nowMs: () => number = () => performance.now(),
  ) {
    this.#address = withoutCredentials(options.url);
  }

  /** Takes any error of any command. */
  note(error: unknown): void {
    if (!(error instanceof Error) || !isBusyWithScript(error.message)) return;
    if (this.#isEnding || this.nowMs() < this.#notBeforeMs) return;
    this.#isEnding = true;
    void this.#end().finally(() => {
      this.#isEnding = false;
      this.#notBeforeMs = this.nowMs() + PAUSE_MS;
    });
  }

  async #end(): Promise<void> {
    const { log } = this.options;
    const failure = await killScript(this.options);
    if (failure === undefined) {
      this.#trouble = undefined;
      log.warn({ redis: this.#address }, 'ended a script that kept Redis busy');
      return;
    }
    if (NOT_BUSY.test(failure.message)) return;
    const text = UNKILLABLE.test(failure.message)
      ? `${failure.message}: restart Redis; its data is rebuilt`
      : withAdvice(failure);
    const noted = noteTrouble(this.#trouble, text, this.nowMs());
    this.#trouble = noted.trouble;
    if (noted.log)
      log.error({ redis: this.#address, error: noted.trouble.reason }, 'could not end a script that keeps Redis busy');
  }
}

/**
 * Sends SCRIPT KILL over a separate connection. A connection made while a script runs gets no answer to the
 * usual first questions of clients. Returns the error if that failed.
 */
async function killScript({ url, tls }: ScriptWatchdogOptions): Promise<Error | undefined> {
  const target = redisTarget(url, tls);
  const options: Omit<RedisOptions, 'replyMapping'> = {
    ...target.options,
    db: 0,
    lazyConnect: true,
    connectTimeout: ANSWER_MS,
    commandTimeout: ANSWER_MS,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
    failoverDetector: false,
    sentinelRetryStrategy: () => null,
    retryStrategy: () => null,
  };
  const redis = target.url === undefined ? new Redis(options) : new Redis(withoutDatabase(target.url), options);
  redis.on('error', () => undefined).on('sentinelError', () => undefined);
  try {
    await redis.connect();
    await redis.script('KILL');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    redis.disconnect();
  }
}

/** A script is ended whatever database it works on, and SELECT is refused while it runs. */
function withoutDatabase(url: string): string {
  const parsed = parseRedisUrl(url);
  parsed.pathname = '';
  return parsed.href;
}
