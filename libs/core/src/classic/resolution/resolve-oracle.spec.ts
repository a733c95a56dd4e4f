import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import type { Resolution } from './problem/resolution-problem.js';
import {
  desiredNamespaceOf,
  type Item,
  items,
  type Namespace,
  nameOf,
  namespace,
  type OracleBundle,
  PACKAGES,
  records,
} from './random-namespace.fixture.js';
import { sampleCatalog, sampleResolution } from './sample-problem.fixture.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** Whether the items may be there together: every rule of the spec, written down once more, plainly. */
function isValid(chosen: readonly Item[], { has }: Namespace): boolean {
  const bundles = chosen.map((item) => item.bundle);
  const isMet = ({ needs, needsAtLeast }: OracleBundle) =>
    needs.every((api) => bundles.some(({ provides }) => provides.includes(api))) &&
    (needsAtLeast === undefined ||
      bundles.some(({ pkg, version }) => pkg === needsAtLeast.pkg && version >= needsAtLeast.version));
  const isDesired = ({ bundle: { pkg, version }, installed }: Item, desired: string) => {
    const current = has[desired] ?? 0;
    return pkg === desired && (installed || current === 0 || version === current + 1);
  };
  const distinct = (values: readonly string[]) => new Set(values).size === values.length;
  return (
    bundles.every((one) => isMet(one) && !one.deprecated) &&
    PACKAGES.filter((pkg) => has[pkg] !== undefined).every((pkg) => chosen.some((item) => isDesired(item, pkg))) &&
    distinct(bundles.map(({ pkg }) => pkg)) &&
    distinct(bundles.flatMap(({ provides }) => provides))
  );
}

function someSubsetIsValid(of: Namespace): boolean {
  const all = items(of);
  for (let mask = 0; mask < 2 ** all.length; mask++) {
    const chosen = all.filter((_, at) => (mask & (1 << at)) !== 0);
    if (chosen.length <= PACKAGES.length && isValid(chosen, of)) return true;
  }
  return false;
}

const answer = (of: Namespace, packages: readonly PackageRecord[] = records(of)): Resolution =>
  sampleResolution(desiredNamespaceOf(of), [sampleCatalog('shelf', ...packages)]).resolution;

describe(`resolution of random namespaces against a brute-force oracle (FLOTILLA_TEST_SEED=${seed})`, () => {
  it('finds a solution exactly where there is one, and every rule holds in it', () => {
    fc.assert(
      fc.property(namespace, (of) => {
        const resolution = answer(of);
        expect(resolution.result).toBe(someSubsetIsValid(of) ? 'resolved' : 'unsatisfiable');
        if (resolution.result !== 'resolved') return;
        const names = new Set(resolution.chosen.map(({ name }) => name));
        const gone = new Set(resolution.chosen.map((chosen) => chosen.package));
        const there = items(of).filter((item) =>
          item.installed ? !gone.has(item.bundle.pkg) : names.has(nameOf(item.bundle)),
        );
        expect(isValid(there, of)).toBe(true);
      }),
      { seed, numRuns: 40 },
    );
  });

  it('gives the same bytes for the same content in another order', () => {
    const shuffled = namespace.chain((of) =>
      fc.tuple(
        fc.constant(of),
        fc
          .shuffledSubarray(records(of), { minLength: PACKAGES.length })
          .chain((packages) =>
            fc.tuple(
              ...packages.map((record) =>
                fc
                  .shuffledSubarray([...record.entries], { minLength: record.entries.length })
                  .map((entries) => ({ ...record, entries })),
              ),
            ),
          ),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([of, packages]) => {
        expect(canonicalJson(answer(of, packages))).toBe(canonicalJson(answer(of)));
      }),
      { seed, numRuns: 15 },
    );
  });
});
