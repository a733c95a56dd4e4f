import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { readGuide } from '../guide/read-guide.js';

/** Stands on the page for the rest of a long answer. */
const AND_SO_ON = '…';
const page = await readFile(join(PROJECT_ROOT, 'docs/fleet-simulate.md'), 'utf8');
const simulations = readGuide(page).filter(({ command }) => command.startsWith('flotilla fleet simulate'));

describe('what docs/fleet-simulate.md says that fleet simulate prints', () => {
  async function answerOf(command: string): Promise<string[]> {
    const PATH = `${join(PROJECT_ROOT, 'bin')}${delimiter}${process.env['PATH']}`;
    const child = spawn('bash', ['-c', command], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, PATH },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return (await text(child.stdout)).split('\n').filter((line) => line !== '');
  }

  it('is found on the page', () => {
    expect(simulations.length).toBeGreaterThanOrEqual(3);
  });

  it.each(simulations)('line $line: $command', async ({ command, expected }) => {
    const isOpen = expected.at(-1) === AND_SO_ON;
    const wanted = isOpen ? expected.slice(0, -1) : expected;
    const printed = await answerOf(command);
    expect(isOpen ? printed.slice(0, wanted.length) : printed).toEqual(wanted);
  });
});
