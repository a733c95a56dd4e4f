import { randomUUID } from 'node:crypto';
import { chmod, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { whyUnreadable } from '../files/unreadable-file.js';
import type { ClusterAccess } from '../kube/access/kubeconfig.js';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';

/**
 * Replaces the token of an access in the place that it was read from. Rejects if it cannot be written there,
 * and before it begins if `signal` is aborted.
 */
export type StoreLogin = (access: ClusterAccess, token: string, signal?: AbortSignal) => Promise<void>;

/** The place has another login than the one in use. */
export class OtherLogin extends Error {}
class NoSecret extends Error {}

type SecretApi = Pick<KubeClient, 'get' | 'update'>;
type SecretPlace = Readonly<{ namespace: string; name: string }>;

/** The Secret that kubeconfig files of the hub are mounted from. */
export type MountedLogins = Readonly<{
  secret: string;
  files: readonly string[];
  /** Gives `use` a client of the API server that has the Secret, and the namespace of the Secret. */
  withApi: (use: (api: SecretApi, namespace: string) => Promise<void>) => Promise<void>;
}>;

const SECRET = /^Secret ([^/]+)\/(.+)$/;
/** Several services may store logins in one Secret at once. */
const TRIES = 5;

/**
 * Stores logins of kubeconfig files in the Secret that they are mounted from; without one, or if it does not
 * have the login, in these files. The hub API stores those of its Secrets.
 */
export const loginStore =
  (hub: SecretApi | undefined, mounted?: MountedLogins): StoreLogin =>
  async (access, token, signal) => {
    signal?.throwIfAborted();
    const before = access.user.token ?? '';
    const [, namespace, name] = access.isInKubeconfig === false ? (SECRET.exec(access.file) ?? []) : [];
    if (namespace !== undefined && name !== undefined) {
      if (hub === undefined) throw new Error(`${access.file} cannot be written: the hub has no hub API`);
      return inSecret(hub, { namespace, name }, before, token);
    }
    if (mounted?.files.includes(access.file) !== true) return inTurn(access.file, signal, () => inFile(access, token));
    const { secret: own, withApi } = mounted;
    return inTurn(own, signal, async () => {
      try {
        await withApi((api, place) => inSecret(api, { namespace: place, name: own }, before, token));
      } catch (error) {
        if (!(error instanceof OtherLogin || error instanceof NoSecret)) throw error;
        await inFileInstead(access, token, error);
      }
    });
  };

/** Writes the file of a volume that the Secret is not mounted to. */
async function inFileInstead(access: ClusterAccess, token: string, reason: OtherLogin | NoSecret): Promise<void> {
  try {
    await inFile(access, token);
  } catch (error) {
    const both = `${reason.message}; ${error instanceof Error ? error.message : String(error)}`;
    throw reason instanceof OtherLogin ? new OtherLogin(both) : new NoSecret(both);
  }
}

/** Replaces the token in the key of the Secret that has it. */
async function inSecret(api: SecretApi, place: SecretPlace, before: string, token: string): Promise<void> {
  const what = `Secret ${place.namespace}/${place.name}`;
  for (let left = TRIES - 1; ; left -= 1) {
    const found = await api.get<SecretObject>({ apiVersion: 'v1', kind: 'Secret', ...place });
    if (found === undefined) throw new NoSecret(`there is no ${what}`);
    const texts = Object.entries(found.data ?? {}).map(
      ([key, text]) => [key, Buffer.from(text, 'base64').toString('utf8')] as const,
    );
    const [key, text] = texts.find((one) => hasToken(one[1], before)) ?? (['', ''] as const);
    const next = Buffer.from(replaced(what, text, before, token)).toString('base64');
    try {
      // Refused by its resourceVersion if the Secret was written since.
      await api.update({ ...found, data: { ...found.data, [key]: next } });
      return;
    } catch (error) {
      if (left === 0 || !KubeApiError.is(error, 'Conflict')) throw error;
    }
  }
}

type SecretObject = KubernetesObject & Readonly<{ data?: Readonly<Record<string, string>> }>;

const turns = new Map<string, Promise<void>>();

/** Writes to one file one after the other: each reads what the one before has written. */
function inTurn(file: string, signal: AbortSignal | undefined, write: () => Promise<void>): Promise<void> {
  const before = (turns.get(file) ?? Promise.resolve()).catch(() => undefined);
  const turn = before.then(() => {
    signal?.throwIfAborted();
    return write();
  });
  turns.set(file, turn);
  return turn;
}

/** The file as a whole, or not at all, and readable by its owner alone. */
async function inFile(access: ClusterAccess, token: string): Promise<void> {
  const file = await realpath(access.file);
  const text = await readFile(file, 'utf8');
  const next = replaced(access.file, text, access.user.token ?? '', token);
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
function replaced(place: string, text: string, before: string, token: string): string {
  if (hasToken(text, before)) return text.replaceAll(before, () => token);
  const why = 'the login changed, or its user is in another file';
  throw new OtherLogin(`${place} does not have the token that is in use: ${why}`);
}

const hasToken = (text: string, token: string): boolean => token !== '' && text.includes(token);
