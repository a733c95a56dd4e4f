import { type FileHandle, open, stat } from 'node:fs/promises';
import type { ContextReading, FileReading } from '#core/cluster/membership/kubeconfig-readings';
import { whyUnreadable } from '../files/unreadable-file.js';
import { ClusterConfigError } from '../kube/access/cluster-config.error.js';
import {
  accessIn,
  type ClusterAccess,
  LARGEST_KUBECONFIG,
  type ParsedKubeconfig,
  parseKubeconfig,
} from '../kube/access/kubeconfig.js';

type WatchedKubeconfigOptions = Readonly<{
  file: string;
  /** The setting that names the file, for the message if it cannot be read. */
  namedBy: string;
  /** True: a missing file is a file without contexts. `at first`: only until the file was there once. */
  mayBeMissing?: boolean | 'at first';
}>;

const NOT_THERE = 'not there';
/**
 * Parts of a kubeconfig. A file that had one of them before, and lacks it now, was cut off: its writer ended
 * early, or the disk is full.
 */
const PARTS = new Set(['apiVersion', 'kind', 'clusters', 'contexts', 'users', 'current-context']);

/**
 * One kubeconfig, read when it has changed. A file that is being written is read once it has been the same
 * from one poll to the next; a pipe or another device is never opened.
 */
export class WatchedKubeconfig {
  /** The last reading that was a kubeconfig. */
  #config: ParsedKubeconfig | undefined;
  #problem: string | undefined;
  #parts: readonly string[] = [];
  /** The stamps of the file when it was read, and at the last poll. */
  #taken: string | undefined;
  #seen: string | undefined;

  constructor(private readonly options: WatchedKubeconfigOptions) {}

  get file(): string {
    return this.options.file;
  }

  /** The last content read, as long as the file is a kubeconfig: other files may refer to it. */
  get config(): ParsedKubeconfig | undefined {
    return this.#config;
  }

  /** The reason why the last read of the file failed. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Returns the last reading; `configs` are the files that parts of a context may be in, in order. */
  reading(configs: readonly ParsedKubeconfig[]): FileReading<ClusterAccess> {
    const { file } = this.options;
    if (this.#problem !== undefined) return { file, problem: this.#problem };
    const { contexts = [], problems = [] } = this.#config ?? {};
    const read = contexts.map((context) => contextReading(context, configs));
    return { file, contexts: read, ...(problems.length === 0 ? {} : { notes: problems }) };
  }

  /** Returns true if there is a reading that is not the one before. */
  async poll(): Promise<boolean> {
    const stamp = await this.#stamp();
    const settled = this.#taken === undefined || stamp === this.#seen;
    this.#seen = stamp;
    if (stamp === this.#taken || !settled) return false;
    const read = await this.#read(stamp);
    if (this.#taken !== undefined && (await this.#stamp()) !== stamp) return false;
    this.#taken = stamp;
    this.#problem = typeof read === 'string' ? read : undefined;
    if (typeof read !== 'string') this.#config = read;
    return true;
  }

  /** Returns a text that changes if the file may have changed. */
  async #stamp(): Promise<string> {
    try {
      const { ino, size, mtimeNs, ctimeNs } = await stat(this.options.file, { bigint: true });
      return [ino, size, mtimeNs, ctimeNs].join(' ');
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? '';
      return code === 'ENOENT' ? NOT_THERE : code;
    }
  }

  /**
   * Returns the file, or the reason why it cannot be used. Returns undefined if it may be missing, and is.
   */
  async #read(stamp: string): Promise<ParsedKubeconfig | string | undefined> {
    const { file, mayBeMissing = false } = this.options;
    const isMissed = mayBeMissing === false || (mayBeMissing === 'at first' && this.#config !== undefined);
    if (stamp === NOT_THERE && !isMissed) return undefined;
    try {
      const config = parseKubeconfig(file, await this.#text());
      const lost = this.#parts.find((part) => !config.parts.includes(part));
      if (lost !== undefined) throw this.#unfit(`it no longer has "${lost}" and may be truncated`);
      this.#parts = config.parts.filter((part) => PARTS.has(part));
      return config;
    } catch (error) {
      if (error instanceof ClusterConfigError) return error.message;
      throw error;
    }
  }

  async #text(): Promise<string> {
    const { file, namedBy } = this.options;
    let handle: FileHandle | undefined;
    try {
      const about = await stat(file);
      if (!about.isFile() && !about.isDirectory()) throw this.#unfit('it is not an ordinary file');
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
      `${this.options.file} is not a kubeconfig: ${why}: repair it, or name another file`,
    );
  }
}

function contextReading(context: string, configs: readonly ParsedKubeconfig[]): ContextReading<ClusterAccess> {
  try {
    return { context, access: accessIn(configs, context) };
  } catch (error) {
    if (error instanceof ClusterConfigError) return { context, problem: error.message };
    throw error;
  }
}
