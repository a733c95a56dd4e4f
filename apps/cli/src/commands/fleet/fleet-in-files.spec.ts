import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ManualClock } from '#platform/clock/manual-clock';
import { FleetFolder } from '#platform/fleet/folder/fleet-folder';
import { silentLog } from '#platform/telemetry/log.port';
import { runFlotilla } from '../../run-flotilla.fixture.js';

const API = 'fleet.flotilla.dev/v1alpha1';
const decision = (name: string) =>
  `apiVersion: ${API}\nkind: FleetDecision\nmetadata: {name: ${name}, namespace: platform}\nspec: {rollout: kafka-9, action: Pause, reason: incident, by: {user: anna}}\n`;

describe('a fleet in files, as the verbs see it', () => {
  let path = '';
  const at = (name: string) => join(path, name);
  beforeEach(async () => {
    vi.stubEnv('FLOTILLA_FLEET', '');
    path = await mkdtemp(join(tmpdir(), 'flotilla-files-'));
    await writeFile(
      at('a.yaml'),
      `apiVersion: ${API}\nkind: FleetCluster\nmetadata: {name: store-01}\nspec: {access: {context: store-01}}\n`,
    );
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
  });

  const status = (...more: string[]) => runFlotilla(['fleet', 'status', '--fleet', path, ...more]);
  const hub = async () => {
    const clock = new ManualClock();
    const folder = await FleetFolder.open({ path, clock, log: silentLog });
    const sure = folder.makeSure();
    await clock.advance(5_000);
    await sure;
    return folder;
  };

  it('says in its status that no hub runs, and since when it stands', async () => {
    const never = await status();
    expect(never.out).toMatch(
      /^No hub has used this folder yet, or its status\/ was deleted\n {2}→ flotilla up --fleet/,
    );
    expect(JSON.parse((await status('-o', 'json')).out)).toMatchObject({ hub: { runs: false, since: null } });

    const folder = await hub();
    const running = await status();
    expect(running).toMatchObject({ exit: 0, out: expect.stringMatching(/^1 cluster, /) });
    expect(JSON.parse((await status('-o', 'json')).out)).not.toHaveProperty('hub');

    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(at('status/lock'), hourAgo, hourAgo);
    const time = `${hourAgo.toISOString().slice(0, 19)}Z`;
    expect((await status()).out).toMatch(/^Process \d+ on \S+ owns this fleet, but has stopped reporting: /);
    expect(JSON.parse((await status('-o', 'json')).out)).toMatchObject({ hub: { runs: true, since: time } });

    await folder.stop();
    const { ended } = JSON.parse(await readFile(at('status/lock'), 'utf8')) as { ended: string };
    const after = await status();
    const since = `${ended.slice(0, 19)}Z`;
    expect(after.out.startsWith(`No hub runs: the following state is from ${since} (`)).toBe(true);
    expect(JSON.parse((await status('-o', 'json')).out)).toMatchObject({ hub: { runs: false, since } });
    expect((await status('-o', 'name')).out).toBe('');
  });

  it('has a word for a decision outside of decisions/, and for one about a rollout that is not there', async () => {
    await mkdir(at('decisions'));
    await writeFile(at('decisions/lost.yaml'), decision('lost'));
    await writeFile(at('pause.yaml'), decision('pause'));
    const { out, err, exit } = await status();
    expect(exit).toBe(0);
    expect(err).toBe(
      `note: ${at('pause.yaml')}:1: FleetDecision pause has no effect outside of decisions/: move its file there\n`,
    );
    const note = '1 decision names no existing rollout, without effect: lost (Pause of platform/kafka-9)';
    expect(out).toContain(`\nnote: ${note}\n`);
    expect(JSON.parse((await status('-o', 'json')).out)).toMatchObject({ notes: [note] });
    const folder = await hub();
    expect(await folder.check.check()).toEqual({
      ...{ up: true, degraded: true },
      detail: 'pause.yaml:1: FleetDecision pause has no effect outside of decisions/: move its file there',
    });
    await folder.stop();
  });
});

describe('--fleet', () => {
  const VERBS = [
    ['fleet', 'status'],
    ['fleet', 'plan'],
    ['fleet', 'pause', 'x', '--reason', 'why'],
    ['fleet', 'init'],
    ['up'],
  ];

  it.each(VERBS.map((verb) => ({ verb })))('that is empty is one line of $verb, exit code 2', async ({ verb }) => {
    expect(await runFlotilla([...verb, '--fleet', ''])).toEqual({
      ...{ exit: 2, out: '' },
      err: 'error: --fleet is empty: name the folder of the fleet, or the context of its hub\n',
    });
  });

  it.each(VERBS.map((verb) => ({ verb })))('that names a file is one line of $verb, exit code 2', async ({ verb }) => {
    for (const name of ['package.json', './package.json']) {
      expect(await runFlotilla([...verb, '--fleet', name])).toEqual({
        ...{ exit: 2, out: '' },
        err: `error: --fleet ${name}: is a file: name the folder of the fleet, or the context of its hub (context:${name})\n`,
      });
    }
  });
});
