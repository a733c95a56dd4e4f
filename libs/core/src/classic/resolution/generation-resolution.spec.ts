import { describe, expect, it } from 'vitest';
import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import type { InstalledCsv } from './problem/resolution-problem.js';
import {
  needsApi,
  providesApi,
  sampleCatalog,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleResolution,
  sampleSubscription,
} from './sample-problem.fixture.js';

/**
 * Generations of a namespace, in the words of the page on dependency resolution and upgrades: a set of
 * operators that run together, from which the next set is found. No set may lack an API that one of its
 * operators requires, and none may hold two providers of an API.
 */
type Operator = Readonly<{ name: string; version: string; provides?: readonly string[]; requires?: readonly string[] }>;

const entry = ({ name, version, provides = [], requires = [] }: Operator, replaces = ''): EntryRecord =>
  sampleEntry(name, version, [...provides.map(providesApi), ...requires.map(needsApi)], { replaces });

/** A package whose versions follow each other in the order given. */
const versions = (...operators: Operator[]): PackageRecord =>
  samplePackage(
    operators[0]?.name ?? '',
    ...operators.map((operator, at) => {
      const before = operators[at - 1];
      return entry(operator, before === undefined ? '' : `${before.name}.v${before.version}`);
    }),
  );

const csv = (operator: Operator): InstalledCsv => {
  const { name, version, properties } = entry(operator);
  return {
    name,
    version,
    replaces: '',
    phase: '',
    propertiesAnnotation: JSON.stringify({ properties }),
    ownedApis: [],
    requiredApis: [],
  };
};

/** The next generation: names of the CSVs that run after it. */
function nextGeneration(running: readonly Operator[], subscribed: readonly string[], ...packages: PackageRecord[]) {
  const nameOf = ({ name, version }: Operator) => `${name}.v${version}`;
  const subscriptions = subscribed.map((name) => {
    const installed = running.find((operator) => operator.name === name);
    return sampleSubscription(
      name,
      installed === undefined ? {} : { installedCSV: nameOf(installed), currentCSV: nameOf(installed) },
    );
  });
  const desired = sampleNamespace({ subscriptions, csvs: running.map(csv) });
  const { resolution } = sampleResolution(desired, [sampleCatalog('shelf', ...packages)]);
  if (resolution.result !== 'resolved') return resolution.result;
  const replaced = new Set(resolution.chosen.map(({ replaces }) => replaces));
  const kept = running.map(nameOf).filter((name) => !replaced.has(name));
  return [...kept, ...resolution.chosen.map(({ name }) => name)].sort();
}

describe('generations of a namespace', () => {
  const a1 = { name: 'a', version: '1.0.0', provides: ['A'], requires: ['B'] };
  const b1 = { name: 'b', version: '1.0.0', provides: ['B'] };
  const b2 = { name: 'b', version: '2.0.0', provides: ['C'] };

  it("keeps B's provider when its update drops B, which A's provider depends on", () => {
    const next = nextGeneration([a1, b1], ['a', 'b'], versions(a1), versions(b1, b2));
    expect(next).toEqual(['a.v1.0.0', 'b.v1.0.0']);
  });

  it('releases B as soon as nothing depends on it any more', () => {
    const a2 = { name: 'a', version: '2.0.0', provides: ['A'], requires: ['C'] };
    const next = nextGeneration([a1, b1], ['a', 'b'], versions(a1, a2), versions(b1, b2));
    expect(next).toEqual(['a.v2.0.0', 'b.v2.0.0']);
  });

  it('updates both sides of a version deadlock at once', () => {
    const old = [
      { name: 'a', version: '1.0.0', provides: ['A'], requires: ['B'] },
      { name: 'b', version: '1.0.0', provides: ['B'], requires: ['A'] },
    ] as const;
    const fresh = [
      { name: 'a', version: '2.0.0', provides: ['A2'], requires: ['B2'] },
      { name: 'b', version: '2.0.0', provides: ['B2'], requires: ['A2'] },
    ] as const;
    const next = nextGeneration(old, ['a', 'b'], versions(old[0], fresh[0]), versions(old[1], fresh[1]));
    expect(next).toEqual(['a.v2.0.0', 'b.v2.0.0']);
  });

  it('stays as it is in a version deadlock of which one side has no update', () => {
    const old = [
      { name: 'a', version: '1.0.0', provides: ['A'], requires: ['B'] },
      { name: 'b', version: '1.0.0', provides: ['B'], requires: ['A'] },
    ] as const;
    const fresh = { name: 'a', version: '2.0.0', provides: ['A2'], requires: ['B2'] };
    const next = nextGeneration(old, ['a', 'b'], versions(old[0], fresh), versions(old[1]));
    expect(next).toEqual(['a.v1.0.0', 'b.v1.0.0']);
  });

  it('adds providers of required APIs, and of what these require in turn', () => {
    const b = { ...b1, requires: ['C'] };
    const c = { name: 'c', version: '1.0.0', provides: ['C'] };
    expect(nextGeneration([], ['a'], versions(a1), versions(b), versions(c))).toEqual([
      'a.v1.0.0',
      'b.v1.0.0',
      'c.v1.0.0',
    ]);
  });

  it('downgrades within the choice: the newest whose requirements can be met', () => {
    const a2 = { name: 'a', version: '2.0.0', provides: ['A'], requires: ['Nowhere'] };
    expect(nextGeneration([], ['a'], versions(a1, a2), versions(b1))).toEqual(['a.v1.0.0', 'b.v1.0.0']);
  });

  it('contracts to the generation before when no update can be satisfied', () => {
    const a2 = { name: 'a', version: '2.0.0', provides: ['A'], requires: ['Nowhere'] };
    expect(nextGeneration([a1, b1], ['a', 'b'], versions(a1, a2), versions(b1))).toEqual(['a.v1.0.0', 'b.v1.0.0']);
  });

  it('updates as many as can be updated, and leaves behind only those that cannot', () => {
    const a2 = { name: 'a', version: '2.0.0', provides: ['A'], requires: ['Nowhere'] };
    const d = [
      { name: 'd', version: '1.0.0' },
      { name: 'd', version: '2.0.0' },
    ] as const;
    const next = nextGeneration([a1, b1, d[0]], ['a', 'b', 'd'], versions(a1, a2), versions(b1), versions(...d));
    expect(next).toEqual(['a.v1.0.0', 'b.v1.0.0', 'd.v2.0.0']);
  });

  it('never holds two providers of one API: a second one is refused', () => {
    const rival = { name: 'rival', version: '1.0.0', provides: ['B'] };
    expect(nextGeneration([b1], ['b', 'rival'], versions(b1), versions(rival))).toBe('unsatisfiable');
  });

  it('hands an API over from one operator to the other in one step', () => {
    const from = [
      { name: 'from', version: '1.0.0', provides: ['B'] },
      { name: 'from', version: '2.0.0' },
    ] as const;
    const to = [
      { name: 'to', version: '1.0.0' },
      { name: 'to', version: '2.0.0', provides: ['B'] },
    ] as const;
    const next = nextGeneration(
      [a1, from[0], to[0]],
      ['a', 'from', 'to'],
      versions(a1),
      versions(...from),
      versions(...to),
    );
    expect(next).toEqual(['a.v1.0.0', 'from.v2.0.0', 'to.v2.0.0']);
  });

  it('goes on, generation by generation, until nothing is newer', () => {
    const b = ['1.0.0', '2.0.0', '3.0.0'].map((version) => ({ name: 'b', version, provides: ['B'] }));
    const [first, second, third] = b;
    if (first === undefined || second === undefined || third === undefined) return expect.fail('three versions');
    const packages = [versions(a1), versions(first, second, third)];
    const at = (running: Operator) => nextGeneration([a1, running], ['a', 'b'], ...packages);
    expect([at(first), at(second), at(third)]).toEqual([
      ['a.v1.0.0', 'b.v2.0.0'],
      ['a.v1.0.0', 'b.v3.0.0'],
      ['a.v1.0.0', 'b.v3.0.0'],
    ]);
  });
});
