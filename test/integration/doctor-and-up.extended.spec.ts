import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { fullDisk } from './bad-environment-support/bad-place.js';
import { runProgram } from './bad-environment-support/ended-program.js';

type Environment = Readonly<Record<string, string>>;
/**
 * `says`: the reason in both outputs. `exits`: of doctor and of up; undefined: up continues, because the
 * cause may be mended meanwhile. `env` undefined: this user cannot play the row here.
 */
type Row = Readonly<{
  wrong: string;
  env: () => Environment | undefined;
  says?: RegExp;
  exits: readonly [doctor: number, up: number | undefined];
}>;

const RUNS = /Press Ctrl-C to stop/;
const READ_ONLY = /read-only file system.* FLOTILLA_CONTENT_DIR|read-only file system\n.*FLOTILLA_CONTENT_DIR/;
/** Loaded before the program, so that it sees an old Node. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})`;

let folder = '';
let fleet: SimulatedFleet;
const endings: (() => void)[] = [];
const kubeconfig = (server?: string) => {
  const path = join(folder, `${randomUUID()}-kubeconfig`);
  const text = fleet.kubeconfig();
  writeFileSync(path, server === undefined ? text : text.replaceAll(/https:\/\/127[^ \n]+/g, server), { mode: 0o600 });
  return path;
};

const ROWS: readonly Row[] = [
  { wrong: 'nothing, and no Redis', env: () => ({}), exits: [0, undefined] },
  {
    wrong: 'a Redis that is named and down',
    env: () => ({ FLOTILLA_REDIS_URL: 'redis://127.0.0.1:1' }),
    says: /127\.0\.0\.1:1\b.*ECONNREFUSED/,
    exits: [1, 3],
  },
  {
    wrong: 'a cluster that does not answer',
    env: () => ({ FLOTILLA_KUBECONFIG: kubeconfig('https://127.0.0.1:1') }),
    says: /cluster "?east"?.*ECONNREFUSED 127\.0\.0\.1:1/,
    exits: [1, undefined],
  },
  { wrong: 'a read-only disk', env: () => contentBelow(readOnlyDisk()), says: READ_ONLY, exits: [1, 2] },
  {
    wrong: 'a full disk',
    env: () => contentBelow(fullDisk()),
    says: /no space left on device(: |\n.*)free space there/,
    exits: [1, 3],
  },
  {
    wrong: 'an old Node',
    env: () => ({ NODE_OPTIONS: `--import=${OLD_NODE}` }),
    says: /^error: Node 20\.20\.2 is older than 24: install Node 24 or newer/m,
    exits: [2, 2],
  },
];

type Disk = Readonly<{ folder: string; remove: () => void }>;

function contentBelow(disk: Disk | undefined): Environment | undefined {
  if (disk === undefined) return undefined;
  endings.push(disk.remove);
  return { FLOTILLA_CONTENT_DIR: join(disk.folder, 'flotilla', 'content') };
}

/** Undefined if this user may mount none. */
function readOnlyDisk(): Disk | undefined {
  const place = mkdtempSync(join(tmpdir(), 'flotilla-read-only-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=64k', 'tmpfs', place], { stdio: 'pipe' });
  } catch {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
    return undefined;
  }
  const remove = () => {
    execFileSync('umount', [place]);
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  };
  return { folder: place, remove };
}

describe('flotilla doctor and flotilla up agree', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'flotilla-agree-'));
    fleet = await startSimulatedFleet({ clusters: ['east'] });
  });
  afterAll(async () => {
    for (const end of endings) end();
    await fleet?.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  it.each(ROWS)('with $wrong', async ({ wrong, env, says, exits }) => {
    const more = env();
    if (more === undefined) return console.log(`not tried: ${wrong} needs root and a system that lets it mount one`);
    const place = {
      PATH: '/nowhere',
      HOME: folder,
      FLOTILLA_KUBECONFIG: kubeconfig(),
      FLOTILLA_CONTENT_DIR: join(folder, 'content'),
      FLOTILLA_CATALOG_POLLER_PORT: '0',
      FLOTILLA_HUB_ID: `hub-${randomUUID()}`,
      ...more,
    };
    const doctor = await runProgram({ program: 'flotilla', args: ['doctor'], env: place });
    const until = exits[1] === undefined ? { until: says ?? RUNS } : {};
    const up = await runProgram({ program: 'flotilla', args: ['up', '--no-console'], env: place, ...until });
    const said = [doctor, up].map(({ out, err }) => `${out}${err}`);
    expect([doctor.exit, up.exit], said.join('\n')).toEqual(exits);
    for (const text of said) expect(text).toMatch(says ?? /./);
  });
});
