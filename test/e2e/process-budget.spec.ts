import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { expectActsOn, type HostileHub, setHostileHub } from '../story/hostile-hub.js';

const MIB = 2 ** 20;
const SUBSCRIPTION = {
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'Subscription',
};

describe('a hub with little memory for all clusters together', () => {
  let hub: HostileHub;
  beforeAll(async () => {
    hub = await setHostileHub({ FLOTILLA_KUBE_MAX_PROCESS_BYTES: '4Mi' });
    await Promise.all([expectActsOn(hub.east, 'harbors'), expectActsOn(hub.west, 'harbors')]);
  });
  afterAll(() => hub?.stop());

  it('names a cluster that takes more than its part of the memory for all, and acts on the other', async () => {
    for (let at = 0; at < 4; at += 1) {
      const env = [{ name: 'NOISE', value: randomBytes(MIB).toString('base64') }];
      const spec = { name: 'none', source: 'none', sourceNamespace: 'none', config: { env } };
      await hub.west.create({ ...SUBSCRIPTION, metadata: { name: `large-${at}`, namespace: 'harbors' }, spec });
    }
    const named = expect.stringMatching(
      /^cluster west: too large: .*the cached objects of all clusters need more than 4Mi, .*FLOTILLA_KUBE_MAX_PROCESS_BYTES/,
    );
    await expect.poll(() => hub.budgets(), PATIENCE).toEqual([named, named]);
    await expectActsOn(hub.east, 'quays');
  });
});
