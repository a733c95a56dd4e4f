import { randomBytes } from 'node:crypto';
import { mkdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { REFUSED } from '../redis/redis-rights.js';

const INSTANCE_FILE = 'hub-instance';
const INSTANCE = /^[0-9a-f]{12}$/;

const made = (): string => randomBytes(6).toString('hex');

type RedisInstance = (() => Promise<string | undefined>) &
  Readonly<{
    /** Writes the instance that this process knows into a Redis that was emptied. */
    putBack(): Promise<void>;
  }>;

/**
 * Returns the instance that Redis has, and keeps it there: an emptied Redis gets it back from any process
 * that knows it. Undefined if the user of Redis has no right to it, as by the list of the previous release.
 * Without an instance the hub works as that release does, and health names the right.
 */
export function redisInstance(redis: Redis, prefix: string): RedisInstance {
  const key = `${prefix}:instance`;
  let known: string | undefined;
  const read = async (): Promise<string> => {
    const kept = await redis.get(key).catch(unlessWrongType);
    if (kept !== null && INSTANCE.test(kept)) return kept;
    const own = known ?? made();
    if (kept === null) return (await redis.set(key, own, 'NX', 'GET')) ?? own;
    await redis.set(key, own);
    return own;
  };
  const learn = async (): Promise<string | undefined> => {
    try {
      known = await read();
    } catch (error) {
      if (!(error instanceof Error) || !REFUSED.test(error.message)) throw error;
    }
    return known;
  };
  const instance = async () => {
    if (known === undefined) return learn();
    void learn().catch(() => undefined);
    return known;
  };
  return Object.assign(instance, { putBack: async () => void (known === undefined || (await learn())) });
}

/** Another kind of value lies there: a text takes its place. */
function unlessWrongType(error: Error): string {
  if (!error.message.startsWith('WRONGTYPE')) throw error;
  return '';
}

/**
 * Returns the instance of a hub that is one process: kept beside the clusters file, for this folder of this
 * machine alone. One that cannot be written gets none, and each start of the hub is another instance.
 */
export function fileInstance(clustersFile: string): () => Promise<string> {
  const path = join(dirname(clustersFile), INSTANCE_FILE);
  let kept: Promise<string> | undefined;
  return () => {
    kept ??= instanceAt(path);
    return kept;
  };
}

async function instanceAt(path: string): Promise<string> {
  const own = made();
  const draft = `${path}.${own}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const place = `${hostname()} ${await realpath(dirname(path))}`;
    const text = (await readFile(path, 'utf8').catch(() => '')).trimEnd();
    const known = text.slice(0, own.length);
    if (INSTANCE.test(known) && text === `${known} ${place}`) return known;
    await writeFile(draft, `${own} ${place}\n`, { mode: 0o600 });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return own;
}
