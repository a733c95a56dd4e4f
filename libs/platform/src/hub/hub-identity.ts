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
 * What a hub is called in its clusters (decision 0215): FLOTILLA_HUB_ID; else made of the hub's key, so that
 * all its services, and the hub that is rebuilt with that key, have the same; else, for a key that ends with
 * the process, kept beside the clusters file. Undefined where nothing can be kept.
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

/** Of several processes that make it at the same time one wins, and all read what it wrote. */
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
