import { describe, expect, it } from 'vitest';
import { sampleEntry, samplePackage } from '../../classic/resolution/sample-problem.fixture.js';
import { contentGraph, wayIn } from './content-graph.js';
import { contentPackage, contentTile, defaultChannelOf } from './content-package.js';
import { iconType } from './icon-type.js';

const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'));
const versions = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    sampleEntry('lamp', `1.${at}.0`, [], { replaces: at === 0 ? '' : `lamp.v1.${at - 1}.0` }),
  );

describe('icons', () => {
  it.each([
    ['\u0089PNG\r\n', 'image/png'],
    ['\u00ff\u00d8\u00ff\u00e0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF0000WEBP', 'image/webp'],
    ['<?xml version="1.0"?>\n<!-- made by hand -->\n<svg>', 'image/svg+xml'],
    ['<!DOCTYPE svg><svg>', undefined],
    ['<svg><!ENTITY x "y"></svg>', undefined],
    ['<html><svg></svg>', undefined],
    ['', undefined],
  ])('%j is shown as %s', (text, type) => expect(iconType(bytes(text))).toBe(type));

  it('of more than 256 KiB are not shown', () =>
    expect(iconType(bytes(`GIF89a${'x'.repeat(262_144)}`))).toBe(undefined));
});

describe('a package', () => {
  const candidate = sampleEntry('lamp', '2.0.0', [], { channel: 'candidate', deprecation: 'Take 2.0.1.' });
  const record = { ...samplePackage('lamp', ...versions(2), candidate), channelDeprecations: { candidate: 'Ends.' } };

  it('without a readable CSV still has its channels and versions', () => {
    expect(contentTile(record, undefined, '')).toMatchObject({ package: 'lamp', newest: '1.1.0', displayName: '' });
    expect(contentPackage(record, undefined, '')).toMatchObject({
      older: 0,
      channels: [
        { name: 'stable', entries: [{ version: '1.1.0' }, { version: '1.0.0' }] },
        { name: 'candidate', deprecation: 'Ends.', entries: [{ version: '2.0.0', deprecation: 'Take 2.0.1.' }] },
      ],
    });
    expect(defaultChannelOf(record).entries).toHaveLength(2);
  });

  it('has texts of bounded length', () => {
    const long = 'x'.repeat(100_000);
    const spec = { displayName: long, description: long, links: Array.from({ length: 100 }, () => ({ url: long })) };
    const found = contentPackage(record, { metadata: { annotations: { support: long } }, spec }, '');
    expect(JSON.stringify(found).length).toBeLessThan(130_000);
    expect(found.links).toHaveLength(50);
  });
});

describe('the graph of a package', () => {
  it('has the way from what is installed, by bundle or version', () => {
    const graph = contentGraph(samplePackage('lamp', ...versions(3)), '1.0.0');
    expect(graph.from).toBe('lamp.v1.0.0');
    expect(wayIn(graph, 'stable')).toEqual(['lamp.v1.0.0', 'lamp.v1.1.0', 'lamp.v1.2.0']);
    expect(wayIn(graph, 'none')).toEqual([]);
  });

  it('has the skipRange of each version, cut in length, and the default channel', () => {
    const [first, second] = ['>=1.0.0 <1.1.0', `<${'9'.repeat(1_000)}`].map((skipRange, at) =>
      sampleEntry('lamp', `1.${at + 1}.0`, [], { skipRange }),
    );
    const entries = [first, second].filter((one) => one !== undefined);
    const { channels, defaultChannel } = contentGraph(samplePackage('lamp', ...entries), '');
    const ranges = channels[0]?.nodes.map(({ range }) => range);
    expect(ranges?.map((range) => range.length)).toEqual([100, 14]);
    expect(ranges?.[1]).toBe('>=1.0.0 <1.1.0');
    expect(defaultChannel).toBe('stable');
  });

  it('of many entries shows the newest, and the way', () => {
    const { channels, older } = contentGraph(samplePackage('lamp', ...versions(250)), 'lamp.v1.3.0');
    expect(channels[0]?.nodes.length).toBe(247);
    expect(older).toBe(3);
    expect(contentGraph(samplePackage('lamp', ...versions(250)), '').older).toBe(100);
  });

  it('of a hostile number of entries is bounded', () => {
    const entries = versions(20_000).map((entry) => ({ ...entry, skipRange: '<9.0.0' }));
    const graph = contentGraph(samplePackage('lamp', ...entries), '');
    expect(graph.channels[0]?.edges).toHaveLength(300);
    expect(graph.older).toBe(19_850);
  });
});
