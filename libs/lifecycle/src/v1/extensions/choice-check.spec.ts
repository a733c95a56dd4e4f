import { describe, expect, it } from 'vitest';
import type { Catalog } from '#core/catalog/model/catalog';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import {
  type ExtensionPackage,
  type ExtensionProblem,
  type ExtensionSolution,
  extensionPackage,
  packageContent,
  solveExtension,
} from '#core/v1/extension/extension-problem';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { ChoiceCheck } from './choice-check.js';

const version = (release: string) => ({
  schema: 'olm.bundle' as const,
  package: 'lamp',
  name: `lamp.v${release}`,
  image: `registry.test/lamp:${release}`,
  properties: [{ type: 'olm.package', value: { packageName: 'lamp', version: release } }],
});
const catalog = {
  packages: [{ schema: 'olm.package', name: 'lamp', defaultChannel: 'stable' }],
  channels: [
    {
      schema: 'olm.channel',
      package: 'lamp',
      name: 'stable',
      entries: [{ name: 'lamp.v1.0.0' }, { name: 'lamp.v1.1.0', replaces: 'lamp.v1.0.0' }],
    },
  ],
  bundles: [version('1.0.0'), version('1.1.0')],
  deprecations: [],
  others: [],
} as unknown as Catalog;

function lamp(): ExtensionPackage {
  const record = extensionPackage('lamp', catalog);
  if (record === undefined) throw new Error('the catalog has no package lamp');
  return record;
}

describe('the choice of a bundle for a ClusterExtension, as read from Redis', () => {
  const where = { cluster: 'east', extension: 'lamp' };
  const record = lamp();
  const problem: ExtensionProblem = {
    v: 1,
    extension: { query: { packageName: 'lamp' }, installed: null, majorUpdates: 'manual' },
    catalogs: [{ name: 'samples', priority: 0, record: canonicalHash(record) }],
  } as unknown as ExtensionProblem;
  const honest = solveExtension(problem, () => packageContent(record, {}));

  async function checked(solution: ExtensionSolution) {
    const store = new MemoryProblemStore<ExtensionProblems>();
    const hash = await store.putProblem(problem, new Map([[canonicalHash(record), record]]));
    await store.putSolution(hash, solution);
    const refused: string[] = [];
    const check = new ChoiceCheck(store, { note: ({ cluster, what }) => void refused.push(`${cluster} ${what}`) });
    const admitted = await check.admit(where, { hash, problem, solution });
    return { admitted, refused, held: await store.getSolution(hash) };
  }

  it('is taken where it is the one that follows from the problem', async () => {
    expect(honest.class).toBe('Resolved');
    expect(await checked(honest)).toEqual({ admitted: true, refused: [], held: honest });
  });

  it.each([
    ['another image', { image: 'evil.test/lamp:1.1.0' }],
    ['another catalog', { catalog: 'evil' }],
    ['an older version', { bundle: { name: 'lamp.v1.0.0', version: '1.0.0' }, image: 'registry.test/lamp:1.0.0' }],
  ])('is refused, reported and removed with %s', async (_, forged) => {
    const solution = { ...honest, ...forged } as ExtensionSolution;
    expect(await checked(solution)).toEqual({
      admitted: false,
      refused: ['east solution'],
      held: undefined,
    });
  });
});
