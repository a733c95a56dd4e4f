import { byCodeUnit } from '../canonical/canonical-json.js';
import { parseVersion, type Version } from '../versions/blang-version.js';
import { goQuote } from '../versions/go-quote.js';
import { parseProperties } from './bundle-properties.js';
import type { Catalog, CatalogBundle, CatalogChannel, CatalogPackage, ChannelEntry } from './catalog.js';
import { type CatalogProblem, fatal } from './catalog-problem.js';
import { imageReferenceProblem } from './image-reference.js';
import { packageNameProblems } from './package-name.js';
import { releaseProblem } from './release.js';

/** A package with its parts found and linked; made by {@link buildModel}. */
export type ModelPackage = {
  readonly blob: CatalogPackage;
  readonly channels: Map<string, ModelChannel>;
  readonly bundles: Map<string, ModelBundle>;
  /** Message of the package's own deprecation. */
  deprecation?: string;
};

export type ModelChannel = {
  readonly name: string;
  readonly entries: ReadonlyMap<string, ChannelEntry>;
  deprecation?: string;
};

export type ModelBundle = {
  readonly blob: CatalogBundle;
  readonly version: Version;
  readonly release: string;
};

/** Packages by name in load order, and the messages of deprecated bundles by `package`, then bundle name. */
export type CatalogModel = Readonly<{
  packages: ReadonlyMap<string, ModelPackage>;
  deprecatedBundles: Map<string, Map<string, string>>;
}>;

/**
 * Links a catalog's blobs into a model. Yields a problem where opm would stop (spec: file-based-catalogs.md §3.1) and
 * must not be resumed after one; returns the model when there was none. Deprecations are not applied yet.
 */
export function* buildModel(catalog: Catalog): Generator<CatalogProblem, CatalogModel> {
  const packages = new Map<string, ModelPackage>();
  for (const blob of catalog.packages) yield* addPackage(packages, blob);
  const lastChannel = new Map<string, CatalogChannel>();
  for (const blob of catalog.channels) {
    yield* addChannel(packages, blob);
    lastChannel.set(blob.package, blob);
  }
  for (const blob of catalog.bundles) yield* addBundle(packages, blob);
  yield* requireBlobs(packages, lastChannel);
  for (const { blob, channels } of packages.values()) {
    const name = blob.defaultChannel;
    if (name !== '' && !channels.has(name)) channels.set(name, { name, entries: new Map() });
  }
  return { packages, deprecatedBundles: new Map() };
}

function* addPackage(packages: Map<string, ModelPackage>, blob: CatalogPackage): Generator<CatalogProblem> {
  const { name } = blob;
  if (name === '') {
    yield fatal('config contains package with no name', 'give every olm.package blob a "name"');
  }
  if (packages.has(name)) {
    yield fatal(
      `duplicate package ${goQuote(name)}`,
      'a package has one olm.package blob; remove the others (two files may hold the same package)',
    );
  }
  const rules = packageNameProblems(name);
  if (rules.length > 0) {
    yield fatal(
      `invalid package name ${goQuote(name)}: [${rules.join(' ')}]`,
      'rename the package: lower case letters, digits and "-", at most 63 characters',
    );
  }
  packages.set(name, { blob, channels: new Map(), bundles: new Map() });
}

function* addChannel(packages: Map<string, ModelPackage>, blob: CatalogChannel): Generator<CatalogProblem> {
  const owner = packages.get(blob.package);
  const ofPackage = goQuote(blob.package);
  if (!owner) {
    yield fatal(
      `unknown package ${ofPackage} for channel ${goQuote(blob.name)}`,
      'add an olm.package blob of that name, or correct "package" in the channel',
    );
    return;
  }
  if (blob.name === '') {
    yield fatal(`package ${ofPackage} contains channel with no name`, 'give every olm.channel blob a "name"');
  }
  if (owner.channels.has(blob.name)) {
    yield fatal(
      `package ${ofPackage} has duplicate channel ${goQuote(blob.name)}`,
      'put all entries of the channel into one olm.channel blob',
    );
  }
  const entries = new Map<string, ChannelEntry>();
  for (const entry of blob.entries ?? []) {
    if (entries.has(entry.name)) {
      yield fatal(
        `invalid package ${ofPackage}, channel ${goQuote(blob.name)}: duplicate entry ${goQuote(entry.name)}`,
        'name each bundle once in the channel',
      );
    }
    entries.set(entry.name, entry);
  }
  owner.channels.set(blob.name, { name: blob.name, entries });
}

function* addBundle(packages: Map<string, ModelPackage>, blob: CatalogBundle): Generator<CatalogProblem> {
  const name = goQuote(blob.name);
  const ofPackage = goQuote(blob.package);
  const owner = packages.get(blob.package);
  if (!owner) {
    yield blob.package === ''
      ? fatal(`package name must be set for bundle ${name}`, 'add "package" to the olm.bundle blob')
      : fatal(
          `unknown package ${ofPackage} for bundle ${name}`,
          'add an olm.package blob of that name, or correct "package" in the bundle',
        );
    return;
  }
  if (owner.bundles.has(blob.name)) {
    yield fatal(`package ${ofPackage} has duplicate bundle ${name}`, 'keep one olm.bundle blob of that name');
  }
  const bundle = yield* readBundle(blob);
  if (bundle) owner.bundles.set(blob.name, bundle);
  if (![...owner.channels.values()].some(({ entries }) => entries.has(blob.name))) {
    yield fatal(
      `package ${ofPackage}, bundle ${name} not found in any channel entries`,
      'add an entry of that name to a channel of the package, or remove the bundle',
    );
  }
}

function* readBundle(blob: CatalogBundle): Generator<CatalogProblem, ModelBundle | undefined> {
  const name = goQuote(blob.name);
  const ofPackage = goQuote(blob.package);
  const properties = parseProperties(blob.properties);
  if ('error' in properties) {
    yield fatal(`parse properties for bundle ${name}: ${properties.error}`, propertyAdvice(blob));
    return;
  }
  const [said] = properties.packages;
  if (said === undefined || properties.packages.length !== 1) {
    yield fatal(
      `package ${ofPackage} bundle ${name} must have exactly 1 "olm.package" property, found ${properties.packages.length}`,
      'a bundle needs {type: olm.package, value: {packageName: <package>, version: <version>}} once in "properties"',
    );
    return;
  }
  if (said.packageName !== blob.package) {
    yield fatal(
      `package ${ofPackage} does not match "olm.package" property ${goQuote(said.packageName)}`,
      'the "package" of the bundle and "packageName" in its olm.package property must be the same',
    );
  }
  yield* checkImages(blob);
  const version = parseVersion(said.version);
  if ('error' in version) {
    yield fatal(
      `error parsing bundle ${name} version ${goQuote(said.version)}: ${version.error}`,
      'versions are <major>.<minor>.<patch>, without a leading "v"',
    );
    return;
  }
  const wrongRelease = said.release === '' ? undefined : releaseProblem(said.release);
  if (wrongRelease !== undefined) {
    yield fatal(
      `error parsing bundle ${name} release version ${goQuote(said.release)}: ${wrongRelease}`,
      'a release is letters, digits and "-" in segments between dots, at most 20 characters',
    );
  }
  return { blob, version, release: said.release };
}

/** Templates and old documents wrap each property once more; the loader then sees a property without type. */
const propertyAdvice = ({ properties }: CatalogBundle): string =>
  properties.some(({ type }) => type === '')
    ? 'each item of "properties" is {type: <type>, value: <value>}, without another level such as "property:" around it'
    : 'correct the value of that property';

function* checkImages({ package: owner, name, image, relatedImages }: CatalogBundle): Generator<CatalogProblem> {
  const places = [
    { image, where: 'image' },
    ...relatedImages.map((one, index) => ({ image: one.image, where: `relatedImages[${index}].image` })),
  ];
  for (const { image: reference, where } of places) {
    const why = reference === '' ? undefined : imageReferenceProblem(reference);
    if (why === undefined) continue;
    yield fatal(
      `package ${goQuote(owner)} bundle ${goQuote(name)} ${where}: invalid image pull spec ${goQuote(reference)}: ${why}`,
      'write <host>/<path>:<tag> or <host>/<path>@sha256:<64 hex digits>, the path in lower case',
    );
  }
}

/** opm looks only at the channel it loaded last; holes in the others are findings of the second stage. */
function* requireBlobs(
  packages: ReadonlyMap<string, ModelPackage>,
  lastChannel: ReadonlyMap<string, CatalogChannel>,
): Generator<CatalogProblem> {
  for (const [name, channel] of [...lastChannel].sort(([a], [b]) => byCodeUnit(a, b))) {
    const bundles = packages.get(name)?.bundles;
    const missing = (channel.entries ?? []).map((entry) => entry.name).filter((entry) => !bundles?.has(entry));
    if (missing.length === 0) continue;
    yield fatal(
      `no olm.bundle blobs found in package ${goQuote(name)} for olm.channel entries [${missing.sort(byCodeUnit).join(' ')}]`,
      'add the missing olm.bundle blobs or remove the entries',
    );
  }
}
