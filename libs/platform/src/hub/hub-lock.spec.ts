import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { HubLock, HubRunsAlready, lockPathsOf } from './hub-lock.js';

const RENEWED_MS = 5_000;
const LONG_AGO = new Date(Date.now() - 120_000);
const HERE = { pid: process.pid, host: hostname(), started: '1' };

let folder = '';
let clock: ManualClock;
const locks: HubLock[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-hub-lock-'));
  clock = new ManualClock(new Date());
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function take(id = 'hub-1', place = folder, hubKeyFile = ''): Promise<HubLock> {
  const lock = await HubLock.take({
    id: id === '' ? undefined : id,
    settings: { clustersFile: join(place, 'clusters.yaml'), hubKeyFile },
    clock,
  });
  locks.push(lock);
  return lock;
}
const path = () => join(folder, 'up-hub-1.lock');

describe('the lock of a hub', () => {
  it('keeps a second one with the same identity out, and says where the first one answers', async () => {
    const first = await take();
    await expect(take()).rejects.toThrow(`flotilla up already runs (pid ${process.pid}, which is starting)`);
    await first.runsAt('http://127.0.0.1:8080');
    await expect(take()).rejects.toThrow(
      `flotilla up already runs (pid ${process.pid}, http://127.0.0.1:8080): stop it first, or give this hub another identity with FLOTILLA_HUB_ID=NAME`,
    );
    await take('hub-2');
    await first.stop();
    await take();
  });

  it.each([
    { where: 'no lock is', text: undefined },
    { where: 'the process of a lock is gone', text: JSON.stringify({ ...HERE, pid: 2 ** 22 + 1 }) },
  ])('is had by one of several with the same process number that begin at once where $where', async ({ text }) => {
    for (let round = 0; round < 20; round++) {
      const place = join(folder, String(round));
      await mkdir(place);
      if (text !== undefined) await writeFile(join(place, 'up-hub-1.lock'), text);
      const all = await Promise.allSettled(Array.from({ length: 8 }, () => take('hub-1', place)));
      expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of all) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(HubRunsAlready);
      expect(await readdir(place)).toEqual(['up-hub-1.lock']);
    }
  });

  it.each([
    { because: 'its process is gone', text: JSON.stringify({ ...HERE, pid: 2 ** 22 + 1 }) },
    { because: 'another process has the number', text: JSON.stringify(HERE) },
    { because: 'a machine that is gone had it', text: JSON.stringify({ ...HERE, host: 'gone' }), at: LONG_AGO },
    { because: 'it is empty', text: '' },
    { because: 'it is cut off', text: '{"pid":47' },
    { because: 'it is no lock', text: 'null' },
  ])('is taken over where $because', async ({ text, at }) => {
    await writeFile(path(), text);
    if (at !== undefined) await utimes(path(), at, at);
    await take();
    expect(JSON.parse(await readFile(path(), 'utf8'))).toMatchObject({ pid: process.pid });
    await expect(take()).rejects.toThrow(HubRunsAlready);
  });

  it('goes with its process, and leaves nothing', async () => {
    const lock = await take();
    await lock.runsAt('http://127.0.0.1:1');
    await lock.stop();
    expect(await readdir(folder)).toEqual([]);
  });

  it('is had in a home that has no folder for it yet', async () => {
    const place = join(folder, 'home', '.config');
    await take('hub-1', place);
    await expect(take('hub-1', place)).rejects.toThrow(HubRunsAlready);
  });

  it('is the same for two with one key and other clusters files, and for two with copies of the key', async () => {
    const key = join(folder, 'key');
    await take('hub-1', join(folder, 'a'), key);
    await expect(take('hub-1', join(folder, 'b'), key)).rejects.toThrow(HubRunsAlready);
    expect(await readdir(join(folder, 'b')), 'what was taken before the refusal goes').toEqual([]);
    await expect(take('hub-1', join(folder, 'a'), join(folder, 'copy', 'key'))).rejects.toThrow(HubRunsAlready);
    await take('hub-1', join(folder, 'b'), '/proc/key');
  });

  it('lies beside the clusters file and the key, once where that is one folder', () => {
    const clustersFile = '/home/clusters.yaml';
    expect(lockPathsOf({ clustersFile, hubKeyFile: '' }, 'a')).toEqual(['/home/up-a.lock']);
    expect(lockPathsOf({ clustersFile, hubKeyFile: '/home/key' }, 'a')).toEqual(['/home/up-a.lock']);
    expect(lockPathsOf({ clustersFile, hubKeyFile: '/run/key' }, 'a')).toEqual(['/home/up-a.lock', '/run/up-a.lock']);
  });

  it('is no need where nothing can be kept', async () => {
    await writeFile(join(folder, 'file'), '');
    const places = [join(folder, 'file'), '/proc'];
    for (const lock of [await take(''), ...(await Promise.all(places.map((place) => take('hub-1', place))))]) {
      await lock.runsAt('http://127.0.0.1:1');
      await clock.advance(RENEWED_MS);
      await lock.stop();
    }
  });

  it('is made anew where it was deleted: the one that came after that ends', async () => {
    const first = await take();
    await first.runsAt('http://127.0.0.1:1');
    await rm(path());
    const second = await take();
    await clock.advance(RENEWED_MS);
    await expect.poll(() => readFile(path(), 'utf8'), PATIENCE).toContain('http://127.0.0.1:1');
    await clock.advance(RENEWED_MS);
    expect((await second.whenLost).message).toContain('http://127.0.0.1:1');
  });

  it('is lost to one that has been at work since it was deleted', async () => {
    const first = await take();
    await first.runsAt('http://127.0.0.1:1');
    await rm(path());
    await (await take()).runsAt('http://127.0.0.1:2');
    await clock.advance(RENEWED_MS);
    expect((await first.whenLost).message).toContain('http://127.0.0.1:2');
  });
});
