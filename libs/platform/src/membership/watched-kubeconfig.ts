import { type FileHandle, open, stat } from 'node:fs/promises';
import type { ContextReading, FileReading } from '#core/cluster/membership/kubeconfig-readings';
import { whyUnreadable } from '../files/unreadable-file.js';
import { ClusterConfigError } from '../kube/access/cluster-config.error.js';
import { type ClusterAccess, LARGEST_KUBECONFIG, parseKubeconfig } from '../kube/access/kubeconfig.js';

type WatchedKubeconfigOptions = Readonly<{
  file: string;
  /** What names the file, for the message where it cannot be read. */
  namedBy: string;
  /** A file that is not there is as one without contexts, and no problem. */
  mayBeMissing?: boolean;
}>;

const NOT_THERE = 'not there';
/**
 * A file that lacks one of these parts, and had it before, was cut off: by a writer that ended early, or a
 * full disk.
 */
const PARTS = new Set(['apiVersion', 'kind', 'clusters', 'contexts', 'users', 'current-context']);

/**
 * One kubeconfig, read when it has changed. A file that is being written is read once it has been the same
 * from one poll to the next; a pipe or another device is never opened.
 */
export class WatchedKubeconfig {
  #reading: FileReading<ClusterAccess> | undefined;
  #parts: readonly string[] = [];
  /** The stamps of the file when it was read, and at the last poll. */
  #taken: string | undefined;
  #seen: string | undefined;

  constructor(private readonly options: WatchedKubeconfigOptions) {}

  /** What was read last. */
  get reading(): FileReading<ClusterAccess> {
    return this.#reading ?? { file: this.options.file, contexts: [] };
  }

  /** True where there is a reading that is not the one before. */
  async poll(): Promise<boolean> {
    const stamp = await this.#stamp();
    const settled = this.#taken === undefined || stamp === this.#seen;
    this.#seen = stamp;
    if (stamp === this.#taken || !settled) return false;
    const reading = await this.#read(stamp);
    if (this.#taken !== undefined && (await this.#stamp()) !== stamp) return false;
    this.#taken = stamp;
    this.#reading = reading;
    return true;
  }

  /** Another one where the file may have changed. */
  async #stamp(): Promise<string> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(this.options.file, { bigint: true });
      return [ino, size, mtimeNs, ctimeNs].join(' ');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      return code === 'ENOENT' ? NOT_THERE : code;
    }
  }

  async #read(stamp: string): Promise<FileReading<ClusterAccess>> {
    const { file, mayBeMissing = false } = this.options;
    if (stamp === NOT_THERE && mayBeMissing) return { file, contexts: [] };
    try {
      const config = parseKubeconfig(file, await this.#text());
      const lost = this.#parts.find((part) => !config.parts.includes(part));
      if (lost !== undefined) throw this.#unfit(`it has no "${lost}" any more, as if it were cut off`);
      this.#parts = config.parts.filter((part) => PARTS.has(part));
      return { file, contexts: config.contexts.map((context) => contextReading(context, config)) };
    } catch (error) {
      if (error instanceof ClusterConfigError) return { file, problem: error.message };
      throw error;
    }
  }

  async #text(): Promise<string> {
    const { file, namedBy } = this.options;
    let handle: FileHandle | undefined;
    try {
      const about = await stat(file);
      if (!about.isFile() && !about.isDirectory()) throw this.#unfit('it is no ordinary file');
      if (about.size > LARGEST_KUBECONFIG) throw this.#unfit('it is larger than 8 MiB');
      handle = await open(file, 'r');
      return await handle.readFile('utf8');
    } catch (error) {
      if (error instanceof ClusterConfigError) throw error;
      const why = await whyUnreadable(file, error as NodeJS.ErrnoException);
      throw new ClusterConfigError(undefined, `kubeconfig: open ${file}: ${why}: check ${namedBy}`);
    } finally {
      await handle?.close();
    }
  }

  #unfit(why: string): ClusterConfigError {
    return new ClusterConfigError(
      undefined,
      `${this.options.file} is no kubeconfig: ${why}: repair it, or name another file`,
    );
  }
}

function contextReading(context: string, config: ReturnType<typeof parseKubeconfig>): ContextReading<ClusterAccess> {
  try {
    return { context, access: config.access(context) };
  } catch (error) {
    if (error instanceof ClusterConfigError) return { context, problem: error.message };
    throw error;
  }
}
