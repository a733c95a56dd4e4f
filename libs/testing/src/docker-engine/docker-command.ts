import { execFile } from 'node:child_process';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { Environment } from '#platform/config/setting';

/** A `docker` command failed: its arguments, and the last lines that it wrote. */
export class DockerFailed extends FlotillaError {
  readonly code = 'DockerFailed';
  readonly retry: Retry = 'when-input-changes';
  constructor(
    command: string,
    readonly output: string,
  ) {
    super(`${command}: ${output}`);
  }
}

const LAST_LINES = 30;

/**
 * Runs a command of the PATH with this environment; returns its standard output. Rejects with DockerFailed.
 */
export function runProgram(
  environment: Environment,
  [program = '', ...args]: readonly string[],
  timeoutMs: number,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: environment, timeout: timeoutMs, maxBuffer: 2 ** 26 };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const why = error.killed ? `no end within ${timeoutMs / 1_000} s` : error.message.split('\n')[0];
      const written = `${stdout}\n${stderr}`.trim().split('\n').slice(-LAST_LINES).join('\n');
      reject(new DockerFailed([program, ...args].join(' '), `${why}\n${written}`));
    });
  });
}

/** A Docker engine, as the `docker` command reaches it. */
export type DockerEngine = Readonly<{
  /** Environment of every docker command: its own, with the engine's socket and the folder of plugins. */
  environment: Environment;
  /** Origin of the engine, for people. */
  describe: string;
  /** Ends the engine if it was started here. */
  stop: () => Promise<void>;
}>;

/** A docker command may be long, such as a build. */
const PATIENT_MS = 900_000;

export const docker = (
  { environment }: Pick<DockerEngine, 'environment'>,
  args: readonly string[],
  timeoutMs = PATIENT_MS,
): Promise<string> => runProgram(environment, ['docker', ...args], timeoutMs);
