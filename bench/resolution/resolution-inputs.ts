import type { EntryRecord, PackageRecord } from '#core/catalog/model/package-record';
import type { DesiredSubscription } from '#core/classic/resolution/problem/resolution-problem';

/** A catalog and the packages subscribed to, made up to be of a certain kind of difficulty. */
export type ResolutionInput = Readonly<{
  records: readonly PackageRecord[];
  subscriptions: readonly DesiredSubscription[];
}>;

type Bundle = Readonly<{ version: string; properties: EntryRecord['properties'] }>;

const range = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const gvk = (kind: number) => ({ group: 'bench.test', kind: `Kind${kind}`, version: 'v1' });
const provides = (kind: number) => ({ type: 'olm.gvk', value: gvk(kind) });
const needsApi = (kind: number) => ({ type: 'olm.gvk.required', value: gvk(kind) });
const needsPackage = (packageName: string, versionRange: string) => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});

/** Bundles of a package, oldest first; each channel begins with one of them and goes on to the newest. */
function packageOf(
  name: string,
  bundles: readonly Bundle[],
  channels: Readonly<Record<string, number>>,
): PackageRecord {
  const csv = (at: number) => `${name}.v${bundles[at]?.version}`;
  const entries = Object.entries(channels).flatMap(([channel, first]) =>
    bundles.slice(first).map(({ version, properties }, at) => ({
      name: csv(first + at),
      channel,
      version,
      replaces: at === 0 ? '' : csv(first + at - 1),
      skips: [],
      skipRange: '',
      properties: [{ type: 'olm.package', value: { packageName: name, version } }, ...properties],
      source: { image: `registry.example/${name}:${version}` },
    })),
  );
  return { name, defaultChannel: 'stable', entries };
}

const versionsOf = (count: number, properties: (version: number) => Bundle['properties']): Bundle[] =>
  range(count).map((version) => ({ version: `1.${version}.0`, properties: properties(version) }));

/** A new Subscription to a package, by default to its channel `stable`. */
export const subscribe = (packageName: string, channel = 'stable'): DesiredSubscription => ({
  name: `sub-${packageName}`,
  package: packageName,
  channel,
  startingCSV: '',
  source: 'bench',
  sourceNamespace: 'bench',
  installedCSV: '',
  currentCSV: '',
});

/** A generator of numbers from 0 to 1: the same ones every time. */
function numbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** An ordinary catalog: two channels, a tenth of the packages needs something of packages further on. */
export function ordinaryCatalog(packages: number, bundles: number, subscriptions: number): ResolutionInput {
  const next = numbers(1);
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1));
  const need = (at: number) => {
    const other = between(at + 1, Math.min(packages - 1, at + 40));
    return at % 2 === 1
      ? needsApi(other)
      : needsPackage(`pkg-${other}`, `>=1.${between(0, Math.max(0, bundles - 6))}.0`);
  };
  const records = range(packages).map((at) => {
    const needing = at + 1 < packages && next() < 0.1;
    const made = versionsOf(bundles, () => [
      provides(at),
      ...(next() < 0.3 ? [provides(packages + at)] : []),
      ...(needing ? [need(at)] : []),
    ]);
    return packageOf(`pkg-${at}`, made, { stable: 0, fast: Math.floor(bundles / 2) });
  });
  const subscriptionList = range(subscriptions).map((at) =>
    subscribe(`pkg-${Math.floor((at * packages) / subscriptions)}`),
  );
  return { records, subscriptions: subscriptionList };
}

/** Makes packages in a row: every bundle needs an API of the next package. */
export function chain(depth: number, bundles: number): ResolutionInput {
  const records = range(depth).map((at) => {
    const properties = [provides(at), ...(at + 1 < depth ? [needsApi(at + 1)] : [])];
    return packageOf(
      `step-${at}`,
      versionsOf(bundles, () => properties),
      { stable: 0 },
    );
  });
  return { records, subscriptions: [subscribe('step-0')] };
}

/**
 * Every version needs the same version of the next package; of the last, only the oldest can be installed.
 */
export function ladder(depth: number, bundles: number): ResolutionInput {
  const need = (at: number, version: number) => {
    if (at + 1 < depth) return [needsPackage(`step-${at + 1}`, `1.${version}.0`)];
    return version > 0 ? [needsApi(1_000_000)] : [];
  };
  const records = range(depth).map((at) =>
    packageOf(
      `step-${at}`,
      versionsOf(bundles, (version) => [provides(at), ...need(at, version)]),
      { stable: 0 },
    ),
  );
  return { records, subscriptions: [subscribe('step-0')] };
}

/** Makes Subscriptions that need many APIs; many packages provide each API. */
export function providers(apis: number, perApi: number, bundles: number, roots: number): ResolutionInput {
  const records = range(apis).flatMap((api) =>
    range(perApi).map((provider) => {
      const chained = provider < perApi - 1 && api + 1 < apis ? [needsApi(api + 1)] : [];
      return packageOf(
        `prov-${api}-${provider}`,
        versionsOf(bundles, () => [provides(api), ...chained]),
        { stable: 0 },
      );
    }),
  );
  const tops = range(roots).map((root) =>
    packageOf(`root-${root}`, [{ version: '1.0.0', properties: range(apis).map(needsApi) }], { stable: 0 }),
  );
  return { records: [...records, ...tops], subscriptions: tops.map(({ name }) => subscribe(name)) };
}

/** One Subscription more than there are APIs to provide: no solution. */
export function pigeons(holes: number): ResolutionInput {
  const records = range(holes + 1).map((bird) =>
    packageOf(
      `bird-${bird}`,
      versionsOf(holes, (version) => [provides(version)]),
      { stable: 0 },
    ),
  );
  return { records, subscriptions: records.map(({ name }) => subscribe(name)) };
}
