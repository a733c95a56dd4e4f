import { readFile, stat } from 'node:fs/promises';
import { load } from 'js-yaml';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { NO_GRANTS, type Policy, readPolicy } from '#core/view/rights/console-policy';
import type { Clock } from '../clock/clock.port.js';
import { fileReason } from '../files/file-tree.error.js';
import type { Log } from '../telemetry/log.port.js';

/** The policy file of the console cannot be used. Names the file, the place in it and the reason. */
export class ConsolePolicyUnusable extends FlotillaError {
  readonly code = 'ConsolePolicyUnusable';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    file: string,
    readonly problem: string,
  ) {
    super(`${file} is not a policy of the console: ${problem}`);
  }
}

/** A larger file holds no policy, and is not read. */
const MOST_BYTES = 4 * 1024 * 1024;
const READ_EVERY_MS = 10_000;

/** @throws ConsolePolicyUnusable */
export async function readConsolePolicy(file: string): Promise<Policy> {
  const read = readPolicy(await yamlOf(file));
  if ('problem' in read) throw new ConsolePolicyUnusable(file, read.problem);
  return read.policy;
}

async function yamlOf(file: string): Promise<unknown> {
  try {
    const { size } = await stat(file);
    if (size > MOST_BYTES) throw new ConsolePolicyUnusable(file, `${size} bytes are more than ${MOST_BYTES}`);
    return load(await readFile(file, 'utf8'));
  } catch (error) {
    if (error instanceof ConsolePolicyUnusable) throw error;
    const isYaml = error instanceof Error && error.name === 'YAMLException';
    throw new ConsolePolicyUnusable(file, isYaml ? (error.message.split('\n')[0] ?? '') : fileReason(error));
  }
}

type Reading = Readonly<{ clock: Clock; log: Log }>;

/**
 * The policy of the console, read again every ten seconds. A file that became wrong leaves the policy as it
 * was, and `problem` says why.
 */
export class ConsolePolicyFile {
  #cancel: () => void = () => undefined;
  #problem = '';

  private constructor(
    private readonly file: string,
    private readonly reading: Reading,
    private current: Policy,
  ) {
    if (file !== '') this.#later();
  }

  /**
   * Opens the policy. Without a file nothing is granted.
   *
   * @throws ConsolePolicyUnusable if the file is wrong at the start
   */
  static async open(file: string, reading: Reading): Promise<ConsolePolicyFile> {
    return new ConsolePolicyFile(file, reading, file === '' ? NO_GRANTS : await readConsolePolicy(file));
  }

  /** Like {@link open}. A wrong file grants nothing, and the log says why. */
  static async follow(file: string, reading: Reading): Promise<ConsolePolicyFile> {
    const followed = new ConsolePolicyFile(file, reading, NO_GRANTS);
    if (file !== '') await followed.#readAgain();
    return followed;
  }

  get policy(): Policy {
    return this.current;
  }

  /** The reason why the current file is not used; empty if it is used. */
  get problem(): string {
    return this.#problem;
  }

  stop(): void {
    this.#cancel();
  }

  #later(): void {
    this.#cancel = this.reading.clock.after(READ_EVERY_MS, () => void this.#readAgain().then(() => this.#later()));
  }

  async #readAgain(): Promise<void> {
    const { log } = this.reading;
    try {
      const policy = await readConsolePolicy(this.file);
      this.#problem = '';
      if (JSON.stringify(policy) === JSON.stringify(this.current)) return;
      this.current = policy;
      log.info({ file: this.file, grants: policy.grants.length }, 'reloaded the policy of the console');
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      if (because !== this.#problem)
        log.error({ because }, 'could not reload the policy of the console; the earlier one stays in force');
      this.#problem = because;
    }
  }
}
