import { describe, expect, it } from 'vitest';
import { sampleCatalog } from '../graph/sample-catalog.fixture.js';
import type { ChannelEntry } from '../model/catalog.js';
import { brokenInvariants } from './broken-invariants.js';

type Channels = Record<string, ChannelEntry[]>;
const breaks = (before: Channels, after: Channels) => brokenInvariants(sampleCatalog(before), sampleCatalog(after));

const e = (version: string, edges: Omit<ChannelEntry, 'name'> = {}): ChannelEntry => ({
  name: `ant.v${version}`,
  ...edges,
});
const LINE = [e('1.0.0'), e('1.1.0', { replaces: 'ant.v1.0.0' })];

describe('brokenInvariants', () => {
  it.each<{ because: string; before: Channels; after: Channels }>([
    { because: 'nothing changes', before: { stable: LINE }, after: { stable: LINE } },
    {
      because: 'a new version replaces the newest',
      before: { stable: LINE },
      after: { stable: [...LINE, e('1.2.0', { replaces: 'ant.v1.1.0' })] },
    },
    {
      because: 'a bad version is skipped',
      before: { stable: LINE },
      after: { stable: [...LINE, e('1.2.0', { replaces: 'ant.v1.0.0', skips: ['ant.v1.1.0'] })] },
    },
    {
      because: 'a z-stream replaces all before it',
      before: { stable: [e('1.0.0'), e('1.0.1', { replaces: 'ant.v1.0.0' })] },
      after: { stable: [e('1.0.0'), e('1.0.1'), e('1.0.2', { skips: ['ant.v1.0.0', 'ant.v1.0.1'] })] },
    },
    {
      because: 'an old version leaves the catalog, and a skipRange still holds it',
      before: { stable: LINE },
      after: { stable: [e('1.2.0', { skipRange: '>=1.0.0 <1.2.0' })] },
    },
    {
      because: 'an older minor gets its next patch, which the newest replaces',
      before: {
        stable: [e('1.0.0'), e('1.0.1', { replaces: 'ant.v1.0.0' }), e('1.1.0', { replaces: 'ant.v1.0.1' })],
      },
      after: {
        stable: [
          ...[e('1.0.0'), e('1.0.1'), e('1.0.2', { skips: ['ant.v1.0.0', 'ant.v1.0.1'] })],
          e('1.1.0', { replaces: 'ant.v1.0.2' }),
        ],
      },
    },
    { because: 'a channel is added', before: { stable: LINE }, after: { stable: LINE, fast: [e('2.0.0')] } },
    {
      because: 'what had no way before still has none',
      before: { stable: [e('1.0.0'), e('1.1.0', { skips: ['ant.v1.0.0'] }), e('1.2.0', { skips: ['ant.v1.1.0'] })] },
      after: { stable: [e('1.0.0'), e('1.1.0', { skips: ['ant.v1.0.0'] }), e('1.2.0', { skips: ['ant.v1.1.0'] })] },
    },
  ])('hold when $because', ({ before, after }) => {
    expect(breaks(before, after)).toEqual([]);
  });

  it('lost-way: the newest of before is not led on', () => {
    const found = breaks({ stable: LINE }, { stable: [e('1.2.0', { replaces: 'ant.v1.0.0' }), e('1.0.0')] });
    expect(found).toEqual([
      {
        invariant: 'lost-way',
        package: 'ant',
        channel: 'stable',
        bundle: 'ant.v1.1.0',
        version: '1.1.0',
        before: 'it was the newest',
        after: 'nothing follows it',
        mend: 'add "skips: [ant.v1.1.0]" to the entry ant.v1.2.0, or skipRange: ">=1.1.0 <1.2.0"',
      },
    ]);
  });

  it('lost-way: the newest is gone, and no older bundle has replaces for it', () => {
    const found = breaks({ stable: LINE }, { stable: LINE.slice(0, 1) });
    expect(found.map(({ bundle, after, mend }) => [bundle, after, mend])).toEqual([
      [
        'ant.v1.1.0',
        'nothing follows it',
        'keep ant.v1.1.0 in channel "stable", or publish a newer bundle there that skips it',
      ],
    ]);
  });

  it('lost-way: a channel or a package is gone, reported once', () => {
    expect(breaks({ stable: LINE, fast: LINE }, { stable: LINE })).toMatchObject(
      [
        {
          invariant: 'lost-way',
          channel: 'fast',
          bundle: '',
          after: 'the channel is gone',
          mend: /move Subscriptions to stable/,
        },
      ].map((row) => ({ ...row, mend: expect.stringMatching(row.mend) })),
    );
    const gone = brokenInvariants(sampleCatalog({ stable: LINE }), sampleCatalog({ stable: LINE }, { package: 'bee' }));
    expect(gone.map(({ after }) => after)).toEqual(['the package is gone']);
  });

  it('lost-way: a bundle that only the new catalog has', () => {
    const after = [
      e('1.0.0'),
      e('1.1.0', { skips: ['ant.v1.0.5'] }),
      e('1.0.5'),
      e('1.2.0', { replaces: 'ant.v1.0.0', skips: ['ant.v1.1.0'] }),
    ];
    expect(breaks({ stable: [e('1.0.0')] }, { stable: after })).toMatchObject([
      { invariant: 'lost-way', bundle: 'ant.v1.0.5', before: 'not in the channel', after: 'nothing follows it' },
    ]);
  });

  it('several-next: two entries that OLM may take name the same bundle', () => {
    const after = [...LINE, e('1.2.0', { replaces: 'ant.v1.1.0', skips: ['ant.v1.0.0'] })];
    expect(breaks({ stable: LINE }, { stable: after })).toEqual([
      expect.objectContaining({
        invariant: 'several-next',
        bundle: 'ant.v1.0.0',
        before: 'followed by ant.v1.1.0',
        after: 'followed by ant.v1.2.0, ant.v1.1.0',
        mend: 'remove ant.v1.0.0 from the skips of ant.v1.2.0 (a skipRange may still include its version)',
      }),
    ]);
    expect(breaks({ stable: after }, { stable: after })).toEqual([]);
  });

  it('elsewhere: the next update is an older bundle than before', () => {
    const before = [...LINE, e('1.2.0', { replaces: 'ant.v1.1.0', skipRange: '>=1.0.0 <1.2.0' })];
    const after = [...LINE, e('1.2.0', { replaces: 'ant.v1.1.0' })];
    expect(breaks({ stable: before }, { stable: after })).toEqual([
      expect.objectContaining({
        invariant: 'elsewhere',
        bundle: 'ant.v1.0.0',
        before: 'ant.v1.0.0 -> ant.v1.2.0',
        after: 'ant.v1.0.0 -> ant.v1.1.0 -> ant.v1.2.0',
        mend: 'make ant.v1.2.0 cover ant.v1.0.0 again: "skips: [ant.v1.0.0]", or a skipRange with its version',
      }),
    ]);
  });

  it('elsewhere: a range leads the newest back to an older bundle', () => {
    const circles = [e('1.0.0', { skipRange: '>=1.1.0 <1.2.0' }), e('1.1.0', { replaces: 'ant.v1.0.0' })];
    const found = breaks({ stable: LINE }, { stable: circles });
    expect(found.map(({ invariant, bundle, after }) => [invariant, bundle, after])).toEqual([
      ['elsewhere', 'ant.v1.1.0', 'ant.v1.1.0 -> ant.v1.0.0 -> ant.v1.1.0, round in circles'],
      ['elsewhere', 'ant.v1.0.0', 'ant.v1.0.0 -> ant.v1.1.0 -> ant.v1.0.0, round in circles'],
    ]);
  });

  it('elsewhere: the only way on is closed by the property olm.deprecated', () => {
    const stable = [...LINE, e('1.2.0', { replaces: 'ant.v1.1.0' })];
    const properties = { 'ant.v1.2.0': [{ type: 'olm.deprecated', value: {} }] };
    const found = brokenInvariants(sampleCatalog({ stable }), sampleCatalog({ stable }, { properties }));
    expect(found.map(({ invariant, bundle, after }) => [invariant, bundle, after])).toEqual([
      ['lost-way', 'ant.v1.1.0', 'nothing follows it'],
      ['elsewhere', 'ant.v1.0.0', 'ant.v1.0.0 -> ant.v1.1.0, and nothing follows that'],
    ]);
  });

  const Z_STREAM = [
    e('0.9.0'),
    e('1.0.0', { replaces: 'ant.v0.9.0' }),
    e('1.0.1'),
    e('1.0.2', { replaces: 'ant.v0.9.0', skips: ['ant.v1.0.0', 'ant.v1.0.1'] }),
  ];
  it('z-stream: a new patch release that the older ones do not update to at once', () => {
    const newest = e('1.0.3', { replaces: 'ant.v1.0.2' });
    expect(breaks({ stable: Z_STREAM }, { stable: [...Z_STREAM, newest] })).toEqual([
      expect.objectContaining({
        invariant: 'z-stream',
        bundle: 'ant.v1.0.1',
        before: 'ant.v1.0.1 -> ant.v1.0.2',
        after: 'ant.v1.0.1 -> ant.v1.0.2 -> ant.v1.0.3, while the newest 1.0 is ant.v1.0.3',
        mend: 'give the entry ant.v1.0.3 of channel "stable" the skipRange ">=1.0.0 <1.0.3"',
      }),
      expect.objectContaining({ invariant: 'z-stream', bundle: 'ant.v1.0.0' }),
    ]);
    const mended = [...Z_STREAM, { ...newest, skipRange: '>=1.0.0 <1.0.3' }];
    expect(breaks({ stable: Z_STREAM }, { stable: mended })).toEqual([]);
  });

  it('z-stream: to go beyond the newest patch release is as good', () => {
    const beyond = [...Z_STREAM, e('1.1.0', { replaces: 'ant.v1.0.2', skipRange: '>=0.9.0 <1.1.0' })];
    expect(breaks({ stable: Z_STREAM }, { stable: beyond })).toEqual([]);
  });
});
