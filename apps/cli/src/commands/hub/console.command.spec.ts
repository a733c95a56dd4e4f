import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFlotilla } from '../../run-flotilla.fixture.js';

let folder: string;
let policy: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'can-i-'));
  policy = join(folder, 'policy.yaml');
  await writeFile(
    policy,
    'grants:\n  - { groups: [board], role: approver, clusters: ["eu-*"], labels: { tier: prod }, packages: [harbor] }\n',
  );
});
afterAll(() => rm(folder, { recursive: true, maxRetries: 5 }));

describe('flotilla console can-i', () => {
  it.each([
    ['approve -g board -C eu-1 -l tier=prod -p harbor', 0, 'yes: approver of clusters eu-* with tier=prod'],
    ['approve -g board -C eu-1 -l tier=prod -p harbor -p lamp', 1, 'no: package lamp is outside your grants'],
    ['approve -g board -C eu-1 -l tier=prod -p harbor lamp', 1, 'no: package lamp is outside your grants'],
    ['approve -g board -C eu-1 -p harbor', 1, 'no: a cluster without tier=prod, such as eu-1'],
    ['approve -u jane -C eu-1', 1, 'no: no grant names this person'],
    ['retry -g board', 1, 'no: retry needs the role operator'],
    ['see -g board', 0, 'yes: approver'],
    ['delete -g board', 2, '"delete" is not a verb of the console'],
    ['see', 2, 'specify a user'],
  ])('%s', async (words, code, says) => {
    const ran = await runFlotilla(['console', 'can-i', ...words.split(' '), '--policy', policy]);
    expect([ran.exit, ran.out + ran.err]).toEqual([code, expect.stringContaining(says)]);
  });

  it('names what is wrong with the file', async () => {
    const file = join(folder, 'wrong.yaml');
    await writeFile(file, 'grants:\n  - { users: [a], role: king, clusters: ["*"] }\n');
    const ran = await runFlotilla(['console', 'can-i', 'see', '-u', 'a', '--policy', file]);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('grants[0].role')]);
  });
});
