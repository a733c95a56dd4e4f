import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { pause } from '#testing/patience';
import type { ServiceProcess } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

/**
 * The service dies at this command to Redis, of those with the same key pattern the one with this
 * number. Redis never gets it, or the service never gets its answer.
 */
export type RedisPoint = Readonly<{ command: string; number: number; when: 'before' | 'after' }>;

/** Commands that a service sends because time passes, without work. */
const OF_TIME = /^(bzpopmin|info|time|hgetall|client|hello|auth|select) |:(alarm|shards|view|health|epoch)\b|:active$/;

/** Counts the commands of a service to Redis, as a proxy sees them, and kills the service at one point. */
export class RedisCounter {
  killed: string | undefined;
  readonly #counts = new Map<string, number>();
  #point: RedisPoint | undefined;
  #restarted: Promise<void> | undefined;

  constructor(private readonly service: () => ServiceProcess) {}

  /** Begins to count from nothing. */
  begin(point?: RedisPoint): void {
    this.#counts.clear();
    this.killed = undefined;
    this.#point = point;
  }

  /** Ends once a killed service has been started again. */
  async end(): Promise<void> {
    this.#point = undefined;
    if (this.#restarted === undefined) return;
    await this.#restarted;
    while ((await this.service().url()) === undefined) await pause(50);
    this.#restarted = undefined;
  }

  /** Before and after each command that was counted, in a fixed order. */
  points(): RedisPoint[] {
    const commands = [...this.#counts].toSorted(([a], [b]) => byCodeUnit(a, b));
    return commands.flatMap(([command, count]) =>
      Array.from({ length: count }, (_, index) =>
        (['before', 'after'] as const).map((when): RedisPoint => ({ command, number: index + 1, when })),
      ).flat(),
    );
  }

  /** For the proxy: whether a piece goes on to Redis. Commands that are sent at once share a piece. */
  passes(piece: Buffer): boolean {
    let passes = true;
    for (const command of commandsOf(piece).filter((one) => !OF_TIME.test(one))) {
      const number = (this.#counts.get(command) ?? 0) + 1;
      this.#counts.set(command, number);
      if (this.#point?.command !== command || number < this.#point.number) continue;
      const service = this.service();
      this.killed = `${this.#point.when} ${command}, number ${number}`;
      passes = this.#point.when === 'after';
      this.#point = undefined;
      this.#restarted = service.stop('SIGKILL').then(() => service.start());
    }
    return passes;
  }
}

const COMMAND = /\*\d+\r\n\$\d+\r\n([a-z]+)\r\n((?:\$\d+\r\n[^\r]{0,200}\r\n){0,3})/gi;
const PREFIX = /kill-\w{6}/;
const NAMES = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,}/g;

/**
 * Each command that begins in the piece: its name, of a script a part of the hash, and its first key as
 * a pattern.
 */
const commandsOf = (piece: Buffer): string[] =>
  [...piece.toString('latin1').matchAll(COMMAND)].map(([, name = '', rest = '']) => {
    const words = rest.split('\r\n').filter((word) => word !== '' && !word.startsWith('$'));
    const [first = '', , key = ''] = words;
    const verb = name.toLowerCase();
    const of = verb === 'evalsha' ? `${first.slice(0, 6)} ${key}` : first;
    return `${verb} ${of.replace(PREFIX, '').replaceAll(NAMES, '…')}`;
  });
