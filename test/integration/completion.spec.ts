import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { LONG_PATIENCE_MS, PATIENCE_MS } from '#testing/patience';
import { needing, programs } from '#testing/report/needs';

const BIN = join(PROJECT_ROOT, 'bin');
const env = { ...process.env, PATH: `${BIN}:${process.env['PATH']}` };
const zshThere = await programs({ program: 'zsh', debian: 'zsh' });
const fishThere = await programs({ program: 'fish', debian: 'fish' });

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'flotilla-shells-'));
});
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

function run(shell: string, script: string): string {
  const file = join(folder, `script.${shell}`);
  writeFileSync(file, script);
  const ran = spawnSync(shell, [file], { cwd: PROJECT_ROOT, env, encoding: 'utf8', timeout: LONG_PATIENCE_MS });
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

  /**
   * Types a line and a tab into an interactive zsh in a pseudo-terminal; its screen once it matches, or at
   * last.
   */
  const zsh = (line: string, says: RegExp) =>
    run(
      'zsh',
      `
zmodload zsh/zpty; setopt extendedglob
zpty shell "PATH=$PATH zsh -f -i"
zpty -w shell "PS1='ready> '; autoload -Uz compinit; compinit -u -d ${folder}/dump; source <(flotilla completion zsh); print be''gin"
until [[ "$screen" == *begin* ]]; do zpty -r shell piece; screen+=$piece; done
zpty -w -n shell $'${line}\\t'
screen=''
for tenth in {1..${PATIENCE_MS / 100}}; do
  while zpty -r -t shell piece 2>/dev/null; do screen+=$piece; done
  [[ "\${screen//($'\\e'\\[[0-9;?]#[a-zA-Z]|$'\\r')/}" =~ '${says.source}' ]] && break
  sleep 0.1
done
print -r -- "$screen"
zpty -d shell
`,
    );

  it('zsh in a pseudo-terminal completes verbs, values and paths', needing(zshThere), () => {
    const screens = [
      { line: 'flotilla ca', says: /catalog / },
      { line: 'flotilla get csvs -o js', says: /-o json / },
      { line: 'flotilla catalog validate exam', says: /validate examples\// },
      { line: 'flotilla clusters ', says: /remove +-- / },
    ];
    for (const { line, says } of screens) {
      const screen = stripVTControlCharacters(zsh(line, says)).replaceAll('\r', '');
      expect(screen).toMatch(says);
      expect(screen).not.toMatch(/unrecognized|error|not found/);
    }
  });

  it('fish offers verbs, values and directories', needing(fishThere), () => {
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
