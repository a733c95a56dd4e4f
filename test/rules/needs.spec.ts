import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { PROJECT_ROOT } from '#platform/files/project-root';

const SYSTEM = ['bash', 'env', 'awk', 'sed', 'timeout', 'dirname'];
const GOOD = {
  node: 'echo v24.21.0',
  npm: 'exit 0',
  git: 'exit 0',
  id: 'echo 1000',
  df: "printf 'x\\nx 9 9 9999999 1%% /\\n'",
  'redis-server': 'exit 0',
};

describe('scripts/needs.sh', () => {
  let checkout = '';
  beforeEach(() => {
    checkout = mkdtempSync(join(tmpdir(), 'flotilla-needs-'));
    for (const folder of ['bin', 'scripts']) mkdirSync(join(checkout, folder));
    copyFileSync(join(PROJECT_ROOT, 'scripts/needs.sh'), join(checkout, 'scripts/needs.sh'));
    for (const name of SYSTEM) symlinkSync(findExecutable(name, process.env['PATH'] ?? '') ?? '', program(name));
  });
  afterEach(() => rmSync(checkout, { recursive: true, force: true }));
  const program = (name: string): string => join(checkout, 'bin', name);

  /** On a machine that has these programs alone; undefined: not even that. */
  function asked(programs: Readonly<Record<string, string | undefined>>, more: Record<string, string> = {}) {
    for (const [name, does] of Object.entries({ ...GOOD, ...programs })) {
      if (does === undefined) continue;
      writeFileSync(program(name), `#!${program('bash')}\n${does}\n`);
      chmodSync(program(name), 0o755);
    }
    const env = { PATH: join(checkout, 'bin'), ...more };
    const { status, stderr } = spawnSync(join(checkout, 'scripts/needs.sh'), ['test'], { env, encoding: 'utf8' });
    return { status, said: stderr.trim() };
  }

  it('says nothing on a machine that has all', () => expect(asked({})).toEqual({ status: 0, said: '' }));

  it.each([
    { lacks: 'Node', programs: { node: undefined }, says: /^needs: Node\.js 20 or newer with npm: https:/ },
    { lacks: 'npm', programs: { npm: undefined }, says: /^needs: Node\.js 20 or newer with npm: https:/ },
    { lacks: 'a new Node', programs: { node: 'echo v18.1.0' }, says: /^needs: Node\.js 20 or newer; .* is v18\.1\.0/ },
    { lacks: 'git', programs: { git: undefined }, says: /^needs: git: / },
    {
      lacks: 'disk',
      programs: { df: "printf 'x\\nx 9 9 2048 1%% /\\n'" },
      says: /1 GiB of disk at .*; 2 MiB are free/,
    },
  ])('ends with one line and exit code 2 without $lacks', ({ programs, says }) => {
    const { status, said } = asked(programs);
    expect(status).toBe(2);
    expect(said.split('\n')[0]).toMatch(says);
  });

  it('names a temporary folder that it cannot write', () => {
    expect(asked({}, { TMPDIR: '/nowhere' })).toEqual({
      status: 2,
      said: expect.stringMatching(/^needs: a temporary folder that this user can write: set TMPDIR \(\/nowhere /),
    });
  });

  it('names all that is missing at once', () => {
    expect(asked({ node: 'echo v18.1.0', git: undefined }).said.split('\n')).toHaveLength(2);
  });

  it('ends with exit code 3 without Redis, and says how to get one', () => {
    expect(asked({ 'redis-server': undefined })).toEqual({
      status: 3,
      said: expect.stringMatching(
        /^needs: no Redis: what needs one is not run\. Install redis-server or valkey-server/,
      ),
    });
  });

  it.each([{ 'valkey-server': 'exit 0' }, { docker: 'echo 28.2.2' }])('takes %o instead', (other) => {
    expect(asked({ 'redis-server': undefined, ...other })).toEqual({ status: 0, said: '' });
  });
});
