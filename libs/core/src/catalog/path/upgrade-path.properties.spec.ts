import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Snapshot } from '../../classic/resolution/constraints/snapshot.js';
import { subscriptionCandidates } from '../../classic/resolution/constraints/subscription-candidates.js';
import { validCatalog } from '../graph/random-catalog.fixture.js';
import { olmStep } from '../graph/upgrade-edges.js';
import { type Installed, type UpgradeGraph, upgradeGraph } from '../graph/upgrade-graph.js';
import type { Catalog } from '../model/catalog.js';
import { CatalogView, type EntryGroup } from '../model/catalog-view.js';
import type { Entry } from '../model/entry.js';
import { olmWay, shortestWay } from './find-ways.js';
import type { Hop } from './hop.js';

const KEY = { name: 'cats', namespace: 'olm' };
const graphOf = (catalog: Catalog): UpgradeGraph => {
  const graph = upgradeGraph(catalog, 'ant');
  if (graph === undefined) throw new Error('the package is missing');
  return graph;
};
const bundles = (graph: UpgradeGraph): Entry[] => graph.channels.flatMap(({ entries }) => entries);

/** What the resolver itself would propose first, of what may be installed. */
function resolverPick(graph: UpgradeGraph, channel: string, installed: Entry): string {
  const snapshot = new Snapshot('team', [], [new CatalogView(KEY, 0, false, [graph.record])]);
  const desired = {
    ...{ name: 'sub', package: 'ant', channel, source: KEY.name, sourceNamespace: KEY.namespace },
    ...{ startingCSV: '', installedCSV: installed.name, currentCSV: installed.name },
  };
  const found = subscriptionCandidates(desired, installed, snapshot);
  return 'entries' in found ? (found.entries[0]?.name ?? installed.name) : 'none';
}

function ourPick(channel: EntryGroup, installed: Entry): string {
  const step = olmStep(channel, installed);
  if (step === 'stays') return installed.name;
  return 'entry' in step ? step.entry.name : 'none';
}

/**
 * Every hop starts where the one before ended, and the catalog's own blob of that
 * channel has the edge it names.
 */
function expectWalkable(catalog: Catalog, hops: readonly Hop[], from: Installed, goal: string) {
  let at = from.name;
  for (const { from: start, to, channel, by } of hops) {
    expect(start).toBe(at);
    const entry = catalog.channels.find(({ name }) => name === channel)?.entries?.find(({ name }) => name === to);
    expect(by.length).toBeGreaterThan(0);
    if (by.includes('replaces')) expect(entry?.replaces).toBe(at);
    if (by.includes('skips')) expect(entry?.skips).toContain(at);
    if (by.includes('skipRange')) {
      const [, floor, ceiling] = entry?.skipRange?.match(/^>=1\.(\d)\.0 <1\.(\d)\.0$/) ?? [];
      const minor = Number(at.split('.')[2]);
      expect(minor >= Number(floor) && minor < Number(ceiling)).toBe(true);
    }
    at = to;
  }
  expect(at).toBe(goal);
}

describe('ways through random catalogs', () => {
  it('are walkable, and the shortest is never longer than OLM’s', () => {
    fc.assert(
      fc.property(validCatalog, fc.nat(), fc.nat(), (catalog, a, b) => {
        const graph = graphOf(catalog);
        const all = bundles(graph);
        const [from, goal] = [all[a % all.length], all[b % all.length]];
        if (from === undefined || goal === undefined) return;
        const start = { installed: from, channel: from.channel };
        const olm = olmWay(graph, start, goal.name);
        const shortest = shortestWay(graph, start, goal.name);
        if (olm !== undefined) expectWalkable(catalog, olm, from, goal.name);
        if (shortest !== undefined) expectWalkable(catalog, shortest, from, goal.name);
        if (olm !== undefined) expect(shortest?.length).toBeLessThanOrEqual(olm.length);
      }),
      { numRuns: 150 },
    );
  });

  it('take the hop that the resolver picks', () => {
    fc.assert(
      fc.property(validCatalog, (catalog) => {
        const graph = graphOf(catalog);
        const cases = graph.channels.flatMap((channel) => bundles(graph).map((installed) => ({ channel, installed })));
        for (const { channel, installed } of cases) {
          expect(ourPick(channel, installed)).toBe(resolverPick(graph, channel.channel, installed));
        }
      }),
      { numRuns: 100 },
    );
  });
});
