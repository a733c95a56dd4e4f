import { describe, expect, it } from 'vitest';
import { graphLines, installedOn, lineEdges, mostInstalled } from './graph-lines.js';

const node = (version: string, more: Partial<{ bundle: string; installed: number; head: boolean }> = {}) => ({
  ...{ bundle: `lamp.v${version}`, version, installed: 0, head: false },
  ...more,
});
const NOTHING = { from: '', toggled: new Set<string>() };
const namesOf = (lines: ReturnType<typeof graphLines>): readonly string[] =>
  lines.map((line) => (line.kind === 'version' ? line.node.bundle : `${line.key}: ${line.nodes.length}`));

/** Twelve versions of three minor versions, the newest first. */
const MANY = [3, 2, 1].flatMap((minor) => [3, 2, 1, 0].map((patch) => node(`1.${minor}.${patch}`)));

describe('the lines of a channel', () => {
  it('of few versions are its versions', () => {
    expect(namesOf(graphLines(MANY.slice(0, 10), NOTHING))).toEqual(MANY.slice(0, 10).map(({ bundle }) => bundle));
  });

  it('of many versions are its minor versions, of which that of the path is open', () => {
    expect(namesOf(graphLines(MANY, NOTHING))).toEqual(['minor 1.3: 4', 'minor 1.2: 4', 'minor 1.1: 4']);
    const lines = namesOf(graphLines(MANY, { ...NOTHING, from: 'lamp.v1.2.1' }));
    expect(lines).toEqual([
      'minor 1.3: 4',
      'minor 1.2: 4',
      ...[3, 2, 1, 0].map((patch) => `lamp.v1.2.${patch}`),
      'minor 1.1: 4',
    ]);
  });

  it('open and close', () => {
    const toggled = new Set(['minor 1.1', 'minor 1.2']);
    const lines = namesOf(graphLines(MANY, { from: 'lamp.v1.2.1', toggled }));
    expect(lines).toEqual([
      ...['minor 1.3: 4', 'minor 1.2: 4', 'minor 1.1: 4'],
      ...[3, 2, 1, 0].map((patch) => `lamp.v1.1.${patch}`),
    ]);
  });

  it('gather names without a bundle in the last one, unless a cluster has the bundle or the path begins there', () => {
    const absent = ['a', 'b', 'c'].map((bundle) => node('', { bundle, installed: bundle === 'b' ? 2 : 0 }));
    const lines = graphLines([node('1.0.0'), ...absent], { ...NOTHING, from: 'c' });
    expect(namesOf(lines)).toEqual(['lamp.v1.0.0', 'b', 'c', 'absent: 1']);
  });
});

it('no line of a channel counts more clusters than the most', () => {
  const nodes = MANY.map((one) => ({ ...one, installed: 5 }));
  const most = mostInstalled(nodes, '');
  expect(most).toBe(20);
  expect(graphLines(nodes, NOTHING).map(installedOn)).toEqual([most, most, most]);
});

describe('edges between lines', () => {
  const edge = (from: string, to: string, type = 'replaces', onWay = false) => ({
    ...{ from: `lamp.v${from}`, to: `lamp.v${to}`, type, onWay },
  });

  it('lead from line to line, the one of the path before others, and none within a line', () => {
    const lines = graphLines(MANY, NOTHING);
    const edges = [
      edge('1.1.0', '1.1.1'),
      edge('1.1.0', '1.2.0', 'skipRange'),
      edge('1.1.3', '1.2.0'),
      edge('1.2.0', '1.3.0', 'skips'),
      edge('1.2.3', '1.3.0', 'replaces', true),
      edge('0.9.0', '1.3.0'),
    ];
    expect(lineEdges(lines, edges)).toEqual([
      { from: 1, to: 0, type: 'replaces', onWay: true, isAlwaysShown: true },
      { from: 2, to: 1, type: 'replaces', onWay: false, isAlwaysShown: true },
    ]);
  });

  it('of a skipRange, of skips and of names without a bundle are shown on demand', () => {
    const nodes = [node('1.1.0'), node('1.0.0'), node('', { bundle: 'lamp.v0.9.0' })];
    const edges = [edge('1.0.0', '1.1.0', 'skipRange'), edge('0.9.0', '1.1.0', 'skips'), edge('0.9.0', '1.0.0')];
    const shown = lineEdges(graphLines(nodes, NOTHING), edges).map(({ isAlwaysShown }) => isAlwaysShown);
    expect(shown).toEqual([false, false, false]);
  });
});
