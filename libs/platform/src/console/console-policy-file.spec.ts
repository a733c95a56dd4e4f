import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DRIVEN, PATIENCE } from '#testing/patience';
import { ManualClock } from '../clock/manual-clock.js';
import { silentLog } from '../telemetry/log.port.js';
import { ConsolePolicyFile, readConsolePolicy } from './console-policy-file.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'policy-'));
  file = join(folder, 'policy.yaml');
});
afterEach(() => rm(folder, { recursive: true, maxRetries: 5 }));

const POLICY = 'grants:\n  - { groups: [sre], role: operator, clusters: ["*"] }\n';

describe('the policy file of the console', () => {
  it('is read again when it changes; a wrong one leaves the policy as it was, and is named', async () => {
    await writeFile(file, POLICY);
    const clock = new ManualClock();
    const policy = await ConsolePolicyFile.open(file, { clock, log: silentLog });
    expect(policy.policy.grants).toMatchObject([{ groups: ['sre'], role: 'operator', namespaces: ['*'] }]);

    await writeFile(file, POLICY.replace('operator', 'owner'));
    await clock.advance(10_000);
    await vi.waitFor(
      () => expect(policy.problem).toContain(`${file} is not a policy of the console: grants[0].role`),
      PATIENCE,
    );
    expect(policy.policy.grants).toMatchObject([{ role: 'operator' }]);

    await writeFile(file, POLICY.replace('operator', 'viewer'));
    await vi.waitFor(async () => {
      await clock.advance(10_000);
      expect(policy.policy.grants).toMatchObject([{ role: 'viewer' }]);
    }, DRIVEN);
    expect(policy.problem).toBe('');
    policy.stop();
  });

  it.each([
    ['grants: [', 'is not a policy of the console'],
    ['grants:\n  - { role: viewer, clusters: [a] }\n', 'grants[0]: names no users and no groups'],
    ['', 'the input is empty'],
  ])('that is wrong at the start keeps the console from it: %j', async (text, says) => {
    await writeFile(file, text);
    await expect(readConsolePolicy(file)).rejects.toThrow(says);
  });

  it('that is not there is named', async () => {
    await expect(readConsolePolicy(file)).rejects.toThrow('no such file');
  });

  it('grants nothing where none is set', async () => {
    expect((await ConsolePolicyFile.open('', { clock: new ManualClock(), log: silentLog })).policy.grants).toEqual([]);
  });
});
