import fc from 'fast-check';
import type { PackageRecord } from '../../catalog/model/package-record.js';
import type { DesiredNamespace, InstalledCsv } from './problem/resolution-problem.js';
import {
  needsApi,
  needsPackage,
  providesApi,
  sampleEntry,
  sampleNamespace,
  samplePackage,
  sampleSubscription,
} from './sample-problem.fixture.js';

// Random namespaces for property tests.

/**
 * A bundle in the plainest terms; the oracle below knows nothing of properties, channels, indexes or solvers.
 */
export type OracleBundle = Readonly<{
  pkg: string;
  version: number;
  provides: readonly string[];
  needs: readonly string[];
  needsAtLeast: Readonly<{ pkg: string; version: number }> | undefined;
  deprecated: boolean;
}>;
/**
 * Packages of one chain each, and the version that a Subscription has of each: 0 for none yet, absent for no
 * Subscription.
 */
export type Namespace = Readonly<{
  bundles: readonly OracleBundle[];
  has: Readonly<Record<string, number | undefined>>;
}>;

export const PACKAGES = ['p', 'q', 'r', 's'];
const APIS = ['X', 'Y', 'Z'];

const bundle = (pkg: string, version: number): fc.Arbitrary<OracleBundle> =>
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

export const namespace: fc.Arbitrary<Namespace> = fc
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

export const nameOf = ({ pkg, version }: OracleBundle): string => `${pkg}.v${version}.0.0`;

function entryOf({ pkg, version, provides, needs, needsAtLeast, deprecated }: OracleBundle) {
  const properties = [
    ...provides.map(providesApi),
    ...needs.map(needsApi),
    ...(needsAtLeast === undefined ? [] : [needsPackage(needsAtLeast.pkg, `>=${needsAtLeast.version}.0.0`)]),
    ...(deprecated ? [{ type: 'olm.deprecated', value: {} }] : []),
  ];
  return sampleEntry(pkg, `${version}.0.0`, properties, version > 1 ? { replaces: `${pkg}.v${version - 1}.0.0` } : {});
}

function csvOf(one: OracleBundle): InstalledCsv {
  const { name, version, properties } = entryOf(one);
  const propertiesAnnotation = JSON.stringify({ properties });
  return { name, version, replaces: '', phase: '', propertiesAnnotation, ownedApis: [], requiredApis: [] };
}

/** A catalog bundle, or the same bundle installed: the rules treat them differently. */
export type Item = Readonly<{ bundle: OracleBundle; installed: boolean }>;

export const items = ({ bundles, has }: Namespace): Item[] => [
  ...bundles.map((one) => ({ bundle: one, installed: false })),
  ...bundles.filter((one) => has[one.pkg] === one.version).map((one) => ({ bundle: one, installed: true })),
];

export function desiredNamespaceOf({ bundles, has }: Namespace): DesiredNamespace {
  const subscriptions = PACKAGES.filter((pkg) => has[pkg] !== undefined).map((pkg) => {
    const current = bundles.find((one) => one.pkg === pkg && one.version === has[pkg]);
    return sampleSubscription(
      pkg,
      current === undefined ? {} : { installedCSV: nameOf(current), currentCSV: nameOf(current) },
    );
  });
  const csvs = items({ bundles, has }).flatMap((item) => (item.installed ? [csvOf(item.bundle)] : []));
  return sampleNamespace({ subscriptions, csvs });
}

export const records = ({ bundles }: Namespace): PackageRecord[] =>
  PACKAGES.map((pkg) => samplePackage(pkg, ...bundles.filter((one) => one.pkg === pkg).map(entryOf)));
