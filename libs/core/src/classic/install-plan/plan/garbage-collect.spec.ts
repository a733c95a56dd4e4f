import { describe, expect, it } from 'vitest';
import type { InstallPlan } from '../../../kernel/api/install-plan.js';
import { plansToDelete } from './garbage-collect.js';

const plan = (generation: number, phase = 'Complete', creationTimestamp = '2026-01-01T00:00:00Z'): InstallPlan => ({
  apiVersion: 'operators.coreos.com/v1alpha1',
  kind: 'InstallPlan',
  metadata: { name: `install-${generation}`, creationTimestamp },
  spec: { approval: 'Automatic', approved: true, clusterServiceVersionNames: [], generation },
  status: { phase, catalogSources: [] },
});
const plans = (generations: readonly number[], phase?: string) => generations.map((number) => plan(number, phase));
const deleted = (
  all: readonly InstallPlan[],
  referred: readonly string[],
  isolated = false,
  waiting: readonly string[] = [],
) =>
  plansToDelete(all, { referred: new Set(referred), isolated, waiting: new Set(waiting) }).map(
    ({ spec }) => spec.generation,
  );

describe('plans to delete', () => {
  it.each<[why: string, all: InstallPlan[], referred: string[], gone: number[]]>([
    ['five are kept', plans([1, 2, 3, 4, 5]), [], []],
    ['the oldest generation goes first, whatever the order of the list', plans([6, 1, 5, 2, 4, 3]), [], [1]],
    [
      'many at once: OLM needs several passes and may take newer ones',
      plans([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
      [],
      [1, 2, 3, 4, 5, 6, 7],
    ],
    [
      'of one generation the older one',
      [...plans([2, 3, 4, 5]), plan(1, 'Failed', '2026-01-02T00:00:00Z'), plan(1)],
      [],
      [1],
    ],
    ['a plan that nobody waits for goes, whatever its phase', plans([1, 2, 3, 4, 5, 6], 'RequiresApproval'), [], [1]],
    [
      'a plan that waits for approval stays while a Subscription waits for it',
      plans([1, 2, 3, 4, 5, 6, 7], 'RequiresApproval'),
      ['install-1'],
      [2],
    ],
    ['so does one that is being executed', plans([1, 2, 3, 4, 5, 6], 'Installing'), ['install-1'], []],
    ['one that is finished goes', plans([1, 2, 3, 4, 5, 6]), ['install-1'], [1]],
  ])('%s', (_why, all, referred, gone) => {
    expect(deleted(all, referred)).toEqual(gone);
  });

  it('with isolation each Subscription keeps its plan, finished or not', () => {
    expect(deleted(plans([1, 2, 3, 4, 5, 6, 7]), ['install-1'], true)).toEqual([2]);
  });

  it('keeps a complete plan while its ClusterServiceVersion waits for what it brings', () => {
    const [first, ...others] = plans([1, 2, 3, 4, 5, 6, 7]);
    if (first === undefined) throw new Error('no plan');
    const awaited = { ...first, spec: { ...first.spec, clusterServiceVersionNames: ['tug.v1'] } };
    expect(deleted([awaited, ...others], ['install-1', 'install-2'], false, ['tug.v1'])).toEqual([2]);
    expect(deleted([awaited, ...others], ['install-2'], false, ['tug.v1']), 'nobody refers to it').toEqual([1, 2]);
  });
});
