import { describe, expect, it } from 'vitest';
import { sampleCatalog } from '../graph/sample-catalog.fixture.js';
import type { ChannelEntry } from '../model/catalog.js';
import { brokenInvariants } from './broken-invariants.js';
import { pathNotes } from './path-notes.js';

const e = (version: string, edges: Omit<ChannelEntry, 'name'> = {}): ChannelEntry => ({
  name: `ant.v${version}`,
  ...edges,
});
const OLD = [e('1.0.0'), e('1.0.1', { replaces: 'ant.v1.0.0' }), e('1.1.0', { replaces: 'ant.v1.0.1' })];
const PATCH = e('1.0.2', { skips: ['ant.v1.0.0', 'ant.v1.0.1'] });
const NOW = [e('1.0.0'), e('1.0.1'), PATCH, e('1.1.0', { replaces: 'ant.v1.0.2' })];

describe('pathNotes', () => {
  it('notes a bundle that updates to a new patch release first, which is no break', () => {
    const [before, after] = [sampleCatalog({ stable: OLD }), sampleCatalog({ stable: NOW })];
    expect(brokenInvariants(before, after)).toEqual([]);
    expect(pathNotes(before, after)).toEqual([
      {
        note: 'z-stream-first',
        package: 'ant',
        channel: 'stable',
        bundle: 'ant.v1.0.1',
        version: '1.0.1',
        before: 'ant.v1.0.1 -> ant.v1.1.0',
        after: 'ant.v1.0.1 -> ant.v1.0.2 -> ant.v1.1.0',
      },
    ]);
  });

  it.each([
    { because: 'nothing changes', now: { stable: OLD } },
    { because: 'the channel is gone', now: { other: OLD } },
    {
      because: 'an older update that is not of the same minor version is a break, not a note',
      now: { stable: [...OLD.slice(0, 2), e('1.0.5'), e('1.1.0', { replaces: 'ant.v1.0.5' })] },
    },
  ])('notes nothing when $because', ({ now }) => {
    expect(pathNotes(sampleCatalog({ stable: OLD }), sampleCatalog(now))).toEqual([]);
  });
});
