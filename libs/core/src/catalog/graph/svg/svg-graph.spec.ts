import { describe, expect, it } from 'vitest';
import type { Catalog, ChannelEntry } from '../../model/catalog.js';
import { graphView } from '../graph-view.js';
import { sampleCatalog } from '../sample-catalog.fixture.js';
import { type Installed, upgradeGraph } from '../upgrade-graph.js';
import { svgGraph } from './svg-graph.js';

const ENTRIES: ChannelEntry[] = [
  { name: 'ant.v1.0.0' },
  { name: 'ant.v1.0.1', replaces: 'ant.v1.0.0' },
  { name: 'ant.v1.1.0', replaces: 'ant.v1.0.0', skips: ['ant.v1.0.1', 'ant.v0.5.0'] },
  { name: 'ant.v2.0.0', replaces: 'ant.v1.1.0', skipRange: '>=1.0.0 <2.0.0' },
];

function svg(catalog: Catalog, installed?: Installed): string {
  const graph = upgradeGraph(catalog, 'ant');
  if (graph === undefined) throw new Error('the sample has no package');
  return svgGraph(graphView(graph, installed));
}

/** Texts that are drawn, in the order of the file; hover texts are left out. */
const drawn = (picture: string): string[] =>
  [...picture.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, content = '']) => content);

/** Every element is closed, and nothing but elements, texts and entities is there. */
function expectWellFormed(picture: string) {
  const open: string[] = [];
  const rest = picture.replaceAll(
    /<(\/?)(\w+)((?: [\w:-]+="[^"<>&]*(?:&(?:amp|lt|gt|quot);[^"<>&]*)*")*)(\/?)>/g,
    (_all, slash, name, _attributes, alone) => {
      if (slash === '/') expect(open.pop()).toBe(name);
      else if (alone === '') open.push(name);
      return '';
    },
  );
  expect(open).toEqual([]);
  expect(rest).not.toMatch(/[<>]|&(?!amp;|lt;|gt;|quot;)/);
}

describe('svgGraph', () => {
  const picture = svg(sampleCatalog({ stable: ENTRIES, fast: ENTRIES.slice(0, 1) }), { name: 'ant.v1.0.0' });

  it('names what it shows: package, channels, newest on top, and every mark in words', () => {
    expect(drawn(picture)).toEqual([
      ...['ant', 'default channel stable · installed ant.v1.0.0'],
      ...['replaces', 'skips', 'skipRange', 'the way OLM takes'],
      ...['installed', 'reachable', 'skipped', 'deprecated', 'not in channel'],
      ...['stable', 'default channel'],
      ...['v2.0.0', 'newest', 'reachable'],
      ...['v1.1.0', 'reachable', 'skips 1 not in this channel'],
      ...['v1.0.1', 'skipped', 'v1.0.0', 'installed'],
      ...['fast', 'channel', 'v1.0.0', 'installed', 'newest'],
    ]);
  });

  it('draws replaces solid, skips dashed and skipRange dotted', () => {
    const stroke = (words: string) =>
      picture
        .match(new RegExp(`<path [^>]*>(?=<title>${words}</title>)`))?.[0]
        .match(/stroke-dasharray="([^"]*)"/)?.[1];
    expect(stroke('ant.v1.0.1 replaces ant.v1.0.0')).toBeUndefined();
    expect(stroke('ant.v1.1.0 skips')).toBe('6 4');
    expect(stroke('ant.v2.0.0 skipRange &gt;=1.0.0 &lt;2.0.0')).toBe('1.5 4');
  });

  it('is well formed, and stands on its own ground on any page', () => {
    expectWellFormed(picture);
    expect(picture).toMatch(/<rect width="\d+" height="\d+" rx="10" fill="#ffffff"\/>/);
    expect(picture).not.toMatch(/href|script|@import|url\((?!#)/);
  });

  it('shows markup in names as text', () => {
    const evil = '<script>alert("&")</script>\u0000\ud800';
    const odd = sampleCatalog({ [`"><b>${evil}`]: [{ name: evil, replaces: `']]>${evil}` }] });
    const drawing = svg(odd);
    expectWellFormed(drawing);
    expect(drawing).not.toContain('<script');
    expect(drawing).not.toContain('\u0000');
    expect(drawing).toContain('&lt;script&gt;alert(&quot;&amp;&quot;)&lt;/script&gt;\ufffd\ufffd');
  });

  it('draws a package without any channel, and a hundred entries', () => {
    expectWellFormed(svg(sampleCatalog({})));
    const many = Array.from({ length: 100 }, (_, k) => ({ name: `ant.v1.${k}.0`, skipRange: `<1.${k}.0` }));
    const drawing = svg(sampleCatalog({ stable: many }));
    expectWellFormed(drawing);
    expect(drawn(drawing).filter((words) => words.startsWith('v1.'))).toHaveLength(100);
  });
});
