import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  ActionResult,
  type ActionTarget,
  ConsoleAction,
  targetKey,
} from '#core/fleet/console-actions/console-action';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import type { ActionReceiver, ActionSender } from './action-channel.port.js';

/**
 * Where actions lie in Redis, all of it writable by the console: the applier believes none of it beyond its
 * shape. `actions`: a stream with the JSON of each. Results: a hash from target to JSON.
 */
const keysOf = (prefix: string) =>
  ({
    stream: `${prefix}:console:actions`,
    action: (id: string) => `${prefix}:console:action:${id}`,
    results: (id: string) => `${prefix}:console:results:${id}`,
    claim: (id: string, cluster: string) => `${prefix}:console:claim:${id}:${cluster}`,
    once: (key: string) => `${prefix}:console:once:${key}`,
  }) as const;

const KEPT_SECONDS = 3_600;
const CLAIM_SECONDS = 300;
const MOST_ACTIONS = 1_000;
const WAIT_MS = 20_000;
const AT_ONCE = 20;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

const parsedJson = (text: string | null | undefined): unknown => {
  try {
    return JSON.parse(text ?? 'null');
  } catch {
    return undefined;
  }
};

/** The console's side. */
export class RedisActionSender implements ActionSender {
  readonly #keys: ReturnType<typeof keysOf>;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#keys = keysOf(prefix);
  }

  async send(action: ConsoleAction, key: string): Promise<string> {
    const keys = this.#keys;
    const once = keys.once(createHash('sha256').update(`${action.by}\n${key}`).digest('hex'));
    const known = await this.redis.set(once, action.id, 'EX', KEPT_SECONDS, 'NX', 'GET');
    if (known !== null) return known;
    const text = JSON.stringify(action);
    await this.redis.set(keys.action(action.id), text, 'EX', KEPT_SECONDS);
    await this.redis.xadd(keys.stream, 'MAXLEN', '~', MOST_ACTIONS, '*', 'action', text);
    return action.id;
  }

  async find(id: string): Promise<ConsoleAction | undefined> {
    return ConsoleAction.safeParse(parsedJson(await this.redis.get(this.#keys.action(id)))).data;
  }

  async results(id: string): Promise<readonly ActionResult[]> {
    const values = await this.redis.hvals(this.#keys.results(id));
    return values.flatMap((text) => ActionResult.safeParse(parsedJson(text)).data ?? []);
  }
}

type Options = Readonly<{ redis: Redis; prefix: string; clock: Clock; log: Log }>;
type Entry = [id: string, fields: string[]];

/** The applier's side. Waits for actions on a connection of its own. */
export class RedisActionReceiver implements ActionReceiver {
  readonly #keys: ReturnType<typeof keysOf>;
  readonly #stopped = new AbortController();
  #waiting: Redis | undefined;
  #running: Promise<void> | undefined;

  constructor(private readonly options: Options) {
    this.#keys = keysOf(options.prefix);
  }

  follow(take: (action: ConsoleAction) => void): void {
    this.#running ??= this.#run(take);
  }

  async claim(id: string, cluster: string): Promise<boolean> {
    return (await this.options.redis.set(this.#keys.claim(id, cluster), '1', 'EX', CLAIM_SECONDS, 'NX')) === 'OK';
  }

  async report(id: string, target: ActionTarget, end: ActionEnd): Promise<void> {
    const key = this.#keys.results(id);
    await this.options.redis.hset(key, targetKey(target), JSON.stringify({ ...target, ...end }));
    await this.options.redis.expire(key, KEPT_SECONDS);
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#waiting?.disconnect();
    await this.#running;
  }

  async #run(take: (action: ConsoleAction) => void): Promise<void> {
    const { clock, log } = this.options;
    let place: string | undefined;
    let pause = FIRST_PAUSE_MS;
    while (!this.#stopped.signal.aborted) {
      try {
        place = await this.#next(place ?? `${(await this.#nowMs()) - ACTION_DEADLINE_MS}-0`, take);
        pause = FIRST_PAUSE_MS;
      } catch (error) {
        if (this.#stopped.signal.aborted) return;
        log.warn({ error: String(error) }, 'actions of the console were not read');
        await clock.sleep(pause, this.#stopped.signal);
        pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
      }
    }
  }

  /** Takes what comes after a place; answers the place after it. */
  async #next(place: string, take: (action: ConsoleAction) => void): Promise<string> {
    const { redis, log } = this.options;
    this.#waiting ??= redis.duplicate();
    const answer = await this.#waiting.xread('COUNT', AT_ONCE, 'BLOCK', WAIT_MS, 'STREAMS', this.#keys.stream, place);
    const entries = (answer?.[0]?.[1] ?? []) as Entry[];
    const nowMs = entries.length === 0 ? 0 : await this.#nowMs();
    for (const [id, fields] of entries) {
      if (nowMs - Number(id.split('-')[0]) > ACTION_DEADLINE_MS) continue;
      const { success, data } = ConsoleAction.safeParse(parsedJson(fields[fields.indexOf('action') + 1]));
      if (success) take(data);
      else log.warn({ entry: id }, 'what is no action of the console was dropped');
    }
    return entries.at(-1)?.[0] ?? place;
  }

  /** By the clock of Redis, which also names the entries. */
  async #nowMs(): Promise<number> {
    const [seconds, microseconds] = await this.options.redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
  }
}
