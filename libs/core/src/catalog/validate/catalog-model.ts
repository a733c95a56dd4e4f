import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { CatalogChannel, CatalogDeprecation, CatalogPackage, ChannelEntry } from '../model/catalog.js';
import type { BlobStart } from '../model/catalog-blob.js';
import type { BundleSummary, SummarizedBundle } from './bundle-summary.js';
import { type CatalogProblem, fatal, placed } from './catalog-problem.js';

const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const MOST_CHARACTERS = 63;
const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** The parts of a catalog's blobs that validation keeps, each kind in load order. */
export type CatalogOutline = Readonly<{
  packages: readonly (Pick<CatalogPackage, 'name' | 'defaultChannel'> & Started)[];
  channels: readonly (Pick<CatalogChannel, 'name' | 'package' | 'entries'> & Started)[];
  bundles: readonly (SummarizedBundle & Started)[];
  deprecations: readonly (CatalogDeprecation & Started)[];
}>;

/** The start of this part's blob, if that is known. */
type Started = Readonly<{ start?: BlobStart }>;

/** A package with its parts found and linked; made by {@link buildModel}. */
export type ModelPackage = Started & {
  readonly name: string;
  readonly defaultChannel: string;
  readonly channels: Map<string, ModelChannel>;
  readonly bundles: Map<string, BundleSummary & Started>;
  /** The start of its olm.deprecations blob. */
  deprecationsStart?: BlobStart;
  /** Message of the package's own deprecation. */
  deprecation?: string;
};

export type ModelChannel = Started & {
  readonly name: string;
  readonly entries: ReadonlyMap<string, ChannelEntry>;
  deprecation?: string;
};

/** Packages by name in load order, and the messages of deprecated bundles by `package`, then bundle name. */
export type CatalogModel = Readonly<{
  packages: ReadonlyMap<string, ModelPackage>;
  deprecatedBundles: Map<string, Map<string, string>>;
}>;

/**
 * Links a catalog's blobs into a model. Yields a problem if opm would stop (spec: file-based-catalogs.md
 * §3.1) and must not be resumed after one; returns the model when there was none. Deprecations are not
 * applied yet.
 */
export function* buildModel(catalog: CatalogOutline): Generator<CatalogProblem, CatalogModel> {
  const packages = new Map<string, ModelPackage>();
  for (const blob of catalog.packages) yield* addPackage(packages, blob);
  const lastChannel = new Map<string, OutlinedChannel>();
  for (const blob of catalog.channels) {
    yield* addChannel(packages, blob);
    lastChannel.set(blob.package, blob);
  }
  for (const blob of catalog.bundles) yield* addBundle(packages, blob);
  yield* requireBlobs(packages, lastChannel);
  for (const { defaultChannel: name, channels, start } of packages.values()) {
    if (name !== '' && !channels.has(name)) channels.set(name, { name, entries: new Map(), ...started(start) });
  }
  return { packages, deprecatedBundles: new Map() };
}

const started = (start: BlobStart | undefined): Started => (start === undefined ? {} : { start });

type OutlinedPackage = CatalogOutline['packages'][number];
type OutlinedChannel = CatalogOutline['channels'][number];

function* addPackage(
  packages: Map<string, ModelPackage>,
  { name, defaultChannel, start }: OutlinedPackage,
): Generator<CatalogProblem> {
  if (name === '') {
    yield fatal('config contains package with no name', 'give every olm.package blob a "name"', start);
  }
  if (packages.has(name)) {
    yield fatal(
      `duplicate package ${goQuote(name)}`,
      'a package has one olm.package blob; remove the others (two files may hold the same package)',
      start,
    );
  }
  const rules = packageNameProblems(name);
  if (rules.length > 0) {
    yield fatal(
      `invalid package name ${goQuote(name)}: [${rules.join(' ')}]`,
      'rename the package: lower case letters, digits and "-", at most 63 characters',
      start,
    );
  }
  packages.set(name, { name, defaultChannel, channels: new Map(), bundles: new Map(), ...started(start) });
}

function* addChannel(packages: Map<string, ModelPackage>, blob: OutlinedChannel): Generator<CatalogProblem> {
  const owner = packages.get(blob.package);
  const ofPackage = goQuote(blob.package);
  if (!owner) {
    yield fatal(
      `unknown package ${ofPackage} for channel ${goQuote(blob.name)}`,
      'add an olm.package blob of that name, or correct "package" in the channel',
      blob.start,
    );
    return;
  }
  if (blob.name === '') {
    yield fatal(
      `package ${ofPackage} contains channel with no name`,
      'give every olm.channel blob a "name"',
      blob.start,
    );
  }
  if (owner.channels.has(blob.name)) {
    yield fatal(
      `package ${ofPackage} has duplicate channel ${goQuote(blob.name)}`,
      'put all entries of the channel into one olm.channel blob',
      blob.start,
    );
  }
  const entries = new Map<string, ChannelEntry>();
  for (const entry of blob.entries ?? []) {
    if (entries.has(entry.name)) {
      yield fatal(
        `invalid package ${ofPackage}, channel ${goQuote(blob.name)}: duplicate entry ${goQuote(entry.name)}`,
        'name each bundle once in the channel',
        blob.start,
      );
    }
    entries.set(entry.name, entry);
  }
  owner.channels.set(blob.name, { name: blob.name, entries, ...started(blob.start) });
}

function* addBundle(packages: Map<string, ModelPackage>, blob: SummarizedBundle & Started): Generator<CatalogProblem> {
  const name = goQuote(blob.name);
  const ofPackage = goQuote(blob.package);
  const owner = packages.get(blob.package);
  if (!owner) {
    yield blob.package === ''
      ? fatal(`package name must be set for bundle ${name}`, 'add "package" to the olm.bundle blob', blob.start)
      : fatal(
          `unknown package ${ofPackage} for bundle ${name}`,
          'add an olm.package blob of that name, or correct "package" in the bundle',
          blob.start,
        );
    return;
  }
  if (owner.bundles.has(blob.name)) {
    yield fatal(
      `package ${ofPackage} has duplicate bundle ${name}`,
      'keep one olm.bundle blob of that name',
      blob.start,
    );
  }
  if ('problem' in blob) yield placed(blob.problem, blob.start);
  else owner.bundles.set(blob.name, blob);
  if (![...owner.channels.values()].some(({ entries }) => entries.has(blob.name))) {
    yield fatal(
      `package ${ofPackage}, bundle ${name} not found in any channel entries`,
      'add an entry of that name to a channel of the package, or remove the bundle',
      blob.start,
    );
  }
}

/**
 * Checks that blobs are there. opm checks only the channel that it loaded last; missing blobs in the others
 * are findings of the second stage.
 */
function* requireBlobs(
  packages: ReadonlyMap<string, ModelPackage>,
  lastChannel: ReadonlyMap<string, OutlinedChannel>,
): Generator<CatalogProblem> {
  for (const [name, channel] of [...lastChannel].sort(([a], [b]) => byCodeUnit(a, b))) {
    const bundles = packages.get(name)?.bundles;
    const missing = (channel.entries ?? []).map((entry) => entry.name).filter((entry) => !bundles?.has(entry));
    if (missing.length === 0) continue;
    yield fatal(
      `no olm.bundle blobs found in package ${goQuote(name)} for olm.channel entries [${missing.sort(byCodeUnit).join(' ')}]`,
      'add the missing olm.bundle blobs or remove the entries',
      channel.start,
    );
  }
}

/**
 * Returns the rules a package name breaks, in Kubernetes' words for a DNS label (spec: file-based-catalogs.md
 * §3.1).
 */
function packageNameProblems(name: string): string[] {
  const tooLong = name.length > MOST_CHARACTERS ? [`must be no more than ${MOST_CHARACTERS} characters`] : [];
  if (DNS_LABEL.test(name)) return tooLong;
  return [...tooLong, name.includes('.') ? 'must not contain dots' : LABEL_RULE];
}
