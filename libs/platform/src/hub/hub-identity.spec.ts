import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HubKey } from '../keys/hub-key.js';
import { hubIdentity } from './hub-identity.js';

const [KEY, NEXT_KEY] = ['k'.repeat(32), 'n'.repeat(32)];
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-identity-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const settings = (hubId = '', clustersFile = join(folder, 'config', 'clusters.yaml')) => ({ hubId, clustersFile });
async function keyOf(text: string): Promise<HubKey> {
  await writeFile(join(folder, 'key'), text);
  return HubKey.open(join(folder, 'key'));
}

describe('what a hub is called in its clusters', () => {
  it('is the same for all services, and for a hub that is rebuilt, with one key; the key does not follow from it', async () => {
    const [first, again] = [
      await hubIdentity(settings(), await keyOf(KEY)),
      await hubIdentity(settings(), await keyOf(KEY)),
    ];
    expect(first).toEqual({ id: expect.stringMatching(/^hub-[0-9a-f]{12}$/), older: [] });
    expect(again).toEqual(first);
    expect((await hubIdentity(settings(), await keyOf(NEXT_KEY)))?.id).not.toBe(first?.id);
  });

  it('passes to the new key while the old one stands behind it', async () => {
    const before = await hubIdentity(settings(), await keyOf(KEY));
    expect((await hubIdentity(settings(), await keyOf(`${NEXT_KEY}\n${KEY}\n`)))?.older).toEqual([before?.id]);
  });

  it('is what the setting says; what the key made counts as older', async () => {
    const key = await keyOf(KEY);
    const { id = '' } = (await hubIdentity(settings(), key)) ?? {};
    expect(await hubIdentity(settings('fleet-eu'), key)).toEqual({ id: 'fleet-eu', older: [id] });
  });

  it('is kept beside the clusters file for a key that ends with the process', async () => {
    const ids = await Promise.all([1, 2, 3].map(() => hubIdentity(settings(), HubKey.random())));
    expect(new Set(ids.map((one) => one?.id)).size).toBe(1);
    expect(await hubIdentity(settings(), HubKey.random())).toEqual(ids[0]);
  });

  it('is none where nothing can be kept', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await hubIdentity(settings('', join(folder, 'file', 'clusters.yaml')), HubKey.random())).toBeUndefined();
  });
});
