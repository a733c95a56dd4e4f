import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Catalog } from '../model/catalog.js';
import { graphView } from './graph-view.js';
import { mermaidGraph } from './mermaid-graph.js';
import { anyCatalog, validCatalog } from './random-catalog.fixture.js';
import { svgGraph } from './svg/svg-graph.js';
import { type UpgradeGraph, upgradeGraph } from './upgrade-graph.js';

const graphOf = (catalog: Catalog): UpgradeGraph => {
  const graph = upgradeGraph(catalog, 'ant');
  if (graph === undefined) throw new Error('the package is missing');
  return graph;
};

const shuffled = <T>(items: readonly T[]): fc.Arbitrary<T[]> =>
  fc.shuffledSubarray([...items], { minLength: items.length, maxLength: items.length });

/** A catalog, and the same with its blobs in another order; `entries` too, where they count as a set. */
const andShuffled = (catalogs: fc.Arbitrary<Catalog>, entriesToo: boolean): fc.Arbitrary<[Catalog, Catalog]> =>
  catalogs.chain((catalog) => {
    const channels = catalog.channels.map((channel) =>
      entriesToo ? shuffled(channel.entries ?? []).map((entries) => ({ ...channel, entries })) : fc.constant(channel),
    );
    return fc
      .tuple(fc.tuple(...channels).chain(shuffled), shuffled(catalog.bundles))
      .map(([mixed, bundles]) => [catalog, { ...catalog, channels: mixed, bundles }]);
  });

describe('graphs of random catalogs', () => {
  it('are the same picture and data for shuffled blobs and entries', () => {
    fc.assert(
      fc.property(andShuffled(validCatalog, true), fc.nat(), ([catalog, other], pick) => {
        const entries = graphOf(catalog).record.entries;
        const name = entries[pick % entries.length]?.name;
        const installed = graphOf(catalog)
          .channels.flatMap((channel) => channel.entries)
          .find((one) => one.name === name);
        const view = graphView(graphOf(catalog), installed);
        expect(graphView(graphOf(other), installed)).toEqual(view);
        expect(svgGraph(graphView(graphOf(other), installed))).toBe(svgGraph(view));
      }),
      { numRuns: 100 },
    );
  });

  it('are the same text for Mermaid for shuffled blobs, whether the catalog is valid or not', () => {
    fc.assert(
      fc.property(andShuffled(anyCatalog, false), fc.boolean(), ([catalog, other], v0Semantics) => {
        expect(mermaidGraph(other, { v0Semantics })).toEqual(mermaidGraph(catalog, { v0Semantics }));
      }),
      { numRuns: 200 },
    );
  });
});
