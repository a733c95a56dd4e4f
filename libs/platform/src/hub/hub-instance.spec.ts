import { cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fileInstance } from './hub-instance.js';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-hub-instance-'));
});
afterEach(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

const at = (place = folder) => fileInstance(join(place, 'clusters.yaml'))();
const write = (text: string) => writeFile(join(folder, 'hub-instance'), text);

describe('the instance of a hub that is one process', () => {
  it('is kept, also in a home that has no folder for it yet', async () => {
    const place = join(folder, 'home', '.config');
    const made = await at(place);
    expect(made).toMatch(/^[0-9a-f]{12}$/);
    expect(await at(place)).toBe(made);
    expect(await readdir(place)).toEqual(['hub-instance']);
  });

  it('is another one for a copy of the home on another machine', async () => {
    await write('0123456789ab elsewhere\n');
    const made = await at();
    expect(made).not.toBe('0123456789ab');
    expect(await at()).toBe(made);
  });

  it('is another one for a copy of the home beside it, and the same by another way to it', async () => {
    const [home, copy, way] = ['home a', 'copy', 'way'].map((name) => join(folder, name));
    const made = await at(home);
    await cp(home ?? '', copy ?? '', { recursive: true });
    await symlink(home ?? '', way ?? '');
    expect(await at(copy)).not.toBe(made);
    expect([await at(home), await at(way)]).toEqual([made, made]);
  });

  it.each(['', 'lies', `short ${hostname()}`])('is made anew where the file says "%s"', async (text) => {
    await write(text);
    const made = await at();
    expect(made).toMatch(/^[0-9a-f]{12}$/);
    expect(await at()).toBe(made);
  });

  it('is one for the life of the process where nothing can be kept', async () => {
    const instance = fileInstance('/proc/clusters.yaml');
    expect(await instance()).toBe(await instance());
    expect(await at('/proc')).not.toBe(await instance());
  });
});
