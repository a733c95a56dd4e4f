import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../clock/manual-clock.js';
import { HubKey } from '../keys/hub-key.js';
import { fileClaims, type RedisClaims, redisClaims } from './kept-claims.js';

const EAST = { cluster: 'east', server: 'https://east', authority: 'a1' };
const LIAR = { cluster: 'aaa', server: 'https://aaa', authority: 'a2' };

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-claims-'));
});
const opened: RedisClaims[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((claims) => claims.written()));
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const warned: string[] = [];
const log = { warn: (_: object, text: string) => void warned.push(text) };
beforeEach(() => void warned.splice(0));

describe('claims in a file', () => {
  it('are those of the next process, and the first of two counts', async () => {
    const path = join(folder, 'home', 'claims.json');
    const claims = fileClaims(path, log);
    expect(await claims.read('u')).toBeUndefined();
    expect(warned, 'a missing file is none that is damaged').toEqual([]);
    expect(await claims.keep('u', EAST, undefined)).toEqual(EAST);
    expect(await claims.keep('u', LIAR, undefined)).toEqual(EAST);
    await claims.written();
    expect(await fileClaims(path, log).read('u')).toEqual(EAST);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await claims.keep('u', LIAR, EAST);
    await claims.written();
    expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ u: LIAR });
  });

  it.each(['', '{', '[]', '{"u": {"cluster": 1}}'])('are none where the file says %s', async (text) => {
    const path = join(folder, 'claims.json');
    await writeFile(path, text);
    expect(await fileClaims(path, log).read('u')).toBeUndefined();
    expect(warned, 'the log names a damaged file').toEqual([
      expect.stringContaining('could not read the file of cluster identities'),
    ]);
  });

  it('count in memory, and the log says so, where the disk takes no writes', async () => {
    const path = join(folder, 'file', 'claims.json');
    await writeFile(join(folder, 'file'), '');
    const claims = fileClaims(path, log);
    expect(await claims.keep('u', EAST, undefined)).toEqual(EAST);
    await claims.written();
    expect(await claims.read('u')).toEqual(EAST);
    expect(warned.at(-1)).toContain('could not write the identity of a cluster to disk');
  });
});

/** A Redis that has one hash. */
function hashes() {
  const values = new Map<string, string>();
  const state = { error: undefined as Error | undefined, hangs: false };
  const answer = async <T>(value: () => T): Promise<T> => {
    if (state.hangs) return new Promise(() => undefined);
    if (state.error !== undefined) throw state.error;
    return value();
  };
  const redis = {
    hget: (_key: string, field: string) => answer(() => values.get(field) ?? null),
    hset: (_key: string, field: string, value: string) => answer(() => void values.set(field, value)),
    hsetnx: (_key: string, field: string, value: string) =>
      answer(() => {
        if (!values.has(field)) values.set(field, value);
      }),
  };
  return { values, state, redis: redis as never };
}

describe('claims in Redis', () => {
  const key = HubKey.random();
  const clock = new ManualClock();
  const of = ({ redis }: ReturnType<typeof hashes>, process: string, signs = key) => {
    const claims = redisClaims({ redis, prefix: 'flotilla', path: join(folder, process), key: signs, clock, log });
    opened.push(claims);
    return claims;
  };

  it('are those of all processes, and the first of two counts', async () => {
    const store = hashes();
    const [poller, applier] = [of(store, 'poller'), of(store, 'applier')];
    expect(await poller.keep('u', EAST, undefined)).toEqual(EAST);
    expect(await applier.keep('u', LIAR, undefined)).toEqual(EAST);
    expect(await of(store, 'later').read('u')).toEqual(EAST);
  });

  it('come back into a Redis that was emptied, from a process that runs, and from the disk of one that starts', async () => {
    const store = hashes();
    const poller = of(store, 'poller');
    await poller.keep('u', EAST, undefined);
    store.values.clear();
    await poller.putBack();
    expect(await of(store, 'applier').read('u')).toEqual(EAST);
    store.values.clear();
    await expect.poll(() => of(store, 'poller').read('u')).toEqual(EAST);
    expect(await of(store, 'third').keep('u', LIAR, undefined)).toEqual(EAST);
  });

  it.each([
    ['made by whoever may write to Redis', async () => `code ${JSON.stringify(LIAR)}`],
    ['signed with another key', () => signed(LIAR, 'u', HubKey.random())],
    ['copied from another identity', () => signed(LIAR, 'other', key)],
    ['of another form', async () => 'lies'],
  ])('do not count if they are %s', async (_what, value) => {
    const store = hashes();
    store.values.set('u', await value());
    expect(await of(store, 'poller').read('u')).toBeUndefined();
    expect(await of(store, 'poller').keep('u', EAST, undefined)).toEqual(EAST);
    expect(await of(store, 'applier').read('u')).toEqual(EAST);
  });

  async function signed(claim: typeof LIAR, uid: string, signs: HubKey): Promise<string> {
    const store = hashes();
    await of(store, 'thief', signs).keep(uid, claim, undefined);
    return store.values.get(uid) ?? '';
  }

  it('are those of the file while Redis refuses the key or does not answer', async () => {
    const store = hashes();
    const poller = of(store, 'poller');
    await poller.keep('u', EAST, undefined);
    store.state.error = new Error('NOPERM No permissions to access a key');
    expect(await poller.read('u')).toEqual(EAST);
    store.state.hangs = true;
    const asked = poller.read('u');
    await clock.advance(2_000);
    expect(await asked).toEqual(EAST);
  });
});
