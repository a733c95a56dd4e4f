import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE_MS } from '#testing/patience';

export type ProgramName = 'flotilla' | 'catalog-poller' | 'resolver-worker' | 'applier';

/** Output of a program until it ended, or until the awaited text; `exit` is then undefined. */
export type EndedProgram = Readonly<{ out: string; err: string; exit: number | undefined }>;

export type ProgramRun = Readonly<{
  program: ProgramName;
  args?: readonly string[];
  /** The whole environment, beside the cache of compiled code. */
  env: Readonly<Record<string, string>>;
  /** It is ended once it has said this. */
  until?: RegExp;
}>;

/** The compile cache of `make test`: without it, each start compiles the program again. */
const COMPILED = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'NODE_COMPILE_CACHE'));

/** Runs a program of the hub until it ends by itself, or prints the awaited text. */
export function runProgram({ program, args = [], env, until }: ProgramRun): Promise<EndedProgram> {
  const child = spawn(process.execPath, [join(PROJECT_ROOT, 'dist', 'programs', `${program}.js`), ...args], {
    env: { ...COMPILED, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  let seen = false;
  const note = (stream: 'out' | 'err') => (chunk: Buffer) => {
    said[stream] += chunk.toString();
    if (!until?.test(`${said.out}${said.err}`)) return;
    seen = true;
    child.kill('SIGKILL');
  };
  child.stdout.on('data', note('out'));
  child.stderr.on('data', note('err'));
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  return new Promise((resolve) => {
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ ...said, exit: seen ? undefined : (code ?? -1) });
    });
  });
}
