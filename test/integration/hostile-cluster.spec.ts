import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG_PATIENCE, PATIENCE } from '#testing/patience';
import { expectActsOn, type HostileHub, isActedOn, setHostileHub } from '../story/hostile-hub.js';

const MIB = 2 ** 20;
const SUBSCRIPTION = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
  spec: { name: 'none', source: 'none', sourceNamespace: 'none' },
};

/**
 * One attack that costs little; the others, and starts of the services during them:
 * test/e2e/hostile-cluster.spec.ts.
 */
describe('a hub with a cluster whose API server is hostile', () => {
  let hub: HostileHub;
  beforeAll(async () => {
    hub = await setHostileHub({ FLOTILLA_KUBE_MAX_PROCESS_BYTES: '4Mi' });
    await Promise.all([expectActsOn(hub.east, 'harbors'), expectActsOn(hub.west, 'harbors')]);
  });
  afterAll(() => hub?.stop());

  it('names that cluster, and acts on the other', async () => {
    hub.attack('lists with the same continue token on every page');
    await expectActsOn(hub.east, 'piers');
    const named = expect.stringMatching(/cluster west: too large: .*\b\w+: the list does not end/);
    await expect.poll(() => hub.budgets(), PATIENCE).toEqual([named, named]);
  });

  it('goes on by itself with a cluster that behaves again, where nothing has gone', async () => {
    hub.attack(undefined);
    expect(await isActedOn(hub.west, 'harbors')).toBe(true);
    await expectActsOn(hub.west, 'again', LONG_PATIENCE);
  });

  it('names a cluster that takes more than its part of the memory for all, and acts on the other', async () => {
    for (let at = 0; at < 4; at += 1) {
      const annotations = { noise: randomBytes(MIB).toString('base64') };
      await hub.west.create({ ...SUBSCRIPTION, metadata: { name: `large-${at}`, namespace: 'harbors', annotations } });
    }
    const named = expect.stringMatching(
      /^cluster west: too large: .*what is kept of all clusters takes more than 4Mi, .*FLOTILLA_KUBE_MAX_PROCESS_BYTES/,
    );
    await expect.poll(() => hub.budgets(), PATIENCE).toEqual([named, named]);
    await expectActsOn(hub.east, 'quays');
  });
});
