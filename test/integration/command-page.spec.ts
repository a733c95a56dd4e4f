import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { comparable } from '../guide/guide-names.js';
import { readGuide } from '../guide/read-guide.js';

const HEADING = '\n## Examples\n';
/** Stands on the page for the rest of a long answer. */
const AND_SO_ON = '…';

const page = await readFile(join(PROJECT_ROOT, 'docs/command-offline.md'), 'utf8');
const before = page.slice(0, page.indexOf(HEADING)).split('\n').length - 1;
const steps = readGuide(page.slice(page.indexOf(HEADING))).map((step) => ({ ...step, line: step.line + before }));
/** Other tests have the commands that end only at Ctrl-C (`catalog-build.command`, `catalog-serve-http`). */
const ending = steps.filter(({ command }) => !command.startsWith('flotilla catalog serve '));

describe('what docs/command-offline.md says that the command prints without a cluster', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-page-'));
    await symlink(join(PROJECT_ROOT, 'examples'), join(folder, 'examples'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  /** Notes on standard error are left out, as on the page. */
  async function answerOf(command: string): Promise<string[]> {
    const PATH = `${join(PROJECT_ROOT, 'bin')}${delimiter}${process.env['PATH']}`;
    const env = { ...process.env, PATH, HOME: folder };
    const child = spawn('bash', ['-c', command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'ignore'] });
    return comparable((await text(child.stdout)).split('\n'));
  }

  it('is found on the page', () => {
    expect(ending.length).toBeGreaterThanOrEqual(5);
    for (const { command, expected } of ending) expect(expected, command).not.toEqual([]);
  });

  it.each(ending)('line $line: $command', async ({ command, expected }) => {
    const printed = await answerOf(command);
    const open = expected.at(-1) === AND_SO_ON;
    const wanted = comparable(open ? expected.slice(0, -1) : expected);
    expect(open ? printed.slice(0, wanted.length) : printed).toEqual(wanted);
  });
});
