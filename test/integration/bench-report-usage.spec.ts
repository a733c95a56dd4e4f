import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { BENCHES } from '../../bench/report/render-report.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-bench-report-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const report = (...args: readonly string[]) =>
  spawnSync(process.execPath, [join(PROJECT_ROOT, 'dist/bench/report.js'), ...args], { cwd: folder, encoding: 'utf8' });

describe('what make bench-report runs', () => {
  it('names every bench and option in its help', () => {
    const { status, stdout } = report('--help');
    expect(status).toBe(0);
    for (const bench of Object.keys(BENCHES)) expect(stdout).toContain(bench);
    for (const original of ['opm', 'olm', 'catalogd', 'operator-controller'])
      expect(stdout).toContain(`--${original} PATH`);
  });

  it.each([
    [['--only', 'metas,nope'], '--only: there is no bench nope'],
    [['--opm', '/nowhere/opm'], '--opm: there is no file /nowhere/opm'],
    [['--runs', 'many'], '--runs: "many" is not a number'],
    [['--from', 'nowhere'], '--from: there is no folder nowhere/raw'],
    [['--clusters', '3'], "Unknown option '--clusters'"],
  ])('says before the first bench what it cannot do: %j', (args, why) => {
    const { status, stderr } = report(...args);
    expect([status, stderr.split('\n')[0]]).toEqual([2, expect.stringContaining(why)]);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });
});
