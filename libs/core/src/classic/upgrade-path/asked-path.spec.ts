import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { sliceCatalogs } from '../resolution/problem/catalog-slice.js';
import type { DesiredNamespace } from '../resolution/problem/resolution-problem.js';
import { resolve } from '../resolution/resolve.js';
import { needsPackage, sampleCatalog, samplePackage } from '../resolution/sample-problem.fixture.js';
import { verifyResolution } from '../resolution/verify/verify-resolution.js';
import { type AskedPath, askedPath, resolveAsked } from './asked-path.js';
import { at, having, version } from './sample-path.fixture.js';

const isolated = (desired: DesiredNamespace): DesiredNamespace => ({
  ...desired,
  operatorGroups: desired.operatorGroups.map((group) => ({ ...group, isolate: true as const })),
});

function asked(wishes: DesiredNamespace, ...packages: readonly PackageRecord[]) {
  const { slices, records } = sliceCatalogs(wishes, [sampleCatalog('shelf', ...packages)]);
  const record = (hash: string) => records.get(hash) ?? samplePackage(hash);
  const problem = { v: 1, wishes, catalogs: slices, path: wishes.subscriptions[0]?.name ?? '' } as const;
  const solution = resolveAsked(problem, record);
  if (solution.result !== 'resolved') throw new Error(solution.message);
  return { problem, record, solution, path: askedPath(problem, solution) };
}

const movesOf = ({ hops }: AskedPath) =>
  hops.map(({ moves }) => moves.map(({ from, to }) => `${from} → ${to}`).join(', '));

const mill = samplePackage(
  'mill',
  version('mill', '1.0.0'),
  version('mill', '1.1.0', '1.0.0'),
  version('mill', '1.2.0', '1.1.0'),
);

describe('the path that is asked for', () => {
  it('has all hops of the Subscription, and each answer follows from the problem of its hop', () => {
    const { path, record } = asked(having(at('mill', '1.0.0')), mill);
    expect(movesOf(path)).toEqual(['mill.v1.0.0 → mill.v1.1.0', 'mill.v1.1.0 → mill.v1.2.0']);
    expect(path.ends).toBeUndefined();
    for (const { problem, solution } of path.hops) expect(verifyResolution(problem, record, solution)).toBeUndefined();
  });

  it('is the answer alone where no path is asked for, or nothing follows', () => {
    const { problem, record } = asked(having(at('mill', '1.0.0')), mill);
    const { path: _path, ...without } = problem;
    expect(resolveAsked(without, record)).toEqual(resolve(problem, record));
    expect(asked(having(at('mill', '1.1.0')), mill).solution.following).toBeUndefined();
    expect(asked(having(at('mill', '1.2.0')), mill).path.hops).toEqual([]);
  });

  it('ends where the next version cannot be had', () => {
    const stuck = samplePackage(
      'mill',
      version('mill', '1.0.0'),
      version('mill', '1.1.0', '1.0.0'),
      version('mill', '2.0.0', '1.1.0', [needsPackage('wind', '>=3.0.0')]),
    );
    const { path } = asked(having(at('mill', '1.0.0')), stuck);
    expect(movesOf(path)).toEqual(['mill.v1.0.0 → mill.v1.1.0']);
  });

  it('moves with isolation the Subscription alone, whatever its neighbours have', () => {
    const forge = samplePackage('forge', version('forge', '1.0.0'), version('forge', '1.1.0', '1.0.0'));
    const both = having(at('mill', '1.0.0'), at('forge', '1.0.0'));
    expect(movesOf(asked(isolated(both), mill, forge).path)).toEqual([
      'mill.v1.0.0 → mill.v1.1.0',
      'mill.v1.1.0 → mill.v1.2.0',
    ]);
    expect(movesOf(asked(both, mill, forge).path)[0]).toContain('forge.v1.0.0 → forge.v1.1.0');
  });

  it('an answer with a hop that does not follow is found out at that hop', () => {
    const { problem, record, solution } = asked(having(at('mill', '1.0.0')), mill);
    const [second] = solution.following ?? [];
    if (second?.result !== 'resolved') throw new Error('no second hop');
    const chosen = second.chosen.map((one) => ({ ...one, name: 'mill.v9.9.9' }));
    const subscriptionsUpdated = [{ name: problem.path, currentCSV: 'mill.v9.9.9' }];
    const forged = { ...solution, following: [{ ...second, chosen, subscriptionsUpdated }] };
    const refusals = askedPath(problem, forged).hops.map((hop) => verifyResolution(hop.problem, record, hop.solution));
    expect(refusals).toEqual([undefined, expect.stringContaining('mill.v9.9.9')]);
  });
});
