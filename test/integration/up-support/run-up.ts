import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { PATIENCE_MS } from '#testing/patience';
import { LOOPBACK_ALLOWED } from '../../../apps/cli/src/commands/demo/environment/service-process.js';

/** Home and hub identity of these tests, not those of their user: each process of tests has its own. */
const OWN_FOLDER = join(tmpdir(), `flotilla-test-${process.pid}`);
const OWN_FILES = {
  FLOTILLA_CONSOLE_KEY_FILE: join(OWN_FOLDER, 'console-key'),
  FLOTILLA_CLUSTERS_FILE: join(OWN_FOLDER, 'clusters.yaml'),
};
const MAIN = join(import.meta.dirname, '../../../dist/programs/flotilla.js');

export type RunningUp = Readonly<{
  pid: number;
  /** All it has said so far. */
  said: Readonly<{ out: string; err: string }>;
  /** Resolves once it prints that everything runs. */
  running(): Promise<void>;
  /** The exit code, once it has ended by itself. */
  ended: Promise<number>;
  /** Sends the signal; the exit code. */
  end(signal: 'SIGINT' | 'SIGTERM'): Promise<number>;
  /** Kills it, and waits until it is gone. */
  kill(): Promise<void>;
}>;

/** `flotilla up` as its own process, on a free port; registries on this machine are allowed. */
export function runUp(args: readonly string[], environment: Readonly<Record<string, string>>): RunningUp {
  const said = { out: '', err: '' };
  const child = spawn(process.execPath, [MAIN, 'up', '--port', '0', ...args], {
    env: { ...LOOPBACK_ALLOWED, ...OWN_FILES, ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.on('data', (chunk: Buffer) => {
    said.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said.err += chunk.toString();
  });
  // Its output is complete then.
  const ended = once(child, 'close').then(([code]) => Number(code ?? -1));
  return {
    said,
    ended,
    pid: child.pid ?? 0,
    running: () =>
      vi.waitFor(() => expect(`${said.out}${child.exitCode === null ? '' : said.err}`).toContain('Running'), {
        timeout: PATIENCE_MS,
        interval: 50,
      }),
    end: async (signal) => {
      child.kill(signal);
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
