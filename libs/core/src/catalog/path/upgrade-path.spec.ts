import { describe, expect, it } from 'vitest';
import { sampleCatalog } from '../graph/sample-catalog.fixture.js';
import { upgradeGraph } from '../graph/upgrade-graph.js';
import type { ChannelEntry } from '../model/catalog.js';
import { findBundle, findInstalled, type Point } from './find-point.js';
import { newestOf, upgradePath } from './upgrade-path.js';

type Channels = Record<string, ChannelEntry[]>;
const graphOf = (channels: Channels, more?: Parameters<typeof sampleCatalog>[1]) => {
  const graph = upgradeGraph(sampleCatalog(channels, more), 'ant');
  if (graph === undefined) throw new Error('the sample has no package');
  return graph;
};
const installed = (point: Point) => {
  if (point.kind !== 'found') throw new Error(point.kind);
  return point.installed;
};

function ask(channels: Channels, from: string, { to, channel = 'stable' }: { to?: string; channel?: string } = {}) {
  const graph = graphOf(channels);
  const goal = to === undefined ? newestOf(graph, channel) : installed(findBundle(graph, to));
  if (goal === undefined) throw new Error('no newest');
  return upgradePath(graph, { start: { installed: installed(findInstalled(graph, from)), channel }, goal });
}
const texts = (hops: ReturnType<typeof ask>['olm']) =>
  hops?.map(({ to, channel, switchesChannel }) => `${switchesChannel ? `${channel}: ` : ''}${to}`);

const LINE: ChannelEntry[] = [
  { name: 'ant.v1.0.0' },
  { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0' },
  { name: 'ant.v1.2.0', replaces: 'ant.v1.1.0' },
];

describe('upgradePath', () => {
  it.each<{ because: string; channels: Channels; from: string; to?: string; olm: string[]; shortest?: string[] }>([
    {
      because: 'one hop at a time along replaces (seed: updates one version at a time)',
      channels: { stable: LINE },
      from: '1.0.0',
      olm: ['ant.v1.1.0', 'ant.v1.2.0'],
    },
    {
      because: 'the head by its skipRange comes before the one that replaces',
      channels: { stable: [...LINE.slice(0, 2), { ...LINE[2], name: 'ant.v1.2.0', skipRange: '<1.2.0' }] },
      from: '1.0.0',
      olm: ['ant.v1.2.0'],
    },
    {
      because: 'OLM takes no skipped entry, a pinned version may',
      channels: {
        stable: [
          { name: 'ant.v1.0.0' },
          { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0' },
          { name: 'ant.v1.2.0', replaces: 'ant.v1.0.0', skips: ['ant.v1.1.0'] },
          { name: 'ant.v1.3.0', replaces: 'ant.v1.2.0', skips: ['ant.v1.1.0'] },
          { name: 'ant.v1.4.0', replaces: 'ant.v1.3.0', skips: ['ant.v1.1.0'] },
        ],
      },
      from: '1.0.0',
      olm: ['ant.v1.2.0', 'ant.v1.3.0', 'ant.v1.4.0'],
      shortest: ['ant.v1.1.0', 'ant.v1.4.0'],
    },
    {
      because: 'a bundle that has left the catalog goes on by its version',
      channels: { stable: [{ name: 'ant.v1.1.0', skipRange: '>=1.0.0 <1.1.0' }] },
      from: '1.0.5',
      olm: ['ant.v1.1.0'],
    },
    {
      because: 'and by its name, where an entry still replaces it',
      channels: { stable: [{ name: 'ant.v1.1.0', replaces: 'ant.v0.9.0' }] },
      from: 'ant.v0.9.0',
      olm: ['ant.v1.1.0'],
    },
    {
      because: 'channels are changed only where needed, and as late as needed',
      channels: { stable: LINE, fast: [{ name: 'ant.v1.2.0' }, { name: 'ant.v2.0.0', replaces: 'ant.v1.2.0' }] },
      from: 'v1.0.0',
      to: '2.0.0',
      olm: ['ant.v1.1.0', 'ant.v1.2.0', 'fast: ant.v2.0.0'],
    },
    { because: 'nothing is to be done at the goal', channels: { stable: LINE }, from: '1.2.0', olm: [] },
  ])('$because', ({ channels, from, to, olm, shortest }) => {
    const answer = ask(channels, from, { ...(to && { to }) });
    expect(texts(answer.olm)).toEqual(olm);
    expect(texts(answer.shortest)).toEqual(shortest ?? olm);
    expect(answer.why).toBeUndefined();
  });

  it('never takes a bundle with the property olm.deprecated', () => {
    const stable = [...LINE.slice(0, 2), { ...LINE[2], name: 'ant.v1.2.0', skipRange: '<1.2.0' }];
    const graph = graphOf({ stable }, { properties: { 'ant.v1.2.0': [{ type: 'olm.deprecated', value: {} }] } });
    const start = { installed: installed(findInstalled(graph, '1.0.0')), channel: 'stable' };
    const answer = upgradePath(graph, { start, goal: installed(findBundle(graph, '1.1.0')) });
    expect(texts(answer.olm)).toEqual(['ant.v1.1.0']);
    expect(answer.goesOnTo).toBeUndefined();
  });

  it('says that OLM goes on beyond the goal, and names the kinds of edges and deprecations', () => {
    const stable = [...LINE.slice(0, 2), { ...LINE[2], name: 'ant.v1.2.0', skipRange: '>=1.1.0 <1.2.0' }];
    const reference = { schema: 'olm.bundle', name: 'ant.v1.2.0' };
    const graph = graphOf({ stable }, { deprecations: [{ reference, message: 'use bee' }] });
    const start = { installed: installed(findInstalled(graph, '1.0.0')), channel: 'stable' };
    const half = upgradePath(graph, { start, goal: installed(findBundle(graph, '1.1.0')) });
    expect(half.goesOnTo).toBe('1.2.0 (ant.v1.2.0)');
    const whole = upgradePath(graph, { start, goal: installed(findBundle(graph, '1.2.0')) });
    expect(whole.olm?.[1]).toEqual({
      from: 'ant.v1.1.0',
      to: 'ant.v1.2.0',
      version: '1.2.0',
      channel: 'stable',
      switchesChannel: false,
      by: ['replaces', 'skipRange'],
      skipRange: '>=1.1.0 <1.2.0',
      deprecated: 'use bee',
    });
  });

  it('says where OLM would go if the channel were not changed in time', () => {
    const channels = { stable: LINE, fast: [{ name: 'ant.v2.0.0', replaces: 'ant.v1.1.0' }] };
    const { olm } = ask(channels, '1.0.0', { to: '2.0.0' });
    expect(olm?.map(({ to, insteadOf }) => [to, insteadOf])).toEqual([
      ['ant.v1.1.0', undefined],
      ['ant.v2.0.0', 'ant.v1.2.0'],
    ]);
  });

  it.each<{ because: string; channels: Channels; from: string; to?: string; why: RegExp[]; shortest?: string[] }>([
    {
      because: 'an edge is missing',
      channels: {
        stable: [{ name: 'ant.v1.1.0' }, { name: 'ant.v1.2.0', replaces: 'ant.v1.1.0' }],
        old: LINE.slice(0, 1),
      },
      from: '1.0.0',
      why: [
        /^OLM stays at 1\.0\.0 \(ant\.v1\.0\.0\): no channel has an entry beyond it that replaces or skips ant\.v1\.0\.0 or has a skipRange with 1\.0\.0$/,
        /^the nearest version with an upgrade path to 1\.2\.0 \(ant\.v1\.2\.0\) is 1\.1\.0 \(ant\.v1\.1\.0\)$/,
        /in channel "stable" add "skips: \[ant\.v1\.0\.0\]" to the entry ant\.v1\.1\.0 \(or skipRange: ">=1\.0\.0 <1\.1\.0"\)/,
      ],
    },
    {
      because: 'OLM gets part of the way, by changing the channel',
      channels: {
        stable: LINE.slice(0, 2),
        fast: [{ name: 'ant.v1.3.0', replaces: 'ant.v1.1.0' }],
        next: [{ name: 'ant.v1.4.0' }, { name: 'ant.v2.0.0', replaces: 'ant.v1.4.0' }],
      },
      from: '1.0.0',
      to: '2.0.0',
      why: [
        /^OLM gets no further than 1\.3\.0 \(ant\.v1\.3\.0\): no channel has an entry beyond it/,
        /^the nearest version with an upgrade path to 2\.0\.0 \(ant\.v2\.0\.0\) is 1\.4\.0 \(ant\.v1\.4\.0\)$/,
        /in channel "next" add "skips: \[ant\.v1\.3\.0\]" to the entry ant\.v1\.4\.0 /,
      ],
    },
    {
      because: 'the goal is older',
      channels: { stable: LINE },
      from: '1.2.0',
      to: '1.0.0',
      why: [/^1\.0\.0 \(ant\.v1\.0\.0\) is older than the installed version/, /startingCSV: ant\.v1\.0\.0/],
    },
    {
      because: 'the goal is skipped',
      channels: {
        stable: [
          LINE[0],
          LINE[1],
          { name: 'ant.v1.2.0', replaces: 'ant.v1.0.0', skips: ['ant.v1.1.0'] },
        ] as ChannelEntry[],
      },
      from: '1.0.0',
      to: '1.1.0',
      why: [/^1\.1\.0 \(ant\.v1\.1\.0\) is skipped by ant\.v1\.2\.0/, /install the version that skips it/],
      shortest: ['ant.v1.1.0'],
    },
    {
      because: 'OLM skips the goal',
      channels: { stable: [...LINE.slice(0, 2), { name: 'ant.v1.2.0', replaces: 'ant.v1.1.0', skipRange: '<1.2.0' }] },
      from: '1.0.0',
      to: '1.1.0',
      why: [
        /^OLM skips 1\.1\.0 \(ant\.v1\.1\.0\): its path is ant\.v1\.0\.0 -> ant\.v1\.2\.0$/,
        /no version|nearest/,
        /startingCSV/,
      ],
      shortest: ['ant.v1.1.0'],
    },
    {
      because: 'the edges lead back',
      channels: {
        stable: [
          { name: 'ant.v1.1.0', skipRange: '>=1.2.0 <1.3.0' },
          { name: 'ant.v1.2.0', replaces: 'ant.v1.1.0' },
        ],
        fast: [{ name: 'ant.v1.3.0' }],
      },
      from: '1.1.0',
      to: '1.3.0',
      why: [
        /^OLM would go round in circles: ant\.v1\.1\.0 -> ant\.v1\.2\.0 -> ant\.v1\.1\.0$/,
        /no version/,
        /leads back/,
      ],
    },
  ])('says why there is no way: $because', ({ channels, from, to, why, shortest }) => {
    const answer = ask(channels, from, { ...(to && { to }) });
    expect(answer.olm).toBeUndefined();
    expect(texts(answer.shortest)).toEqual(shortest);
    expect(answer.why).toHaveLength(why.length);
    for (const [index, says] of why.entries()) expect(answer.why?.[index]).toMatch(says);
  });
});

describe('findBundle and findInstalled', () => {
  const graph = graphOf({ stable: LINE });
  it('lists what is known, newest first', () => {
    expect(findBundle(graph, '7.0.0')).toEqual({ kind: 'unknown', known: ['1.2.0', '1.1.0', '1.0.0'] });
    expect(findInstalled(graph, '7.0.0')).toEqual({ kind: 'unknown', known: ['1.2.0', '1.1.0', '1.0.0'] });
    expect(findInstalled(graph, '__proto__').kind).toBe('unknown');
  });

  it('does not choose between bundles of one version', () => {
    const twice = graphOf({ stable: [{ name: 'ant.v1.0.0' }], fast: [{ name: 'ox.v1.0.0' }] });
    expect(findBundle(twice, '1.0.0')).toEqual({ kind: 'ambiguous', names: ['ant.v1.0.0', 'ox.v1.0.0'] });
  });
});
