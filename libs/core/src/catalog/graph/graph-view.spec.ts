import { describe, expect, it } from 'vitest';
import type { ChannelEntry } from '../model/catalog.js';
import { findInstalled } from '../path/find-point.js';
import { type ChannelView, graphView } from './graph-view.js';
import { sampleCatalog } from './sample-catalog.fixture.js';
import { upgradeGraph } from './upgrade-graph.js';

const SKIPPING: ChannelEntry[] = [
  { name: 'ant.v1.0.0', replaces: 'ant.v0.9.0' },
  { name: 'ant.v1.0.1', replaces: 'ant.v1.0.0' },
  { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0', skips: ['ant.v1.0.1'] },
  { name: 'ant.v2.0.0', replaces: 'ant.v1.1.0', skipRange: '>=1.1.0 <2.0.0' },
];

function view(channels: Record<string, ChannelEntry[]>, from?: string, more?: Parameters<typeof sampleCatalog>[1]) {
  const graph = upgradeGraph(sampleCatalog(channels, more), 'ant');
  if (graph === undefined) throw new Error('the sample has no package');
  const point = from === undefined ? undefined : findInstalled(graph, from);
  return graphView(graph, point?.kind === 'found' ? point.installed : undefined);
}
const marks = (channel: ChannelView | undefined) =>
  channel?.entries.map((node) => [node.name.slice(5), ...node.marks].join(' '));

describe('graphView', () => {
  it('marks what is installed, and where it can go from there', () => {
    const reference = { schema: 'olm.bundle', name: 'ant.v1.1.0' };
    const { channels } = view({ stable: SKIPPING }, '1.0.0', { deprecations: [{ reference, message: 'leaks' }] });
    expect(marks(channels[0])).toEqual([
      '2.0.0 newest reachable',
      '1.1.0 reachable deprecated',
      '1.0.1 skipped',
      '1.0.0 installed',
      '0.9.0 absent',
    ]);
    expect(channels[0]?.entries[1]).toMatchObject({ version: '1.1.0', deprecated: 'leaks' });
  });

  it('has an edge for every field that makes one, and marks those that OLM takes', () => {
    const edges = view({ stable: SKIPPING }, '1.0.0').channels[0]?.edges.map(
      ({ from, to, kind, range, taken }) => `${from.slice(5)} ${kind} ${to.slice(5)} ${range ?? ''}${taken ? '!' : ''}`,
    );
    expect(edges).toEqual([
      '1.1.0 replaces 2.0.0 !',
      '1.1.0 skipRange 2.0.0 >=1.1.0 <2.0.0!',
      '1.0.1 skips 1.1.0 ',
      '1.0.0 replaces 1.1.0 !',
      '1.0.0 replaces 1.0.1 ',
      '0.9.0 replaces 1.0.0 ',
    ]);
  });

  it('shows what is installed in channels that lead on from it without holding it', () => {
    const fast = [{ name: 'ant.v1.2.0', skipRange: '>=1.0.0 <1.2.0' }];
    const { channels } = view({ stable: SKIPPING.slice(0, 1), fast, alpha: [{ name: 'ant.v0.1.0' }] }, '1.0.0');
    expect(channels.map((channel) => [channel.name, ...(marks(channel) ?? [])])).toEqual([
      ['stable', '1.0.0 installed newest', '0.9.0 absent'],
      ['alpha', '0.1.0 newest'],
      ['fast', '1.2.0 newest reachable', '1.0.0 installed absent'],
    ]);
  });

  it('lists the default channel first, then by name with numbers as numbers', () => {
    const entry = [{ name: 'ant.v1.0.0' }];
    const names = view({ 'z-1': entry, 'a-10': entry, 'a-9': entry }).channels.map(({ name }) => name);
    expect(names).toEqual(['z-1', 'a-9', 'a-10']);
  });

  it('marks deprecated packages and channels', () => {
    const deprecations = [
      { reference: { schema: 'olm.package', name: '' }, message: 'use bee' },
      { reference: { schema: 'olm.channel', name: 'stable' }, message: 'use fast' },
    ];
    expect(view({ stable: SKIPPING }, undefined, { deprecations })).toMatchObject({
      deprecated: 'use bee',
      channels: [{ deprecated: 'use fast' }],
    });
  });
});
