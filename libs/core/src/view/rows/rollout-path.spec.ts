import { expect, it } from 'vitest';
import { newRow, type RolloutRow } from '../../rollout/controller/step/row.js';
import { type ClusterStep, rolloutPaths, shownClasses, stepOf } from './rollout-path.js';

const PATH = [
  { from: 'mill.v1', to: 'mill.v2', hopHash: 'a' },
  { from: 'mill.v2', to: 'mill.v3', hopHash: 'b' },
];
const row = (more: Partial<RolloutRow>): RolloutRow => ({
  ...newRow('east', 'o', 0, { generation: 1, identity: undefined }),
  ...{ class: '3f9c', attempt: 1, hop: 1, ...more },
});

it.each<[string, Partial<RolloutRow>, Partial<ClusterStep> | undefined]>([
  ['on its way', { phase: 'Applying' }, { step: 1, isFailed: false }],
  [
    'waiting between two steps',
    { phase: 'Applying', isRunning: false, reason: 'Halted' },
    { step: 1, isFailed: false },
  ],
  ['looked at after its last step', { phase: 'Verifying', hop: 2 }, { step: 2, isFailed: false }],
  ['failed at a step', { phase: 'Failed', reason: 'ApplyFailed', hop: 2 }, { step: 2, isFailed: true }],
  ['failed before its first step', { phase: 'Failed', reason: 'Offline', attempt: 0, hop: 0 }, undefined],
  ['failed without a plan', { phase: 'Failed', reason: 'ResolutionFailed' }, undefined],
  ['failed on its way back', { phase: 'Failed', reason: 'RollbackFailed' }, undefined],
  ['at its target', { phase: 'Done', hop: 2 }, undefined],
  ['waiting', { phase: 'Waiting', attempt: 0, hop: 0 }, undefined],
])('a cluster that is %s', (_, more, step) => {
  expect(stepOf(row(more))).toEqual(step && { cluster: 'east', class: '3f9c', ...step });
});

const at = (cluster: string, step: number, isFailed = false): ClusterStep => ({
  ...{ cluster, class: '3f9c', step, isFailed },
});
const rollout = (...classes: object[]) => ({ status: { classes } });

it('shows the steps of a class in their order, with the clusters at each', () => {
  const names = ['g', 'f', 'e', 'd', 'c', 'b'];
  const steps = [...names.map((name) => at(name, 1)), at('x', 2, true), { ...at('other', 1), class: '77ab' }];
  const pathOf = (hash: string) => (hash === '3f9c' ? PATH : undefined);
  const classes = [
    { hash: '77ab', clusters: 1 },
    { hash: '3f9c', clusters: 9 },
  ];
  const nobody = { clusters: 0, sample: [] };
  expect(rolloutPaths(rollout(...classes), { pathOf, steps })).toEqual({
    classes: [
      {
        ...{ hash: '3f9c', clusters: 9 },
        steps: [
          {
            ...{ from: 'mill.v1', to: 'mill.v2' },
            underWay: { clusters: 6, sample: ['b', 'c', 'd', 'e', 'f'] },
            failed: nobody,
          },
          { from: 'mill.v2', to: 'mill.v3', underWay: nobody, failed: { clusters: 1, sample: ['x'] } },
        ],
      },
    ],
    more: 0,
  });
});

it('shows the ten classes of the most clusters that have a plan', () => {
  const classes = Array.from({ length: 12 }, (_, index) => ({ hash: `a${index}`, clusters: index }));
  const found = shownClasses(rollout(...classes, { hash: 'rollback', clusters: 40 }, { hash: 'none', clusters: 41 }));
  expect(found.classes.map(({ clusters }) => clusters)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2]);
  expect(found.more).toBe(1);
  expect(shownClasses({ status: { classes: 'none' } })).toEqual({ classes: [], more: 0 });
});
