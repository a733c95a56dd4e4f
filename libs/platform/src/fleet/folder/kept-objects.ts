import { createHash } from 'node:crypto';
import { access, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { KubernetesObject, type ObjectRef } from '#core/kernel/api/kubernetes-object';
import { makeFolder } from '../../files/make-folder.js';
import { tableKey } from '../objects/object-table.js';

/** One line of JSON: tools that read manifests below a folder pass over files of this name. */
const ENDING = '.jsonl';
const DRAFT = '.draft';
/** Names of files may have 255 bytes. */
const LONGEST_STEM = 200;
const AT_ONCE = 64;

type Pending = { next: KubernetesObject | undefined; done: Promise<void> };

/**
 * Objects as the hub has them, a file each below `status/`, replaced by rename. All of it may be deleted: the
 * hub recreates it from the files of people and the state of clusters.
 */
export class KeptObjects {
  readonly #pending = new Map<string, Pending>();
  /** Objects that could not be written, by name: the disk was full, or rights were missing. */
  readonly #failed = new Map<string, Readonly<{ ref: ObjectRef; object: KubernetesObject | undefined }>>();

  constructor(private readonly folder: string) {}

  /** All that can be read, by name; a file that cannot is as one that was deleted. */
  async read(): Promise<Map<string, KubernetesObject>> {
    const found = new Map<string, KubernetesObject>();
    const files = await filesBelow(this.folder);
    for (let at = 0; at < files.length; at += AT_ONCE) {
      const read = await Promise.all(files.slice(at, at + AT_ONCE).map(objectIn));
      for (const object of read) {
        if (object !== undefined) found.set(tableKey(refOf(object)), object);
      }
    }
    return found;
  }

  /** Keeps an object, or drops it; writes of one object follow each other, and the last one counts. */
  keep(ref: ObjectRef, object: KubernetesObject | undefined): void {
    const key = tableKey(ref);
    const pending = this.#pending.get(key);
    if (pending !== undefined) {
      pending.next = object;
      return;
    }
    const begun: Pending = { next: object, done: Promise.resolve() };
    this.#pending.set(key, begun);
    this.#failed.delete(key);
    begun.done = this.#write(key, this.#pathOf(ref), begun);
    // Callers that wait for it see the failure.
    begun.done.catch(() => this.#failed.set(key, { ref, object: begun.next }));
  }

  /** Retries the failed writes, so that the disk catches up with the state in use. */
  retryFailed(): void {
    for (const { ref, object } of [...this.#failed.values()]) this.keep(ref, object);
  }

  /** Settles once the latest state of an object is on the disk. */
  async whenKept(ref: ObjectRef): Promise<void> {
    await this.#pending.get(tableKey(ref))?.done;
  }

  async whenAllKept(): Promise<void> {
    await Promise.allSettled([...this.#pending.values()].map(({ done }) => done));
  }

  async #write(key: string, path: string, pending: Pending): Promise<void> {
    try {
      let written: KubernetesObject | undefined | null = null;
      while (written !== pending.next) {
        written = pending.next;
        if (written === undefined) await rm(path, { force: true });
        else await replaceFile(path, `${JSON.stringify(written)}\n`, dirname(this.folder));
      }
    } finally {
      this.#pending.delete(key);
    }
  }

  #pathOf({ kind, namespace = '', name }: ObjectRef): string {
    const digest = createHash('sha256').update(name).digest('hex');
    const stem = name.length <= LONGEST_STEM ? name : `${name.slice(0, LONGEST_STEM - digest.length)}${digest}`;
    return join(this.folder, kind, namespace, `${stem}${ENDING}`);
  }
}

/**
 * Writes a draft first, so that a reader sees the old text or the new one. Missing folders are made, but not
 * `below`: a user deleted that.
 */
export async function replaceFile(path: string, text: string, below: string): Promise<void> {
  const draft = `${path}${DRAFT}`;
  try {
    await writeFile(draft, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await access(below);
    await makeFolder(dirname(path));
    await writeFile(draft, text);
  }
  await rename(draft, path);
}

async function filesBelow(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile() && entry.name.endsWith(ENDING));
    return files.map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function objectIn(file: string): Promise<KubernetesObject | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return KubernetesObject.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const refOf = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
  ...{ apiVersion, kind, name: metadata.name ?? '' },
  namespace: metadata.namespace,
});
