import { describe, expect, it } from 'vitest';
import { type MachineFacts, machineChecks } from './machine-checks.js';

const GIB = 1024 ** 3;
const facts: MachineFacts = {
  node: '24.21.0',
  memoryBytes: 4 * GIB,
  processors: 2,
  openFiles: 1_048_576,
  contentDir: '/var/cache/flotilla',
  contentFreeBytes: 20 * GIB,
};
const resultsOf = (changed: Partial<MachineFacts>) =>
  machineChecks({ ...facts, ...changed })
    .filter(({ result }) => result !== 'ok')
    .map(({ name, result, text }) => `${name} ${result}: ${text}`);

describe('what a machine has for a hub', () => {
  it('is enough', () => {
    expect(resultsOf({})).toEqual([]);
  });

  it.each<[string, Partial<MachineFacts>, string]>([
    ['an old Node', { node: '20.20.2' }, 'node failed: Node 20.20.2 is older than 24'],
    ['little memory', { memoryBytes: GIB / 4 }, 'memory warning: 256 MiB of memory, 2 processors: little for a hub'],
    ['few files', { openFiles: 256 }, 'open files warning: a process may open 256 files: too few for many clusters'],
    [
      'a full disk',
      { contentFreeBytes: 100 * 1024 * 1024 },
      'content warning: /var/cache/flotilla has 100 MiB free: catalogs and bundles are unpacked there',
    ],
    [
      'a folder that is not writable',
      { contentFreeBytes: undefined, contentProblem: 'permission denied' },
      'content failed: /var/cache/flotilla cannot be used: permission denied',
    ],
  ])('is not with %s', (_, changed, expected) => {
    expect(resultsOf(changed)).toEqual([expected]);
  });

  it('says what to do wherever something is wrong', () => {
    const bad = machineChecks({ ...facts, node: '18.0.0', memoryBytes: 1, openFiles: 1, contentFreeBytes: undefined });
    expect(bad.map(({ todo }) => todo !== '')).toEqual([true, true, true, true]);
  });
});
