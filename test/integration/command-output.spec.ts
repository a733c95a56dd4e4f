import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing } from '#testing/report/needs';

/** Runs a shell line with `flotilla`. Returns its output and exit code. */
function shell(line: string): { out: string; err: string; exit: number | null } {
  const env = { ...process.env, PATH: `${join(PROJECT_ROOT, 'bin')}:${process.env['PATH']}` };
  const ran = spawnSync('bash', ['-c', `set -o pipefail; ${line}`], { cwd: PROJECT_ROOT, env, encoding: 'utf8' });
  return { out: ran.stdout, err: ran.stderr, exit: ran.status };
}

/** Every write to it fails with ENOSPC; Linux has it. */
const FULL = '/dev/full';
const fullDisk = needing({ isThere: existsSync(FULL), what: `${FULL}, which Linux has` });

describe('the flotilla command whose output cannot be written', () => {
  it.each([
    'catalog packages examples/catalogs/v2',
    'catalog render examples/catalogs/v2',
    'catalog --help',
    '--version',
    'completion bash',
  ])('says so in one line where the disk is full, and does not answer "no": %s', fullDisk, (words) => {
    const { err, exit } = shell(`flotilla ${words} > ${FULL}`);
    expect({ err, exit }).toEqual({ err: 'error: write standard output: no space left on device\n', exit: 3 });
  });

  it('keeps answer and exit code where standard error is full', fullDisk, () => {
    const { out, exit } = shell(`flotilla catalog packages examples/catalogs/v2 harbour 2> ${FULL}`);
    expect({ out, exit }).toEqual({ out: '', exit: 1 });
    expect(shell(`flotilla catalog packages examples/catalogs/v2 > ${FULL} 2>&1`).exit).toBe(3);
  });

  it('ends like every program in a pipe whose reader has gone', () => {
    const { err, exit } = shell('flotilla catalog render examples/catalogs/v2 | true');
    expect({ err, exit }).toEqual({ err: '', exit: 141 });
  });
});
