import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EndedImages } from './ended-images.js';
import { FailedPulls } from './failed-pulls.js';
import { ReaderEnded } from './layers/layers-reader.port.js';

const IMAGE = 'r.test/shop/catalog:v1';
const MINUTE_MS = 60_000;
let folder: string;
let file: string;
let now: number;
let reads: number;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-ended-'));
  file = join(folder, 'ended-images.json');
  now = Date.parse('2026-11-29T12:00:00Z');
  reads = 0;
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const open = (bounds = 'as set') => EndedImages.open(file, bounds, () => now);
/** Outcome of a pull in a process that has these images. */
async function pull(ended: EndedImages, { key = 'a', image = IMAGE, good = false } = {}): Promise<string> {
  const pulls = new FailedPulls(() => now, undefined, ended);
  const read = async () => {
    reads += 1;
    if (good) return 'pulled';
    throw new ReaderEnded(image, `image ${image}: unpacking its layers needs more than 12 MiB of memory`);
  };
  const outcome = await pulls.guard(key, read, { key, image }).catch((error: Error) => error.message);
  await ended.written();
  return outcome;
}

describe('an image that ended the thread that read it', () => {
  it('is not read again, after a restart neither, and says what to do (R7)', async () => {
    const first = await pull(await open());
    expect(first).toBe(
      `image ${IMAGE}: unpacking its layers needs more than 12 MiB of memory; this digest is not read again: push another image; for the image of a catalog, use "flotilla retry"`,
    );
    now += 30 * 24 * 60 * MINUTE_MS;
    expect(await pull(await open())).toBe(first);
    expect(reads).toBe(1);
  });

  it('is read again under other bounds or in another version', async () => {
    await pull(await open('version 1'));
    expect(await pull(await open('version 2'), { good: true })).toBe('pulled');
    expect(await pull(await open('version 2'), { good: true })).toBe('pulled');
  });

  it('does not hold up another digest or login', async () => {
    const ended = await open();
    await pull(ended);
    expect(await pull(ended, { key: 'b', good: true })).toBe('pulled');
  });

  it('is read once more if a user asks, and no more for the same request', async () => {
    const ended = await open();
    await pull(ended);
    now += MINUTE_MS;
    const asked = now;
    ended.tryAgain('r.test/other/catalog:v1', asked);
    await pull(ended);
    expect(reads).toBe(1);
    ended.tryAgain('r.test/shop/catalog:v2', asked);
    now += MINUTE_MS;
    await pull(ended);
    expect(reads).toBe(2);
    ended.tryAgain(IMAGE, asked);
    await pull(ended);
    expect(reads).toBe(2);
  });

  it('is forgotten once it is read well', async () => {
    const ended = await open();
    await pull(ended);
    ended.tryAgain(IMAGE, now + 1);
    await pull(ended, { good: true });
    expect(await pull(await open(), { good: true })).toBe('pulled');
    expect(reads).toBe(3);
  });

  it('is named once, also by a guard around a guard', async () => {
    const ended = await open();
    const outer = new FailedPulls(() => now, undefined, ended);
    const said = await outer
      .guard('outer', () => pullThrough(ended), { key: 'outer', image: IMAGE })
      .catch((error: Error) => error.message);
    await ended.written();
    expect(String(said).match(/not read again/g)).toHaveLength(1);
    expect(ended.asked).toHaveLength(1);
  });

  const pullThrough = (ended: EndedImages) =>
    new FailedPulls(() => now, undefined, ended).guard(
      'inner',
      () => Promise.reject(new ReaderEnded(IMAGE, 'it ended')),
      { key: 'inner', image: IMAGE },
    );

  it('is named by health as long as it is asked for', async () => {
    const ended = await open();
    expect(await ended.check.check()).toEqual({ up: true, detail: 'no image crashed the thread that read it' });
    await pull(ended);
    expect(await ended.check.check()).toMatchObject({
      up: true,
      degraded: true,
      detail: expect.stringMatching(
        /^1 image crashed the thread that read it, and is not read again: r\.test\/shop\/catalog:v1 \(2026-11-29T12:00:00.000Z: .*memory/,
      ),
    });
    now += 20 * MINUTE_MS;
    expect(await ended.check.check()).not.toHaveProperty('degraded');
    await pull(ended);
    expect(ended.asked).toHaveLength(1);
  });

  it('is one of a thousand that are kept, each in a few words', async () => {
    const ended = await open();
    for (let at = 0; at <= 1_000; at += 1) {
      ended.note(`${at}`, `r.test/${at}`, new ReaderEnded('', 'x'.repeat(5_000)));
    }
    await ended.written();
    const again = await open();
    expect([again.find('0'), again.find('1'), again.find('1000')].map((one) => one !== undefined)).toEqual([
      false,
      true,
      true,
    ]);
    expect((await readFile(file)).length).toBeLessThan(2 * 2 ** 20);
    expect(await readdir(folder)).toEqual(['ended-images.json']);
  });

  it.each(['', '{"v":', '{"bounds":"as set","images":{"a":{}}}', 'null'])(
    'is not known from a file that is damaged: %j',
    async (text) => {
      await writeFile(file, text);
      expect(await pull(await open(), { good: true })).toBe('pulled');
    },
  );
});
