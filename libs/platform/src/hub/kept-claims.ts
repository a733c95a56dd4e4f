import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { IdentityClaim } from '#core/cluster/membership/identity-claims';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import type { Clock } from '../clock/clock.port.js';
import { makeFolder } from '../files/make-folder.js';
import type { HubKey } from '../keys/hub-key.js';
import type { IdentityClaims } from '../membership/identity-claims.port.js';
import type { Log } from '../telemetry/log.port.js';

export const CLAIMS_FILE = 'cluster-identities.json';

const Claim = z.object({ cluster: z.string(), server: z.string(), authority: z.string() });
const Claims = z.record(z.string(), Claim);

/** A file of claims, and the same in memory. */
class ClaimsFile {
  #read: Promise<Map<string, IdentityClaim>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly log: Pick<Log, 'warn'>,
  ) {}

  /** A file that is missing or damaged has no claims; a damaged one is named in the log. */
  read(): Promise<Map<string, IdentityClaim>> {
    this.#read ??= this.#load();
    return this.#read;
  }

  async #load(): Promise<Map<string, IdentityClaim>> {
    try {
      return new Map(Object.entries(Claims.parse(JSON.parse(await readFile(this.path, 'utf8')))));
    } catch (error) {
      if (!isMissing(error)) this.log.warn({ file: this.path, error: String(error) }, UNREADABLE);
      return new Map();
    }
  }

  /** Resolves once the claim is in memory. It stays there if the disk takes no writes. */
  async set(uid: string, claim: IdentityClaim): Promise<void> {
    const claims = await this.read();
    if (canonicalJson(claims.get(uid) ?? null) === canonicalJson(claim)) return;
    claims.set(uid, claim);
    this.#writing = this.#writing
      .then(() => this.#write(claims))
      .catch((error: unknown) => this.log.warn({ file: this.path, error: String(error) }, UNWRITTEN));
  }

  /** Resolves once all that was set is on the disk. */
  written(): Promise<void> {
    return this.#writing;
  }

  async #write(claims: ReadonlyMap<string, IdentityClaim>): Promise<void> {
    const draft = `${this.path}.${randomBytes(6).toString('hex')}`;
    try {
      await makeFolder(dirname(this.path), 0o700);
      await writeFile(draft, `${canonicalJson(Object.fromEntries(claims))}\n`, { mode: 0o600 });
      await rename(draft, this.path);
    } finally {
      await rm(draft, { force: true });
    }
  }
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT';

const UNREADABLE =
  'could not read the file of cluster identities: check the clusters ("clusters check"), then remove the file';
const UNWRITTEN =
  'could not write the identity of a cluster to disk: a restart with an empty Redis loses it; check that the disk accepts writes';

/** Claims of a hub that is one process: a file. */
export function fileClaims(
  path: string,
  log: Pick<Log, 'warn'>,
): IdentityClaims & Readonly<{ written(): Promise<void> }> {
  const file = new ClaimsFile(path, log);
  return {
    read: async (uid) => (await file.read()).get(uid),
    keep: async (uid, claim, before) => {
      const known = (await file.read()).get(uid);
      if (before === undefined && known !== undefined) return known;
      await file.set(uid, claim);
      return claim;
    },
    written: () => file.written(),
  };
}

/** {@link fileClaims} for this user of the machine, as the clusters of `clusters add`. */
export const claimsBeside = (clustersFile: string, log: Pick<Log, 'warn'>): IdentityClaims =>
  fileClaims(join(dirname(clustersFile), CLAIMS_FILE), log);

export type RedisClaims = IdentityClaims &
  Readonly<{
    /** Writes the claims that this process knows into a Redis that was emptied. */
    putBack(): Promise<void>;
    written(): Promise<void>;
  }>;

type RedisClaimsOptions = Readonly<{
  redis: Pick<Redis, 'hget' | 'hset' | 'hsetnx'>;
  prefix: string;
  /** The file of this process. */
  path: string;
  /** Signs claims: other clients that may write to Redis cannot make any. */
  key: Pick<HubKey, 'codeOf' | 'verifies'>;
  clock: Clock;
  log: Pick<Log, 'warn'>;
}>;

/** A cluster does not wait longer for Redis to take part. */
const PATIENCE_MS = 2_000;

/**
 * Claims that the processes of a hub share in Redis. Each process also has them in a file, since a Redis
 * without a disk is empty after a restart: it gets missing claims back. Without an answer of Redis, or
 * without a right to the key there, the file alone counts.
 */
export function redisClaims({ redis, prefix, path, key, clock, log }: RedisClaimsOptions): RedisClaims {
  const name = `${prefix}:identities`;
  const file = new ClaimsFile(path, log);
  const shared = async (uid: string) => claimIn(uid, await redis.hget(name, uid), key);
  const first = async (uid: string, claim: IdentityClaim): Promise<IdentityClaim> => {
    await redis.hsetnx(name, uid, textOf(uid, claim, key));
    const found = await shared(uid);
    if (found === undefined) await redis.hset(name, uid, textOf(uid, claim, key));
    return found ?? claim;
  };
  const bounded = async <T>(asked: Promise<T>, otherwise: T): Promise<T> => {
    const late = Promise.withResolvers<T>();
    const cancel = clock.after(PATIENCE_MS, () => late.resolve(otherwise));
    const answer = asked.catch(() => otherwise);
    return Promise.race([answer, late.promise]).finally(cancel);
  };
  return {
    read: async (uid) => {
      const known = (await file.read()).get(uid);
      const asked = async () => (await shared(uid)) ?? (known && (await first(uid, known)));
      const found = await bounded(asked(), known);
      if (found !== undefined) await file.set(uid, found);
      return found;
    },
    keep: async (uid, claim, before) => {
      const asked = async () => {
        if (before === undefined) return first(uid, claim);
        await redis.hset(name, uid, textOf(uid, claim, key));
        return claim;
      };
      const found = await bounded(asked(), claim);
      await file.set(uid, found);
      return found;
    },
    putBack: async () => {
      for (const [uid, claim] of await file.read()) await bounded(first(uid, claim), claim);
    },
    written: () => file.written(),
  };
}

const SIGNED = 'identity of a cluster';

function textOf(uid: string, claim: IdentityClaim, key: Pick<HubKey, 'codeOf'>): string {
  const text = canonicalJson(claim);
  return `${key.codeOf([SIGNED, uid, text])} ${text}`;
}

/** Returns undefined for a value that the hub did not write. */
function claimIn(uid: string, value: string | null, key: Pick<HubKey, 'verifies'>): IdentityClaim | undefined {
  const [, code, text] = /^(\S{1,128}) (.{1,4096})$/s.exec(value ?? '') ?? [];
  if (code === undefined || text === undefined || !key.verifies(code, [SIGNED, uid, text])) return undefined;
  try {
    return Claim.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
