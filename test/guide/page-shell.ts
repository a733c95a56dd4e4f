import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE } from '#testing/patience';
import { comparable, type GuideNames } from './guide-names.js';

/** Such commands change nothing. They are repeated until the cluster has reached the state of the page. */
const ASKS = /^(?:kubectl (?:get|auth can-i)|flotilla (?:explain|get|plan --live|clusters check)) /;
/** The cluster may refuse such commands until it has reached the state of the page. They may be repeated. */
const MAY_COME_TOO_EARLY = /^(?:kubectl (?:apply|patch)|flotilla approve) /;

/** The environment of the commands of pages: this folder, with `flotilla` on the PATH. */
export type PageShell = Readonly<{
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** Returns the output with the names of the page. */
  toPage?: (printed: string) => string;
}>;

/** Runs a command as a reader of the page does, and checks its output. */
export async function follow(
  shell: PageShell,
  names: GuideNames,
  step: Readonly<{ command: string; expected: readonly string[] }>,
): Promise<void> {
  const { expected } = step;
  const command = names.toHere(step.command);
  const poll = async () => {
    const { printed, exit } = await perform(shell, command);
    if (expected.length === 0) expect(exit, printed).toBe(0);
    else expect(names.toPage(printed, expected)).toEqual(comparable(expected));
    names.learn(printed, expected);
  };
  if (ASKS.test(command) || MAY_COME_TOO_EARLY.test(command)) await vi.waitFor(poll, LONG_PATIENCE);
  else await poll();
}

async function perform(
  { folder, environment, toPage = (printed) => printed }: PageShell,
  command: string,
): Promise<{ printed: string; exit: number | null }> {
  const child = spawn('bash', ['-c', command], {
    cwd: folder,
    env: {
      ...process.env,
      PATH: `${join(PROJECT_ROOT, 'bin')}:${process.env['PATH']}`,
      HOME: folder,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { printed: toPage(`${out}${err}`), exit: await ended };
}
