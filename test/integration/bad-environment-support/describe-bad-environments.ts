import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { needing, programs } from '#testing/report/needs';
import { type BadPlace, type FullDisk, fullDisk, startBadPlace } from './bad-place.js';
import { type ProgramName, runProgram } from './ended-program.js';

const there = await programs({ program: 'redis-server', debian: 'redis-server' });

type Environment = Readonly<Record<string, string>>;
/**
 * A fault, the program that meets it, and its message. `exit` undefined: the program continues, because the
 * fault may be mended meanwhile.
 */
type Row = Readonly<{
  wrong: string;
  by: readonly string[];
  with: (place: BadPlace) => Environment;
  says: RegExp;
  exit?: number;
}>;

const UP = 'flotilla up --port 0';
const WORKER = 'resolver-worker';
const redisUrl = (url: (place: BadPlace) => string) => (place: BadPlace) => ({ FLOTILLA_REDIS_URL: url(place) });
const kubeconfig = (path: (place: BadPlace) => string) => (place: BadPlace) => ({ FLOTILLA_KUBECONFIG: path(place) });
const without = (pattern: RegExp, text: string) =>
  kubeconfig((place) => place.kubeconfig((good) => good.replaceAll(pattern, text)));
/** A service tries again; the command gives up. */
const both = (row: Omit<Row, 'by' | 'exit'>, exit: number): Row[] => [
  { ...row, by: [UP], exit },
  { ...row, by: [WORKER] },
];

const redisRows: readonly Row[] = [
  ...both(
    {
      wrong: 'a Redis that is not there',
      with: redisUrl(() => 'redis://127.0.0.1:1'),
      says: /127\.0\.0\.1:1\b.*ECONNREFUSED.*: check that Redis runs there, and FLOTILLA_REDIS_URL/,
    },
    3,
  ),
  ...both(
    {
      wrong: 'a host of Redis that nobody knows',
      with: redisUrl(() => 'redis://nowhere.invalid:6379'),
      says: /nowhere\.invalid.*: check the host in FLOTILLA_REDIS_URL/,
    },
    3,
  ),
  ...both(
    {
      wrong: 'a web server in the place of Redis',
      with: redisUrl(({ web }) => `redis://${web}`),
      says: /127\.0\.0\.1:\d+.*the server there is not Redis: set FLOTILLA_REDIS_URL to a Redis server/,
    },
    3,
  ),
  {
    wrong: 'a Redis that says nothing',
    by: [UP],
    with: redisUrl(({ silent }) => `redis://${silent}`),
    says: /127\.0\.0\.1:\d+ does not answer: no answer in time: check that Redis runs there, /,
    exit: 3,
  },
  {
    wrong: 'a Redis in Cluster mode',
    by: [UP, WORKER],
    with: redisUrl(({ redisCluster }) => `redis://:SECRET@${redisCluster}`),
    says: /127\.0\.0\.1:\d+ runs in Cluster mode, .*: use a Redis without Cluster mode/,
    exit: 2,
  },
  {
    wrong: 'a Redis that is too old',
    by: [UP, WORKER],
    with: redisUrl(({ oldRedis }) => `redis://:SECRET@${oldRedis.address}`),
    says: /127\.0\.0\.1:\d+ is version 6\.0\.16, but Flotilla needs 7\.0 or newer: set FLOTILLA_REDIS_URL to a newer Redis/,
    exit: 2,
  },
  ...both(
    {
      wrong: 'a wrong password of Redis',
      with: redisUrl(({ redis }) => `redis://:WRONG@${redis}`),
      says: /127\.0\.0\.1:\d+.*WRONGPASS .*: check FLOTILLA_REDIS_USER and FLOTILLA_REDIS_PASSWORD_FILE/,
    },
    3,
  ),
  ...both(
    {
      wrong: 'no password of Redis',
      with: redisUrl(({ redis }) => `redis://${redis}`),
      says: /127\.0\.0\.1:\d+.*NOAUTH .*: set FLOTILLA_REDIS_PASSWORD_FILE/,
    },
    3,
  ),
  {
    wrong: 'a user of Redis without rights',
    by: [UP, WORKER],
    with: redisUrl(({ redis }) => `redis://weak:weak@${redis}`),
    says: /Redis user .*weak.* lacks a right: NOPERM .*Give it the rights that k8s\/base\/hub\/redis-users\.acl lists/,
  },
  {
    wrong: 'a URL of Redis that is none',
    by: [UP, WORKER],
    with: redisUrl(() => 'localhost:6379'),
    says: /FLOTILLA_REDIS_URL: its value is not a URL such as redis:/,
    exit: 2,
  },
  {
    wrong: 'no file with the password of Redis',
    by: [UP, WORKER],
    with: () => ({ FLOTILLA_REDIS_PASSWORD_FILE: '/nowhere/password' }),
    says: /\/nowhere\/password: no such file or directory: check FLOTILLA_REDIS_PASSWORD_FILE/,
    exit: 2,
  },
];

const READERS = [UP, 'applier', 'flotilla status'];
const kubeconfigRows: readonly Row[] = [
  {
    wrong: 'no kubeconfig',
    by: READERS,
    with: kubeconfig(() => '/nowhere/kubeconfig'),
    says: /kubeconfig: open \/nowhere\/kubeconfig: no such file or directory: check .*FLOTILLA_KUBECONFIG/,
    exit: 2,
  },
  {
    wrong: 'a kubeconfig of broken YAML',
    by: READERS,
    with: kubeconfig(({ file }) => file('broken', 'apiVersion: v1\nclusters: [\n  - {')),
    says: /-broken is not a kubeconfig: .*3:3\): repair it, or name another file/,
    exit: 2,
  },
  {
    wrong: 'an empty kubeconfig',
    by: [UP],
    with: kubeconfig(({ file }) => file('empty', '')),
    says: /no context in .*-empty: name a kubeconfig with a context with --kubeconfig/,
    exit: 2,
  },
  {
    // As in kubectl there is no context yet; one may be added while the service runs.
    wrong: 'an empty kubeconfig',
    by: ['applier'],
    with: kubeconfig(({ file }) => file('empty', '')),
    says: /no cluster is managed yet: the kubeconfig has no context that can be used; add one to it/,
  },
  {
    wrong: 'a context that the kubeconfig does not have',
    by: [`${UP} --context south`, 'flotilla status --context south'],
    with: () => ({}),
    says: /there is no context "south": .*-kubeconfig has east/,
    exit: 2,
  },
  {
    wrong: 'a context that the kubeconfig does not have, in a setting',
    by: ['applier'],
    with: () => ({ FLOTILLA_CONTEXTS: 'south' }),
    says: /there is no context \\"south\\": .*-kubeconfig has east/,
    exit: 2,
  },
  {
    wrong: 'a kubeconfig without contexts',
    by: ['applier'],
    with: kubeconfig(({ file }) =>
      file('bare', 'apiVersion: v1\nkind: Config\ncontexts: []\nclusters: []\nusers: []\n'),
    ),
    says: /no cluster is managed yet: the kubeconfig has no context that can be used/,
  },
];

const OF_KUBECONFIG = 'check that the API server runs, and the server address, CA and proxy of its kubeconfig';
/** Faults that may be mended at any time: services and `up` continue, a command ends with 3. */
const clusterRows: readonly Row[] = [
  {
    wrong: 'a cluster that is not there',
    with: kubeconfig(({ kubeconfigAt }) => kubeconfigAt('https://127.0.0.1:1')),
    says: new RegExp(`at https://127.0.0.1:1: .*ECONNREFUSED 127.0.0.1:1; ${OF_KUBECONFIG}`),
  },
  {
    wrong: 'a host of the API server that nobody knows',
    with: kubeconfig(({ kubeconfigAt }) => kubeconfigAt('https://nowhere.invalid:6443')),
    says: new RegExp(`ENOTFOUND nowhere.invalid \\(directly: [^)]*\\); ${OF_KUBECONFIG}`),
  },
  {
    wrong: 'a web server in the place of the API server',
    with: kubeconfig(({ kubeconfigAt, web }) => kubeconfigAt(`http://${web}`)),
    says: /at http:\/\/127\.0\.0\.1:\d+: .*the answer is not from a Kubernetes API server: check the server address/,
  },
  {
    wrong: 'an API server without TLS',
    with: kubeconfig(({ kubeconfigAt, web }) => kubeconfigAt(`https://${web}`)),
    says: new RegExp(`at https://127.0.0.1:\\d+: .*the server does not use TLS; ${OF_KUBECONFIG}`),
  },
  {
    wrong: 'another authority',
    with: without(/ *certificate-authority-data: .*\n/g, ''),
    says: new RegExp(`certificate is not signed by the authority that the kubeconfig names .*; ${OF_KUBECONFIG}`),
  },
  {
    wrong: 'a missing file of the authority',
    with: without(/certificate-authority-data: .*/g, 'certificate-authority: /nowhere/ca.crt'),
    says: /open \/nowhere\/ca\.crt: no such file or directory; check the cluster and the user of its context/,
  },
  {
    wrong: 'a wrong login',
    with: without(/token: .*/g, 'token: wrong'),
    says: /Unauthorized; its login in the kubeconfig is not accepted or has expired: renew it/,
  },
  {
    wrong: 'a credential plugin that is not installed',
    with: without(
      /token: .*/g,
      'exec: {apiVersion: client.authentication.k8s.io/v1, command: nowhere, interactiveMode: Never}',
    ),
    says: /credential plugin \\?"nowhere\\?" failed: there is no such program here \(ENOENT\); check the cluster and the user/,
  },
].flatMap((row): Row[] => [
  { ...row, by: [UP, 'applier'] },
  { ...row, by: ['flotilla status'], exit: 3 },
]);

/** Services and `up` go on, since rights may be granted at any time. */
const rightsRows: readonly Row[] = [
  {
    wrong: 'a login without rights',
    by: [UP, 'applier', 'catalog-poller'],
    says: /deployments\.apps .* is forbidden: User .*guest.*\. Nothing is written\. Give the hub’s login the rights that \\?"flotilla clusters check (--kubeconfig FILE|(--kubeconfig \S+ )?--context east)\\?" lists/,
  },
  {
    wrong: 'a login without rights',
    by: ['flotilla clusters check'],
    says: /kubectl --kubeconfig \S+ --context east create clusterrolebinding flotilla:observe --clusterrole=flotilla:observe --serviceaccount=default:guest$/,
    exit: 1,
  },
  {
    wrong: 'a login without rights',
    by: ['flotilla doctor'],
    says: /cluster east: this login is missing \d+ rights that the hub needs, so a hub would not manage the cluster/,
    exit: 1,
  },
].map((row) => ({
  ...row,
  with: ({ kubeconfig: changed, guest }: BadPlace) => ({
    FLOTILLA_KUBECONFIG: changed((good) => good.replaceAll(/token: .*/g, `token: ${guest}`)),
  }),
}));

const diskRows: readonly Row[] = [
  {
    wrong: 'a content folder below a file',
    by: [UP, WORKER],
    with: ({ file }) => ({ FLOTILLA_CONTENT_DIR: join(file('file', ''), 'content') }),
    says: /content folder .*: not a directory: set FLOTILLA_CONTENT_DIR to a folder that this user can write/,
    exit: 2,
  },
  {
    wrong: 'no file for the hub’s key',
    by: ['applier', UP],
    with: () => ({ FLOTILLA_HUB_KEY_FILE: '/nowhere/key' }),
    says: /FLOTILLA_HUB_KEY_FILE names \/nowhere\/key, but it does not exist .*openssl rand/,
    exit: 2,
  },
];

/** Loaded before the program: its clock is ahead by the milliseconds in a file. */
const SHIFTED_CLOCK = join(PROJECT_ROOT, 'dist/test/chaos/hub/shift-clock.process.js');
const clockRows: readonly Row[] = [
  { hours: 1, which: 'ahead of' },
  { hours: -1, which: 'behind' },
].map(({ hours, which }) => ({
  wrong: `a clock that is an hour ${which} that of Redis`,
  by: hours > 0 ? [UP, 'applier', WORKER] : [UP],
  with: ({ file }) => ({
    NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`,
    FLOTILLA_TEST_CLOCK_FILE: file('clock', String(hours * 3_600_000)),
  }),
  says: new RegExp(`the clock of this machine is 60 min ${which} that of Redis: set both clocks by NTP`),
}));

const STACK = /\n\s+at |"stack"/;
/** `error: …` of the command; of a service the line that says that it could not start. */
const isError = (line: string): boolean => /^error: |"level":"error"|^FLOTILLA_\w+: /.test(line);

const TABLES = [redisRows, kubeconfigRows, clusterRows, rightsRows, diskRows, clockRows];
/** One row in one program: the first of each table, or each row in each of its programs. */
const cases = (which: Which) =>
  which === 'all'
    ? TABLES.flat().flatMap((row) => row.by.map((command) => ({ ...row, command })))
    : TABLES.flatMap(([row]) => (row === undefined ? [] : { ...row, command: row.by[0] ?? '' }));

type Which = 'all' | 'one of each kind';

const TITLE = 'an environment in which the hub cannot work gets one line, an exit code and no stack';

/** Tests that start programs in bad environments: `make test` has one of each kind, `make test-all` all. */
export const describeBadEnvironments = (which: Which) =>
  describe(TITLE, needing(there), () => {
    let place: BadPlace;
    let full: FullDisk | undefined;
    beforeAll(async () => {
      place = await startBadPlace();
      full = fullDisk();
      if (full === undefined) console.log('not tried: a full disk needs root and a system that lets it mount one');
    });
    afterAll(async () => {
      full?.remove();
      await place?.stop();
    });

    async function meet(command: string, more: Environment, says: RegExp, exit?: number) {
      const [program = '', ...args] = command.split(' ');
      // Several run at once: each is a hub of its own.
      const env = { ...place.environment, FLOTILLA_HUB_ID: `hub-${randomUUID()}`, ...more };
      return runProgram({ program: program as ProgramName, args, env, ...(exit === undefined && { until: says }) });
    }

    describe.concurrent('at a start', () => {
      it.for(cases(which))('$wrong: $command', async ({ command, with: given, says, exit }, { expect }) => {
        const ended = await meet(command, given(place), says, exit);
        const lines = `${ended.out}\n${ended.err}`.split('\n');
        expect({ exit: ended.exit, said: lines.filter((line) => says.test(line)).length }, lines.join('\n')).toEqual({
          exit,
          said: expect.toSatisfy((count: number) => count > 0),
        });
        if (exit === 2) expect(lines.filter(isError)).toHaveLength(1);
        expect(lines.join('\n')).not.toMatch(STACK);
        expect(lines.join('\n')).not.toContain('SECRET');
      });

      if (which !== 'all') return;
      it.for([UP, 'applier', WORKER])('a disk that is full: %s', async (command, { expect }) => {
        if (full === undefined) return;
        const folder = join(full.folder, 'content');
        const { out, err, exit } = await meet(command, { FLOTILLA_CONTENT_DIR: folder }, /./, 3);
        expect(`${out}${err}`).toMatch(
          /content folder .*: no space left on device: free space there, or set FLOTILLA_CONTENT_DIR/,
        );
        expect(exit).toBe(3);
        expect(`${out}${err}`).not.toMatch(STACK);
      });
    });

    if (which !== 'all') return;
    it.each([{ command: UP }, { command: 'applier' }])(
      'a clock that is off, by which the certificate has expired: $command',
      async ({ command }) => {
        place.fleet.expireCertificate(true);
        const says = /certificate has expired; .*of its kubeconfig, and the clock of this machine/;
        const ended = await meet(command, {}, says);
        place.fleet.expireCertificate(false);
        const said = `${ended.out}${ended.err}`;
        if (ended.exit !== undefined || STACK.test(said)) throw new Error(said);
      },
    );
  });
