import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findExecutable } from '#platform/debian/executable';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { redisInstallCommand } from '#platform/redis/local/redis-install-command';
import { checkRedis } from '../../apps/cli/src/commands/doctor/check-redis.js';
import { commandSettings } from '../../apps/cli/src/hub/command-settings.js';

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
  afterEach(() => rmSync(checkout, { recursive: true, force: true, maxRetries: 5 }));
  const program = (name: string): string => join(checkout, 'bin', name);

  /** On a machine that has these programs alone; undefined: not even that. */
  function asked(
    programs: Readonly<Record<string, string | undefined>>,
    more: Record<string, string> = {},
    target = 'test',
  ) {
    for (const [name, does] of Object.entries({ ...GOOD, ...programs })) {
      if (does === undefined) continue;
      writeFileSync(program(name), `#!${program('bash')}\n${does}\n`);
      chmodSync(program(name), 0o755);
    }
    const env = { PATH: join(checkout, 'bin'), ...more };
    const { status, stderr } = spawnSync(join(checkout, 'scripts/needs.sh'), [target], { env, encoding: 'utf8' });
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
        /^needs: no Redis: what needs one is not run\. For all tests: .*, or start a Docker engine$/,
      ),
    });
  });

  it.each([{ 'valkey-server': 'exit 0' }, { docker: 'echo 28.2.2' }])('takes %o instead', (other) => {
    expect(asked({ 'redis-server': undefined, ...other })).toEqual({ status: 0, said: '' });
  });

  const BARE = { 'redis-server': undefined };
  const FILE = `${PROJECT_ROOT}/scripts/needs.sh`;
  it.each<[target: string, lacks: string, programs: object, env: Record<string, string>, says: RegExp | '']>([
    ['console-test', 'nothing', { chromium: 'exit 0' }, {}, ''],
    ['console-test', 'nothing', {}, { FLOTILLA_CHROMIUM: FILE }, ''],
    [
      'console-test',
      'Chromium',
      { dnf: '' },
      {},
      /^needs: Chromium: sudo dnf install chromium, or set FLOTILLA_CHROMIUM/,
    ],
    ['console-test', 'the program named', {}, { FLOTILLA_CHROMIUM: '/nowhere' }, /names no program \(\/nowhere\)/],
    ['screenshots', 'the name', { 'google-chrome': '' }, {}, /set FLOTILLA_CHROMIUM=.*\/google-chrome$/],
    ['e2e', 'nothing', { go: '' }, { HOME: '/tmp' }, ''],
    [
      'e2e',
      'all',
      { ...BARE, apk: '', 'apt-get': undefined },
      { HOME: '/tmp' },
      /sudo apk add valkey.*\n.*sudo apk add go/,
    ],
    [
      'e2e',
      'a cache',
      { go: '' },
      { FLOTILLA_CACHE_DIR: `${FILE}/cache` },
      /set FLOTILLA_CACHE_DIR \(.*needs.sh\/cache/,
    ],
    [
      'compose-test',
      'an engine',
      { brew: '' },
      { HOME: '/tmp' },
      /^needs: a Docker engine: brew install --cask docker/,
    ],
    ['bench-compare', 'GNU time', { brew: '' }, {}, /^needs: GNU time: brew install gnu-time$/],
    ['verify', 'what it does not need', { ...BARE, git: undefined }, {}, ''],
  ])('%s names what is missing: %s', (target, _, programs, env, says) => {
    const { status, said } = asked({ ...programs }, env, target);
    expect(said).toMatch(says === '' ? /^$/ : says);
    expect(status).toBe(says === '' ? 0 : 2);
  });

  describe('ports', () => {
    let server: Server;
    let port = 0;
    beforeAll(async () => {
      server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      port = (server.address() as AddressInfo).port;
    });
    afterAll(() => void server.close());
    const SS = { ss: `echo 'LISTEN 0 511 127.0.0.1:1 0.0.0.0:* users:(("nginx",pid=7,fd=3),("nginx",pid=8,fd=3))'` };
    const LSOF = { lsof: "printf 'p7\\ncnginx\\nf3\\n'" };
    const ENGINE = { docker: 'echo 28' };

    it.each<[string, Record<string, string>, string]>([
      ['ss sees', SS, ' by nginx, pid 7'],
      ['lsof sees', LSOF, ' by nginx, pid 7'],
      ['neither sees', {}, ''],
    ])('names a port that is taken, the setting, and the program that %s', (_, programs, by) => {
      const env = { HOME: '/tmp', FLOTILLA_TEST_POLLER_PORTS: `${port}-${port}` };
      expect(asked({ ...ENGINE, ...programs }, env, 'compose-test')).toEqual({
        status: 2,
        said: `needs: 2 free ports of ${port}-${port}; 0 are free, and ${port} is taken${by}: set FLOTILLA_TEST_POLLER_PORTS=FIRST-LAST`,
      });
    });

    it.each(['x', '9-1', '0-5', '1-70000', '08080-08090', '1-60000'])('refuses %s as a range', (range) => {
      const { status, said } = asked(ENGINE, { HOME: '/tmp', FLOTILLA_TEST_APPLIER_PORTS: range }, 'compose-test');
      expect(said).toMatch(/^needs: a range of ports in FLOTILLA_TEST_APPLIER_PORTS, such as 28100-28119; it is /m);
      expect(status).toBe(2);
    });

    it('are chosen freely by all other targets', () => {
      const env = { HOME: '/tmp', FLOTILLA_TEST_POLLER_PORTS: `${port}-${port}` };
      expect(asked({}, env, 'demo')).toEqual({ status: 0, said: '' });
    });
  });

  it('asks for no Redis before a demo in one process, as doctor does before up', async () => {
    expect(asked(BARE, {}, 'demo')).toEqual({ status: 0, said: '' });
    expect((await checkRedis(commandSettings({}))).result).toBe('ok');
  });

  const OWN = { id: `echo ${process.getuid?.()}` };
  it.each<[place: string, programs: object, env: Record<string, string>, isThere: boolean]>([
    ['redis-server', {}, {}, true],
    ['valkey-server', { ...BARE, 'valkey-server': '' }, {}, true],
    ['a Docker engine', { ...BARE, docker: 'echo 28' }, {}, true],
    ['docker without an engine', { ...BARE, docker: 'exit 1' }, {}, false],
    ['an address', BARE, { FLOTILLA_REDIS_URL: 'redis://r.example:6379' }, true],
    ['an address in the old setting', BARE, { REDIS_URL: 'redis://r.example:6379' }, true],
    ['nothing', BARE, {}, false],
    ['dnf', { ...BARE, dnf: '' }, {}, false],
    ['apt-get', { ...BARE, 'apt-get': '', ...OWN }, {}, canInstall()],
  ])('make demo REDIS=1 looks for a Redis as the command does, where there is %s', (_, programs, more, isThere) => {
    const { status, said } = asked({ ...programs }, { REDIS: '1', ...more }, 'demo');
    expect(status).toBe(isThere ? 0 : 2);
    if (isThere) return;
    const command = redisInstallCommand({ PATH: join(checkout, 'bin'), ...more });
    expect(said).toContain(command.replace(/^sudo /, ''));
  });
});

function canInstall(): boolean {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version');
}
