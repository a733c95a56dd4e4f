import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HubKey } from './hub-key.js';

describe('the key of the hub', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-key-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const parts = ['observation', 'east', 'team', 'a'.repeat(64)];

  it('is one key for all that read one file', async () => {
    const file = join(folder, 'given');
    await writeFile(file, `${'k'.repeat(40)}\n`);
    const [poller, applier] = [await HubKey.open(file), await HubKey.open(file)];
    expect(applier.verifies(poller.codeOf(parts), parts)).toBe(true);
    expect(HubKey.random().verifies(poller.codeOf(parts), parts)).toBe(false);
  });

  it('is replaced by a new first line: what the old one authenticated counts until its line is gone', async () => {
    const [file, old, next] = [join(folder, 'rotated'), 'o'.repeat(40), 'n'.repeat(40)];
    await writeFile(file, `${old}\n`);
    const before = await HubKey.open(file);
    await writeFile(file, `${next}\n${old}\n`);
    const both = await HubKey.open(file);
    await writeFile(file, `${next}\n`);
    const after = await HubKey.open(file);
    expect(both.verifies(before.codeOf(parts), parts)).toBe(true);
    expect(after.verifies(both.codeOf(parts), parts)).toBe(true);
    expect(after.verifies(before.codeOf(parts), parts)).toBe(false);
    await writeFile(file, `${next}\nshort\n`);
    await expect(HubKey.open(file)).rejects.toThrow(/but it has a key of 5 bytes/);
  });

  it.each([
    ['another value', ['observation', 'east', 'team', 'b'.repeat(64)]],
    ['another namespace', ['observation', 'east', 'other', 'a'.repeat(64)]],
    ['another split of the same text', ['observation', 'eastteam', '', 'a'.repeat(64)]],
    ['a part less', parts.slice(0, 3)],
  ])('does not verify the code with %s', (_, other) => {
    const key = HubKey.random();
    expect(key.verifies(key.codeOf(parts), other)).toBe(false);
  });

  it('verifies a code again after thousands of others, and never a wrong one that it has seen before', () => {
    const key = HubKey.random();
    const [code, wrong] = [key.codeOf(parts), HubKey.random().codeOf(parts)];
    for (let number = 0; number < 5_000; number += 1) key.codeOf([...parts, String(number)]);
    for (const _ of ['first', 'again']) {
      expect(key.verifies(wrong, parts)).toBe(false);
      expect(key.verifies(code, parts)).toBe(true);
    }
  });

  it('keeps its codes: values in a Redis that an earlier release wrote stay valid', async () => {
    const file = join(folder, 'kept');
    await writeFile(file, `${'k'.repeat(40)}\n`);
    const key = await HubKey.open(file);
    expect(key.codeOf(['observation', 'östlich', 'team', '1'])).toBe('WGr4spW5YF5-bGnF2Z4BtmHAlzb-jCpwsAvYrxsme_k');
  });

  it.each(['', 'x', 'ü'.repeat(43)])('does not verify the code %j', (code) => {
    expect(HubKey.random().verifies(code, parts)).toBe(false);
  });

  it('is made where there is none, once for all that start at the same time, and for its owner alone', async () => {
    const file = join(folder, 'made');
    const keys = await Promise.all(Array.from({ length: 8 }, () => HubKey.open(file)));
    expect(new Set(keys.map((key) => key.codeOf(parts))).size).toBe(1);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await readFile(file, 'utf8')).trim().length).toBeGreaterThan(32);
    expect((await readdir(folder)).filter((name) => name.startsWith('made.'))).toEqual([]);
  });

  it('is refused, with the setting and the way out, where the file is not named, too short, or cannot be made', async () => {
    await writeFile(join(folder, 'short'), 'secret\n');
    await writeFile(join(folder, 'long'), 'k'.repeat(5_000));
    await expect(HubKey.open(join(folder, 'long'))).rejects.toThrow(
      /long, but a file of 5000 bytes is too large for keys/,
    );
    await expect(HubKey.open('')).rejects.toThrow(/^FLOTILLA_HUB_KEY_FILE is not set: .*openssl rand/);
    await expect(HubKey.open(join(folder, 'short'))).rejects.toThrow(/short, but it has a key of 6 bytes/);
    await expect(HubKey.open(join(folder, 'no', 'such'))).rejects.toThrow(
      /does not exist and cannot be created \(ENOENT\)/,
    );
    await expect(HubKey.open(folder)).rejects.toThrow(/cannot be read \(EISDIR\)/);
  });
});
