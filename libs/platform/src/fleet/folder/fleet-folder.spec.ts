import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { ManualClock } from '../../clock/manual-clock.js';
import { silentLog } from '../../telemetry/log.port.js';
import { FleetFolder } from './fleet-folder.js';

const CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' };
const fleetCluster = (name: string, more = ''): string =>
  `apiVersion: ${FLEET_API}\nkind: FleetCluster\nmetadata: {name: ${name}}\nspec: {access: {context: ${name}}${more}}\n`;

describe('a folder of a fleet', () => {
  let top = '';
  const opened: FleetFolder[] = [];
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  const path = () => join(top, 'fleet');
  const at = (name: string) => join(path(), name);

  beforeEach(async () => {
    top = await mkdtemp(join(tmpdir(), 'flotilla-fleet-'));
    await mkdir(path());
    await writeFile(at('a.yaml'), fleetCluster('store-01'));
  });
  afterEach(async () => {
    for (const folder of opened.splice(0)) await folder.stop();
    await rm(top, { recursive: true, force: true, maxRetries: 5 });
  });

  const open = async () => {
    const folder = await FleetFolder.open({ path: path(), clock, log: silentLog });
    opened.push(folder);
    return folder;
  };
  /** As `flotilla up` opens it. */
  const begin = async () => {
    const folder = await open();
    const sure = folder.makeSure();
    if (!folder.isSure) await clock.advance(5_000);
    await sure;
    return folder;
  };
  const settled = async (folder: FleetFolder) => {
    await folder.poll();
    await folder.poll();
  };
  const clusters = async (folder: FleetFolder) =>
    ((await folder.client('service').list(CLUSTER))?.items ?? []).map(({ metadata }) => metadata.name);
  const lock = async () => JSON.parse(await readFile(at('status/lock'), 'utf8')) as object;

  describe('in its health', () => {
    it.each([
      { what: 'YAML that is none', text: 'a: [b\n', says: /: a\.yaml:\d+: not YAML: / },
      {
        what: 'an unknown field',
        text: fleetCluster('x', ', extra: z'),
        says: /: a\.yaml:1: spec: unknown field "extra"$/,
      },
      { what: 'nothing', text: '', says: /: a\.yaml: is empty/ },
    ])('names a file with $what from the folder on, until it is mended', async ({ text, says }) => {
      const folder = await begin();
      expect(await folder.check.check()).toEqual({ up: true, detail: 'all files of the folder are read' });
      await writeFile(at('a.yaml'), text);
      await settled(folder);
      const broken = await folder.check.check();
      expect(broken).toMatchObject({ up: true, degraded: true, detail: expect.stringMatching(says) });
      expect(broken.detail).not.toContain(top);
      await writeFile(at('a.yaml'), fleetCluster('store-01'));
      await settled(folder);
      expect(await folder.check.check()).not.toHaveProperty('degraded');
    });

    it('says so of a folder that is gone, makes it not again, and goes on once it is back', async () => {
      const folder = await begin();
      await rename(path(), join(top, 'away'));
      await settled(folder);
      const detail = expect.stringMatching(/: the folder: no such file or directory$/);
      expect(await folder.check.check()).toMatchObject({ up: true, degraded: true, detail });
      const written = folder.client('service').create({ ...CLUSTER, kind: 'FleetAssignment' } as KubernetesObject);
      await expect(written).rejects.toThrow();
      expect(existsSync(path())).toBe(false);
      expect(await clusters(folder)).toEqual(['store-01']);
      await rename(join(top, 'away'), path());
      await settled(folder);
      expect(await folder.check.check()).not.toHaveProperty('degraded');
    });

    it('names no more than three', async () => {
      const folder = await begin();
      for (const name of ['b', 'c', 'd', 'e']) await writeFile(at(`${name}.yaml`), 'a: [b\n');
      await settled(folder);
      expect((await folder.check.check()).detail).toMatch(/b\.yaml.*; c\.yaml.*; d\.yaml.*; and 1 more$/);
    });
  });

  describe('with links', () => {
    it('reads linked folders and files inside it once, and ends where they lead in a circle', async () => {
      await mkdir(at('..data/teams'), { recursive: true });
      await mkdir(at('east'));
      await writeFile(at('..data/teams/b.yaml'), fleetCluster('store-02'));
      await writeFile(at('..data/c.yaml'), fleetCluster('store-03'));
      await writeFile(at('east/d.yaml'), fleetCluster('store-04'));
      await symlink('..data/teams', at('teams'));
      await symlink('..data', at('linked'));
      await symlink('..data/c.yaml', at('c.yaml'));
      await symlink('east', at('west'));
      await symlink('..', at('east/up'));
      await symlink('.', at('..data/teams/self'));
      const folder = await begin();
      expect(folder.problem).toBeUndefined();
      expect(await clusters(folder)).toEqual(['store-01', 'store-02', 'store-03', 'store-04']);
    });

    it.each([
      { what: 'a folder outside', to: '../other', says: /link: is a link out of the folder of the fleet/ },
      {
        what: 'a file outside',
        to: '../other/x.yaml',
        name: 'x.yaml',
        says: /x\.yaml: is a link out of the folder of the fleet/,
      },
      {
        what: 'what the hub makes',
        to: 'status',
        says: /link: is a link into status\/, the folder of the hub; remove it/,
      },
      { what: 'nothing', to: 'nowhere', says: /link: is a link that leads nowhere: no such file or directory/ },
      { what: 'itself', to: 'link', says: /link: is a link that leads nowhere: too many levels of symbolic links/ },
    ])('that lead to $what has one line about it', async ({ to, name = 'link', says }) => {
      const folder = await begin();
      await mkdir(join(top, 'other'));
      await writeFile(join(top, 'other/x.yaml'), fleetCluster('elsewhere'));
      await symlink(to, at(name));
      await settled(folder);
      expect(folder.problem).toMatch(says);
      expect(folder.problem?.split('\n')).toHaveLength(1);
      expect(await clusters(folder)).toEqual(['store-01']);
    });

    it('passes over links to other files, wherever they lead', async () => {
      await writeFile(join(top, 'README.md'), 'text');
      await symlink('../README.md', at('README.md'));
      expect((await begin()).problem).toBeUndefined();
    });
  });

  describe('for one hub at a time', () => {
    it('is refused while another uses it; a lock whose process is gone holds up no other', async () => {
      const first = await begin();
      await expect(open()).rejects.toThrow(/in use by process \d+ on .*only one hub may use it/);
      await first.stop();
      const gone = { pid: 2 ** 22 + 1, host: hostname(), started: '1' };
      await writeFile(at('status/lock'), JSON.stringify(gone));
      await (await open()).stop();
      await writeFile(at('status/lock'), JSON.stringify({ ...gone, pid: process.pid }));
      expect((await open()).isSure).toBe(true);
    });

    it('is sure at once where the one before has ended, and waits where nothing says that', async () => {
      const first = await open();
      expect(first.isSure).toBe(false);
      const sure = first.makeSure();
      await clock.advance(5_000);
      await sure;
      await first.stop();
      expect(await lock()).toMatchObject({ pid: process.pid, ended: expect.any(String) });
      expect((await open()).isSure).toBe(true);
    });

    it('stays with the first where status/ is deleted, which makes it anew', async () => {
      const first = await begin();
      const service = first.client('service');
      const ref = { ...CLUSTER, name: 'store-01' };
      await service.updateStatus({ ...(await service.get(ref)), status: { uid: 'u' } } as KubernetesObject);
      await rm(at('status'), { recursive: true, maxRetries: 10 });
      await first.poll();
      expect(JSON.parse(await readFile(at('status/FleetCluster/store-01.jsonl'), 'utf8'))).toMatchObject({
        status: { uid: 'u' },
      });
      await expect(open()).rejects.toThrow(/in use by process/);
    });

    it('stays with the first where a second one begins after status/ was deleted', async () => {
      const first = await begin();
      await rm(at('status'), { recursive: true, maxRetries: 10 });
      const second = await open();
      const sure = second.makeSure();
      await first.poll();
      await clock.advance(5_000);
      await expect(sure).rejects.toThrow(/in use by process/);
      await second.stop();
      await first.poll();
      expect(await first.check.check()).toEqual({ up: true, detail: 'all files of the folder are read' });
      await expect(open()).rejects.toThrow(/in use by process/);
    });

    it('is lost to the first where it did not poll meanwhile: it writes nothing more, and says so', async () => {
      const first = await begin();
      await rm(at('status'), { recursive: true, maxRetries: 10 });
      const second = await begin();
      const service = first.client('service');
      const found = await service.get({ ...CLUSTER, name: 'store-01' });
      const late = { ...found, status: { uid: 'late' } } as KubernetesObject;
      await expect(service.updateStatus(late)).rejects.toThrow(/the lock of this hub is not in the folder/);
      await writeFile(at('b.yaml'), fleetCluster('store-02'));
      await settled(first);
      expect((await first.whenLost).message).toBe(`another process uses the fleet’s folder ${path()}`);
      expect(await first.check.check()).toMatchObject({ up: false, detail: /another process/ });
      expect(await clusters(first)).toEqual(['store-01']);
      await first.stop();
      await settled(second);
      expect(await clusters(second)).toEqual(['store-01', 'store-02']);
      expect(await lock()).not.toHaveProperty('ended');
    });
  });
});
