import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { runFlotilla } from '../run-flotilla.fixture.js';

const run = promisify(execFile);

/** What bash would offer after these words. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const { out } = await runFlotilla(['completion', 'bash']);
  const line = ['flotilla', ...words].map((word) => `'${word}'`).join(' ');
  const ask = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _flotilla; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await run('bash', ['-c', `${out}\n${ask}`]);
  return stdout.trim().split('\n');
}

describe('flotilla completion', () => {
  it.each([
    { words: ['sta'], offers: ['status'], because: 'a verb that is begun' },
    { words: ['clusters', ''], offers: ['add', 'list', 'remove', 'check', '--help'], because: 'verbs below a verb' },
    { words: ['get', 'cat'], offers: ['catalogs'], because: 'kinds' },
    { words: ['get', 'csvs', '--names'], offers: ['--namespace'], because: 'options after operands' },
  ])('bash: $because', async ({ words, offers }) => {
    expect(await offered(...words)).toEqual(offers);
  });

  it.each([
    { shell: 'zsh', says: /^#compdef flotilla\n/ },
    { shell: 'fish', says: /^complete -c flotilla -n '__fish_use_subcommand' -f -a status -d 'one screen: /m },
  ])('$shell has a script of its own', async ({ shell, says }) => {
    const { out, exit } = await runFlotilla(['completion', shell]);
    expect(out).toMatch(says);
    expect(exit).toBe(0);
  });

  it('knows no other shell', async () => {
    expect(await runFlotilla(['completion', 'tcsh'])).toMatchObject({ exit: 2, out: '' });
  });
});
