import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../canonical/canonical-json.js';
import type { InstalledCsv, NamespaceWishes, PackageRecord, Resolution } from './resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleCatalog,
  sampleEntry,
  samplePackage,
  sampleResolution,
  sampleSubscription,
  sampleWishes,
} from './sample-problem.fixture.js';

const seed = Number(process.env['FLOTILLA_TEST_SEED'] ?? Date.now() % 2 ** 31);

/** A bundle in the plainest terms; the oracle below knows nothing of properties, channels, indexes or solvers. */
type Bundle = Readonly<{
  pkg: string;
  version: number;
  provides: readonly string[];
  needs: readonly string[];
  needsAtLeast: Readonly<{ pkg: string; version: number }> | undefined;
  deprecated: boolean;
}>;
/** Packages of one chain each, and which version of each a Subscription has: 0 for none yet, nothing for no Subscription. */
type Namespace = Readonly<{ bundles: readonly Bundle[]; has: Readonly<Record<string, number | undefined>> }>;

const PACKAGES = ['p', 'q', 'r', 's'];
const APIS = ['X', 'Y', 'Z'];

const bundle = (pkg: string, version: number): fc.Arbitrary<Bundle> =>
  fc.record({
    pkg: fc.constant(pkg),
    version: fc.constant(version),
    provides: fc.subarray(APIS, { maxLength: 2 }),
    needs: fc.subarray(APIS, { maxLength: 1 }),
    needsAtLeast: fc.option(fc.record({ pkg: fc.constantFrom(...PACKAGES), version: fc.integer({ min: 1, max: 3 }) }), {
      nil: undefined,
      freq: 3,
    }),
    deprecated: fc.integer({ min: 0, max: 14 }).map((roll) => roll === 0),
  });

const namespace: fc.Arbitrary<Namespace> = fc
  .tuple(
    ...PACKAGES.map((pkg) =>
      fc
        .tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(undefined, 0, 0, 1))
        .chain(([count, has]) =>
          fc
            .tuple(...Array.from({ length: count }, (_, at) => bundle(pkg, at + 1)))
            .map((bundles) => ({ pkg, bundles, has })),
        ),
    ),
  )
  .map((packages) => ({
    bundles: packages.flatMap(({ bundles }) => bundles),
    has: Object.fromEntries(packages.map(({ pkg, has }) => [pkg, has])),
  }));

const nameOf = ({ pkg, version }: Bundle): string => `${pkg}.v${version}.0.0`;

function entryOf({ pkg, version, provides, needs, needsAtLeast, deprecated }: Bundle) {
  const properties = [
    ...provides.map(providesApi),
    ...needs.map(needsApi),
    ...(needsAtLeast === undefined ? [] : [needsPackage(needsAtLeast.pkg, `>=${needsAtLeast.version}.0.0`)]),
    ...(deprecated ? [{ type: 'olm.deprecated', value: {} }] : []),
  ];
  return sampleEntry(pkg, `${version}.0.0`, properties, version > 1 ? { replaces: `${pkg}.v${version - 1}.0.0` } : {});
}

function csvOf(one: Bundle): InstalledCsv {
  const { name, version, properties } = entryOf(one);
  const propertiesAnnotation = JSON.stringify({ properties });
  return { name, version, replaces: '', phase: '', propertiesAnnotation, ownedApis: [], requiredApis: [] };
}

/** A catalog bundle, or the same one as it is installed: two different things to the rules. */
type Item = Readonly<{ bundle: Bundle; installed: boolean }>;

const items = ({ bundles, has }: Namespace): Item[] => [
  ...bundles.map((one) => ({ bundle: one, installed: false })),
  ...bundles.filter((one) => has[one.pkg] === one.version).map((one) => ({ bundle: one, installed: true })),
];

/** Whether the items may be there together: every rule of the spec, written down once more, plainly. */
function isValid(chosen: readonly Item[], { has }: Namespace): boolean {
  const bundles = chosen.map((item) => item.bundle);
  const isMet = ({ needs, needsAtLeast }: Bundle) =>
    needs.every((api) => bundles.some(({ provides }) => provides.includes(api))) &&
    (needsAtLeast === undefined ||
      bundles.some(({ pkg, version }) => pkg === needsAtLeast.pkg && version >= needsAtLeast.version));
  const isWish = ({ bundle: { pkg, version }, installed }: Item, wished: string) => {
    const current = has[wished] ?? 0;
    return pkg === wished && (installed || current === 0 || version === current + 1);
  };
  const distinct = (values: readonly string[]) => new Set(values).size === values.length;
  return (
    bundles.every((one) => isMet(one) && !one.deprecated) &&
    PACKAGES.filter((pkg) => has[pkg] !== undefined).every((pkg) => chosen.some((item) => isWish(item, pkg))) &&
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

function wishesOf({ bundles, has }: Namespace): NamespaceWishes {
  const subscriptions = PACKAGES.filter((pkg) => has[pkg] !== undefined).map((pkg) => {
    const current = bundles.find((one) => one.pkg === pkg && one.version === has[pkg]);
    return sampleSubscription(
      pkg,
      current === undefined ? {} : { installedCSV: nameOf(current), currentCSV: nameOf(current) },
    );
  });
  const csvs = items({ bundles, has }).flatMap((item) => (item.installed ? [csvOf(item.bundle)] : []));
  return sampleWishes({ subscriptions, csvs });
}

const records = ({ bundles }: Namespace): PackageRecord[] =>
  PACKAGES.map((pkg) => samplePackage(pkg, ...bundles.filter((one) => one.pkg === pkg).map(entryOf)));

const answer = (of: Namespace, packages: readonly PackageRecord[] = records(of)): Resolution =>
  sampleResolution(wishesOf(of), [sampleCatalog('shelf', ...packages)]).resolution;

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
