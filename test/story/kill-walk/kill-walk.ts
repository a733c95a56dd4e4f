import { isDeepStrictEqual } from 'node:util';
import type { ExpectStatic } from 'vitest';
import type { InMemoryRegistry } from '#testing/registry/in-memory-registry';
import { type KillEnvironment, startKillEnvironment } from './kill-environment.js';
import {
  atClusterLevel,
  clearAway,
  OLD,
  offerWalkedOperator,
  type Played,
  playWalked,
  putWalkedOperator,
} from './walked-story.js';
import type { WhatsLeft } from './whats-left.js';
import type { KillPoint } from './write-counter.js';

/** Longer than a busy machine holds up a service between two writes. */
const STILL_FOR_MS = 5_000;

/** An environment for repeated plays of the scenario. Each begins with an empty cluster. */
export class KillWalk {
  private constructor(
    readonly environment: KillEnvironment,
    private readonly before: ReadonlySet<string>,
  ) {}

  /** `own`: as for {@link startKillEnvironment}. */
  static async start(
    redisUrl: string,
    registry: InMemoryRegistry,
    own: Parameters<typeof startKillEnvironment>[1] = {},
  ): Promise<KillWalk> {
    const environment = await startKillEnvironment(redisUrl, own);
    try {
      await putWalkedOperator(registry);
      await offerWalkedOperator(environment, registry);
      return new KillWalk(environment, atClusterLevel(environment));
    } catch (error) {
      await environment.stop();
      throw error;
    }
  }

  /** No process is killed; ends when nothing has moved for a while. */
  async undisturbed(): Promise<Played> {
    let last: WhatsLeft | undefined;
    let since = performance.now();
    return this.#play([], (left) => {
      if (!isDeepStrictEqual(left, last) || namesTheOld(left)) since = performance.now();
      last = left;
      return performance.now() - since > STILL_FOR_MS;
    });
  }

  /** The applier is killed; the end must be that of the undisturbed story. */
  async disturbed(kills: readonly KillPoint[], { left: wanted }: Played, expect: ExpectStatic): Promise<Played> {
    const missingIn = ({ events }: WhatsLeft) => wanted.events.filter((text) => !events.includes(text));
    // The Event of a change follows the change.
    const played = await this.#play(
      kills,
      (left) => isDeepStrictEqual(left.objects, wanted.objects) && missingIn(left).length <= kills.length,
    );
    const killsText = played.kills.join('; ');
    expect(changed(wanted.objects, played.left.objects), killsText).toEqual({});
    expect(played.left.histories, killsText).toEqual(wanted.histories);
    expect([...new Set(played.left.events)], `${killsText}: no Event twice`).toEqual(played.left.events);
    expect(
      played.left.events.filter((text) => !wanted.events.includes(text)),
      `${killsText}: no other Events`,
    ).toEqual([]);
    const missing = missingIn(played.left);
    expect(missing.length, `${killsText}: the Event of each change that was cut short: ${missing}`).toBeLessThanOrEqual(
      played.kills.length,
    );
    return played;
  }

  stop(): Promise<void> {
    return this.environment.stop();
  }

  async #play(kills: readonly KillPoint[], ended: (left: WhatsLeft) => boolean): Promise<Played> {
    try {
      return await playWalked(this.environment, kills, ended);
    } finally {
      await clearAway(this.environment, this.before);
    }
  }
}

/** The Operator's status is written last: until then it lists objects of the old version. */
const namesTheOld = ({ objects }: WhatsLeft): boolean =>
  Object.entries(objects).some(
    ([name, object]) => name.startsWith('Operator ') && JSON.stringify(object).includes(OLD),
  );

/** Returns present and missing objects that differ from the desired ones. */
function changed(
  wanted: WhatsLeft['objects'],
  found: WhatsLeft['objects'],
): Readonly<Record<string, Readonly<{ wanted: unknown; found: unknown }>>> {
  const names = new Set([...Object.keys(wanted), ...Object.keys(found)]);
  const pairs = [...names].map((name) => [name, { wanted: wanted[name], found: found[name] }] as const);
  return Object.fromEntries(pairs.filter(([, pair]) => !isDeepStrictEqual(pair.wanted, pair.found)));
}
