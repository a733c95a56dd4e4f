import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';

const INSTANCE_FILE = 'hub-instance';
const INSTANCE = /^[0-9a-f]{12}$/;

const made = (): string => randomBytes(6).toString('hex');

/**
 * Returns the instance that Redis has, and keeps it there: a Redis that was emptied gets it back from any
 * process that knows it.
 */
export function redisInstance(redis: Redis, prefix: string): () => Promise<string> {
  const key = `${prefix}:instance`;
  let known: string | undefined;
  const read = async (): Promise<string> => {
    const own = known ?? made();
    await redis.set(key, own, 'NX');
    const kept = (await redis.get(key)) ?? '';
    if (!INSTANCE.test(kept)) await redis.set(key, own);
    known = INSTANCE.test(kept) ? kept : own;
    return known;
  };
  return async () => {
    if (known === undefined) return read();
    void read().catch(() => undefined);
    return known;
  };
}

/**
 * Returns the instance of a hub that is one process: kept beside the clusters file, for this machine alone. A
 * folder that cannot be written gets none, and each start of the hub is another instance.
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
  const [known = '', host] = (await readFile(path, 'utf8').catch(() => '')).trim().split(' ');
  if (INSTANCE.test(known) && host === hostname()) return known;
  const own = made();
  const draft = `${path}.${own}`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(draft, `${own} ${hostname()}\n`, { mode: 0o600 });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => undefined);
  }
  return own;
}
