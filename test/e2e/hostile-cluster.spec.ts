import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AttackName } from '#testing/hostile/attacks';
import { LONG_PATIENCE } from '#testing/patience';
import { expectActsOn, type HostileHub, isActedOn, setHostileHub } from '../story/hostile-hub.js';

/** Far below the defaults, so that an attack exceeds them soon. */
const BUDGETS = {
  FLOTILLA_KUBE_MAX_OBJECTS: '2000',
  FLOTILLA_KUBE_MAX_ANSWER_BYTES: '4Mi',
  FLOTILLA_KUBE_MAX_CLUSTER_BYTES: '32Mi',
};
/** Without bounds each of these attacks takes more than a gibibyte. */
const MOST_MIB = 500;
/** The cluster is tried again after pauses of up to a minute by then, and reported for half a minute more. */
const FITS = '2 of 2 clusters are within their budgets';

/** Expected reports of poller and applier about the hostile cluster during each attack; undefined: none. */
const ATTACKS: readonly (readonly [AttackName, RegExp | undefined])[] = [
  ['lists with a new continue token on every page', /too large: .*\b\w+: more than 2000 objects/],
  ['lists with the same continue token on every page', /too large: .*\b\w+: the list does not end/],
  ['lists that never end, fast', /too large: .*\b\w+: one answer has more than 4Mi/],
  ['watches that end with 410 at once', undefined],
  ['TLS handshakes of one byte a second', undefined],
  ['watches with one event that never ends', /too large: .*\b\w+: one watch event/],
  ['a watch with a flood of ADDED events', /too large: .*\bCatalogSource\b/],
];

describe('a hub that starts while the API server of a cluster is hostile', () => {
  let hub: HostileHub;
  beforeAll(async () => {
    hub = await setHostileHub(BUDGETS);
    await Promise.all([expectActsOn(hub.east, 'harbors'), expectActsOn(hub.west, 'harbors')]);
  });
  afterAll(() => hub?.stop());

  /** Peaks of the memory of poller and applier, in MiB. */
  const peaks = (): Promise<readonly number[]> =>
    Promise.all(
      hub.observers.map(async ({ pid }) => {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
      }),
    );

  for (const [index, [name, reported]] of ATTACKS.entries()) {
    it(`names that cluster, and acts on the other: ${name}`, async () => {
      hub.attack(name);
      await Promise.all(hub.observers.map((service) => service.stop('SIGKILL')));
      for (const service of hub.observers) service.start();
      await expectActsOn(hub.east, `piers-${index}`);
      if (reported !== undefined) {
        const says = new RegExp(`cluster west: ${reported.source}`);
        await expect.poll(async () => (await hub.budgets()).join('\n'), LONG_PATIENCE).toMatch(says);
      }
      for (const peak of await peaks()) expect(peak).toBeLessThan(MOST_MIB);
    });
  }

  it('goes on by itself with a cluster that behaves again, where nothing has gone', async () => {
    hub.attack(undefined);
    expect(await isActedOn(hub.west, 'harbors')).toBe(true);
    await expectActsOn(hub.west, 'again', LONG_PATIENCE);
    await expect.poll(() => hub.budgets(), LONG_PATIENCE).toEqual([FITS, FITS]);
  });
});
