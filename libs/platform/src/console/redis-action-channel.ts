import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  ACTION_DEADLINE_MS,
  type ActionEnd,
  ActionResult,
  type ActionTarget,
  ConsoleAction,
  targetKey,
} from '#core/view/actions/console-action';
import type { Clock } from '../clock/clock.port.js';
import type { Log } from '../telemetry/log.port.js';
import { boundedHash } from '../view/bounded-hash.js';
import type { ActionReceiver, ActionSender, SentAction } from './action-channel.port.js';
import { FollowedStream, parsedJson } from './followed-stream.js';
import { sendEntry } from './sent-entry.js';

/**
 * Keys of actions in Redis, all of them writable by the console: the applier believes only the proof of an
 * action.
 * `actions`: a stream with the JSON of each and its proof. Results: a hash from target to JSON.
 */
const keysOf = (prefix: string) =>
  ({
    stream: `${prefix}:console:actions`,
    action: (id: string) => `${prefix}:console:action:${id}`,
    results: (id: string) => `${prefix}:console:results:${id}`,
    once: (key: string) => `${prefix}:console:once:${key}`,
  }) as const;

const KEPT_SECONDS = 3_600;
const MOST_ACTIONS = 1_000;

/** The console's side. */
export class RedisActionSender implements ActionSender {
  readonly #keys: ReturnType<typeof keysOf>;

  constructor(
    private readonly redis: Redis,
    prefix: string,
  ) {
    this.#keys = keysOf(prefix);
  }

  async send(action: ConsoleAction, key: string, prove: () => Promise<string>): Promise<string> {
    const keys = this.#keys;
    const once = keys.once(createHash('sha256').update(`${action.by}\n${key}`).digest('hex'));
    const known = await this.redis.set(once, action.id, 'EX', KEPT_SECONDS, 'NX', 'GET');
    if (known !== null) return known;
    // Without a proof nothing is sent, and the same key may be used again.
    const proof = await prove().catch(async (error: unknown) => {
      await this.redis.del(once);
      throw error;
    });
    const text = JSON.stringify(action);
    await this.redis.set(keys.action(action.id), text, 'EX', KEPT_SECONDS);
    await sendEntry(this.redis, keys.stream, MOST_ACTIONS, ['action', text, 'proof', proof]);
    return action.id;
  }

  async find(id: string): Promise<ConsoleAction | undefined> {
    return ConsoleAction.safeParse(parsedJson(await this.redis.get(this.#keys.action(id)))).data;
  }

  async results(id: string): Promise<readonly ActionResult[]> {
    const all = await boundedHash(this.redis, this.#keys.results(id));
    return all.flatMap(([, text]) => ActionResult.safeParse(parsedJson(text)).data ?? []);
  }
}

type Options = Readonly<{ redis: Redis; prefix: string; clock: Clock; log: Log }>;

/** The applier's side. Waits for actions on a connection of its own. */
export class RedisActionReceiver implements ActionReceiver {
  readonly #keys: ReturnType<typeof keysOf>;
  readonly #stream: FollowedStream<ConsoleAction>;

  constructor(private readonly options: Options) {
    this.#keys = keysOf(options.prefix);
    this.#stream = new FollowedStream({
      ...options,
      stream: this.#keys.stream,
      field: 'action',
      shape: ConsoleAction,
      freshMs: ACTION_DEADLINE_MS,
      what: 'actions of the console',
    });
  }

  follow(take: (sent: SentAction) => void): void {
    this.#stream.follow((action, frame) => take({ action, ...frame }));
  }

  async report(id: string, target: ActionTarget, end: ActionEnd): Promise<void> {
    const key = this.#keys.results(id);
    await this.options.redis.hset(key, targetKey(target), JSON.stringify({ ...target, ...end }));
    await this.options.redis.expire(key, KEPT_SECONDS);
  }

  async refuse(id: string, target: ActionTarget, end: ActionEnd): Promise<void> {
    const key = this.#keys.results(id);
    await this.options.redis.hsetnx(key, targetKey(target), JSON.stringify({ ...target, ...end }));
    await this.options.redis.expire(key, KEPT_SECONDS);
  }

  stop(): Promise<void> {
    return this.#stream.stop();
  }
}
