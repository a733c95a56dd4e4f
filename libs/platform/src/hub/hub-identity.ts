import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { HubIdentity } from '#core/cluster/joining/cluster-owner';
import type { Settings } from '../config/settings.js';
import { makeFolder } from '../files/make-folder.js';
import type { HubKey } from '../keys/hub-key.js';

const ID_FILE = 'hub-id';
const ID = /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/;

/**
 * Returns the hub's identity in its clusters (decision 0215): FLOTILLA_HUB_ID if set. Otherwise it is derived
 * from the hub's key. All its services, and a hub rebuilt with that key, then have the same. If the key ends
 * with the process, the identity is kept next to the clusters file. Undefined if nothing can be kept.
 */
export async function hubIdentity(
  { hubId, clustersFile }: Pick<Settings, 'hubId' | 'clustersFile'>,
  key: HubKey | undefined,
): Promise<HubIdentity | undefined> {
  const [id, ...older] = key?.identities ?? [];
  if (hubId !== '') return { id: hubId, older: id === undefined ? [] : [id, ...older] };
  if (id !== undefined) return { id, older };
  const kept = await keptId(join(dirname(clustersFile), ID_FILE));
  return kept === undefined ? undefined : { id: kept, older: [] };
}

/**
 * Reads or makes the identity. If several processes make it at the same time, one wins, and all read its
 * text.
 */
async function keptId(file: string): Promise<string | undefined> {
  const made = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const known = await readId(file);
    if (known !== undefined) return known;
    await makeFolder(dirname(file), 0o700);
    await writeFile(made, `hub-${randomBytes(6).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
    await link(made, file);
    return await readId(file);
  } catch {
    return readId(file).catch(() => undefined);
  } finally {
    await rm(made, { force: true }).catch(() => undefined);
  }
}

async function readId(file: string): Promise<string | undefined> {
  const text = (await readFile(file, 'utf8').catch(() => '')).trim();
  return ID.test(text) ? text : undefined;
}
