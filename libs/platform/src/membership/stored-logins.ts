import { randomUUID } from 'node:crypto';
import { chmod, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { whyUnreadable } from '../files/unreadable-file.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import type { KubeClient } from '../kube/client/kube-client.port.js';

/**
 * Replaces the token of an access in the place that it was read from. Rejects if it cannot be written there.
 */
export type StoreLogin = (access: ClusterAccess, token: string) => Promise<void>;

const SECRET = /^Secret ([^/]+)\/(.+)$/;
/** Key of a Secret of type fleet.flotilla.dev/kubeconfig. */
const KEY = 'kubeconfig';

/** Stores logins of kubeconfig files in these files, and those of Secrets by the hub API. */
export const loginStore =
  (hub: Pick<KubeClient, 'get' | 'update'> | undefined): StoreLogin =>
  async (access, token) => {
    const [, namespace, name] = access.isInKubeconfig === false ? (SECRET.exec(access.file) ?? []) : [];
    if (namespace === undefined || name === undefined) return inTurn(access.file, () => inFile(access, token));
    if (hub === undefined) throw new Error(`${access.file} cannot be written: the hub has no hub API`);
    const found = await hub.get({ apiVersion: 'v1', kind: 'Secret', namespace, name });
    if (found === undefined) throw new Error(`there is no ${access.file}`);
    const data = found['data'] as Readonly<Record<string, string>> | undefined;
    const text = Buffer.from(data?.[KEY] ?? '', 'base64').toString('utf8');
    const next = replaced(access, text, token);
    // Refused by its resourceVersion if the Secret was written since.
    await hub.update({ ...found, data: { ...data, [KEY]: Buffer.from(next).toString('base64') } });
  };

const turns = new Map<string, Promise<void>>();

/** Writes to one file one after the other: each reads what the one before has written. */
function inTurn(file: string, write: () => Promise<void>): Promise<void> {
  const turn = (turns.get(file) ?? Promise.resolve()).catch(() => undefined).then(write);
  turns.set(file, turn);
  return turn;
}

/** The file as a whole, or not at all, and readable by its owner alone. */
async function inFile(access: ClusterAccess, token: string): Promise<void> {
  const file = await realpath(access.file);
  const text = await readFile(file, 'utf8');
  const next = replaced(access, text, token);
  const aside = `${file}.${randomUUID()}`;
  try {
    await writeFile(aside, next, { mode: 0o600 });
    await chmod(aside, 0o600);
    await rename(aside, file);
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined);
    throw new Error(`write ${access.file}: ${await whyUnreadable(access.file, error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
}

/**
 * Everything but the token stays as people wrote it. Fails if another login is there now, or if the user of
 * the context is in another file.
 */
function replaced({ file, user }: ClusterAccess, text: string, token: string): string {
  const before = user.token ?? '';
  if (before !== '' && text.includes(before)) return text.replaceAll(before, () => token);
  throw new Error(`${file} has not the token that is in use: another login, or its user is in another file`);
}
