import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

const BIN = join(PROJECT_ROOT, 'bin');
const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}` };
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-shells-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(shell: string, script: string): string {
  const file = join(folder, `script.${shell}`);
  writeFileSync(file, script);
  const ran = spawnSync(shell, [file], { cwd: PROJECT_ROOT, env, encoding: 'utf8', timeout: 100_000 });
  expect(ran.stderr).toBe('');
  return ran.stdout;
}

describe('completion in real shells', () => {
  it('bash offers verbs and values', () => {
    const ask = (...words: string[]) => `
COMP_WORDS=(flotilla ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _flotilla
printf '%s ' "\${COMPREPLY[@]}"; echo`;
    const script = [
      'source <(flotilla completion bash)',
      ask('ca'),
      ask('get', 'csvs', '-o', 'js'),
      ask('plan', '-f', ''),
    ];
    expect(run('bash', script.join('\n')).split('\n')).toEqual(['catalog ', 'json ', ' ', '']);
  });

  /** Types a line and a tab into an interactive zsh in a pseudo-terminal, and gives what stands on its screen. */
  const zsh = (line: string) =>
    run(
      'zsh',
      `
zmodload zsh/zpty
zpty shell "PATH=$PATH zsh -f -i"
zpty -w shell "PS1='ready> '; autoload -Uz compinit; compinit -u -d ${folder}/dump; source <(flotilla completion zsh); print be''gin"
until [[ "$screen" == *begin* ]]; do zpty -r shell piece; screen+=$piece; done
zpty -w -n shell $'${line}\\t'
screen=''
for second in {1..20}; do
  sleep 1
  while zpty -r -t shell piece 2>/dev/null; do screen+=$piece; done
  [[ "\${screen//flotilla /}" == *' '* ]] && (( second > 2 )) && break
done
print -r -- "$screen"
zpty -d shell
`,
    );

  it.runIf(isThere('zsh'))('zsh in a pseudo-terminal completes verbs, values and paths (needs zsh on the PATH)', () => {
    const screens = [
      { line: 'flotilla ca', says: /catalog / },
      { line: 'flotilla get csvs -o js', says: /-o json / },
      { line: 'flotilla catalog validate exam', says: /validate examples\// },
      { line: 'flotilla clusters ', says: /remove +-- / },
    ];
    for (const { line, says } of screens) {
      const screen = stripVTControlCharacters(zsh(line)).replaceAll('\r', '');
      expect(screen).toMatch(says);
      expect(screen).not.toMatch(/unrecognized|error|not found/);
    }
  });

  it.runIf(isThere('fish'))('fish offers verbs, values and directories (needs fish on the PATH)', () => {
    const script = [
      'flotilla completion fish | source',
      'complete -C "flotilla ca"',
      'complete -C "flotilla get csvs -o js"',
      'complete -C "flotilla catalog dockerfile exam"',
    ].join('\n');
    expect(run('fish', script)).toMatch(/^catalog\t.+\njson\nexamples\/.*\n$/);
  });

  it('kubectl flotilla completes by the executable that kubectl looks for', () => {
    const { stdout, status } = spawnSync('kubectl_complete-flotilla', ['ge'], { env, encoding: 'utf8' });
    expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(/^get\t.+\n:4\n$/), status: 0 });
  });
});
