import { describe, expect, it } from 'vitest';
import { StrategySpec } from '../../kernel/api/fleet/fleet-strategy.js';
import { clusterSelector, selectorFailures } from './select-clusters.js';
import { BUILT_IN_STRATEGY, cutsOf, orderOf, placesOf, thresholdOf, waveOf, wavesOf } from './waves.js';

const cluster = (name: string, tier = 'prod', facts = {}) => ({ name, labels: { tier }, facts });
const fleet = Array.from({ length: 40 }, (_, at) => cluster(`c-${at}`, at < 4 ? 'lab' : 'prod'));
const lab = { selector: { matchLabels: { tier: 'lab' } } };

/** How many clusters each wave has. */
function sizes(strategy: StrategySpec): number[] {
  const waves = wavesOf(strategy);
  const cuts = cutsOf(waves, fleet, 'uid');
  const found = fleet.map((one) => waveOf(waves, cuts, one, orderOf('uid', one.name)));
  return waves.map((_, index) => found.filter((wave) => wave === index).length);
}
const strategy = (...waves: readonly object[]): StrategySpec =>
  StrategySpec.parse({ waves: waves.map((one, at) => ({ name: `w${at}`, ...one })) });

describe('waves', () => {
  it.each([
    { because: 'no wave is given', waves: [], is: [40] },
    { because: 'a wave takes all that match', waves: [{ clusters: lab }], is: [4, 36] },
    { because: 'a share is rounded up', waves: [{ percent: 1 }, { percent: 50 }], is: [1, 20, 19] },
    {
      because: 'a share counts what no earlier wave took',
      waves: [{ clusters: lab }, { percent: 50 }],
      is: [4, 18, 18],
    },
    { because: 'a share of matching ones', waves: [{ clusters: lab, percent: 50 }, { count: 3 }], is: [2, 3, 35] },
    { because: 'there are fewer than the count', waves: [{ count: 100 }], is: [40, 0] },
    { because: 'nothing matches', waves: [{ clusters: { expression: 'false' }, percent: 50 }], is: [0, 40] },
  ])('have $is members: $because', ({ waves, is }) => {
    expect(sizes(strategy(...waves))).toEqual(is);
  });

  it('have one cluster, a tenth, and the rest without a strategy', () => {
    expect(sizes(BUILT_IN_STRATEGY)).toEqual([1, 4, 35]);
    expect(wavesOf(BUILT_IN_STRATEGY).map(({ name, spec }) => [name, spec.soak])).toEqual([
      ['one', '10m'],
      ['tenth', '10m'],
      ['rest', '10m'],
    ]);
  });

  it('keep their members when clusters join: the cut decides', () => {
    const waves = wavesOf(strategy({ percent: 50 }));
    const cuts = cutsOf(waves, fleet, 'uid');
    const [cut = ''] = cuts.map((one) => one.cut);
    expect(waveOf(waves, cuts, cluster('new'), cut)).toBe(0);
    expect(waveOf(waves, cuts, cluster('new'), 'ffffffffffffffff')).toBe(1);
  });
});

it.each([
  { share: 5, members: 3, places: 3 },
  { share: '10%', members: 9, places: 1 },
  { share: '10%', members: 25, places: 2 },
  { share: '100%', members: 0, places: 0 },
])('$share of $members members: $places places', ({ share, members, places }) => {
  expect(placesOf(share, members)).toBe(places);
});

it('accepts failures as a number or a share that is rounded down', () => {
  expect([thresholdOf(2, 10), thresholdOf('2%', 99), thresholdOf('2%', 100)]).toEqual([2, 1, 2]);
});

describe('clusterSelector', () => {
  it.each([
    { selector: undefined, is: true },
    { selector: { expression: "cluster.labels.tier == 'prod'" }, is: true },
    { selector: { expression: 'cluster.facts.nodes >= 3' }, is: true },
    { selector: { expression: 'cluster.facts.none >= 3' }, is: false },
    { selector: { expression: "cluster.name.startsWith('a') &&" }, is: false },
    { selector: { ...lab, expression: 'true' }, is: false },
  ])('$selector: $is', ({ selector, is }) => {
    expect(clusterSelector(selector)(cluster('a', 'prod', { nodes: 3 }))).toBe(is);
  });
});

describe('selectorFailures', () => {
  const failing = (expression: string, facts = {}) =>
    selectorFailures('spec.clusters', { expression })?.(cluster('a', 'prod', facts));

  it.each([
    { expression: 'cluster.facts.nodes >= 3', is: undefined },
    { expression: 'cluster.facts.none >= 3', is: { field: 'spec.clusters', error: 'No such key: none' } },
    { expression: 'cluster.labels[', is: undefined },
  ])('$expression: $is', ({ expression, is }) => {
    expect(failing(expression, { nodes: 3 })).toEqual(is);
  });

  it('bound what the owner of a cluster can write into an error, and show its control characters', () => {
    const { error = '' } =
      failing('cluster.labels[cluster.facts.claims]', { claims: `\u001b[31m${'x'.repeat(1_000)}` }) ?? {};
    expect(error).toMatch(/^No such key: \\x1b\[31mx+…$/);
    expect(error.length).toBeLessThanOrEqual(200);
  });
});
