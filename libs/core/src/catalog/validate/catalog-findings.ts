import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { parseRange } from '../../kernel/versions/blang-range.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { formatVersion } from '../../kernel/versions/version.js';
import type { ChannelEntry } from '../model/catalog.js';
import { replacesChainProblem } from '../model/channel-graph.js';
import type { BundleSummary } from './bundle-summary.js';
import type { CatalogModel, ModelChannel, ModelPackage } from './catalog-model.js';
import { type CatalogProblem, found } from './catalog-problem.js';

/**
 * Returns every finding in every package of a linked catalog, in the catalog's own order (spec:
 * file-based-catalogs.md §3.2).
 */
export const catalogFindings = (model: CatalogModel): CatalogProblem[] =>
  [...model.packages.values()].flatMap((owner) => packageFindings(model, owner));

const noMessage = ({ deprecationsStart }: ModelPackage, path: readonly string[]): CatalogProblem =>
  found(
    path,
    'invalid deprecation: message must be set',
    'write a message for users into the olm.deprecations entry',
    deprecationsStart,
  );

function packageFindings(model: CatalogModel, owner: ModelPackage): CatalogProblem[] {
  const path = [`invalid package ${goQuote(owner.name)}`];
  const problems: CatalogProblem[] = [];
  const add = (finding: string, advice: string) => problems.push(found(path, finding, advice, owner.start));
  if (owner.defaultChannel === '') {
    add('default channel must be set', 'set "defaultChannel" in the olm.package blob');
  }
  if (owner.channels.size === 0) {
    add('package must contain at least one channel', 'add an olm.channel blob of this package');
  }
  for (const channel of owner.channels.values()) problems.push(...channelFindings(model, owner, channel, path));
  const duplicates = duplicateVersions(owner);
  if (duplicates.length > 0) {
    add(
      `duplicate versions found in bundles: [${duplicates.join(' ')}]`,
      'give each bundle of a package its own version, or set "release" in the olm.package property',
    );
  }
  if (owner.deprecation === '') problems.push(noMessage(owner, path));
  return problems;
}

function channelFindings(
  model: CatalogModel,
  owner: ModelPackage,
  channel: ModelChannel,
  above: readonly string[],
): CatalogProblem[] {
  const path = [...above, `invalid channel ${goQuote(channel.name)}`];
  const problems: CatalogProblem[] = [];
  const add = (finding: string, advice: string) => problems.push(found(path, finding, advice, channel.start));
  if (channel.entries.size === 0) {
    add(
      'channel must contain at least one bundle',
      'add entries to the channel, or, if it is only named as default channel, correct "defaultChannel"',
    );
  } else {
    const chain = replacesChainProblem(channel.entries);
    if (chain !== undefined) add(chain, chainAdvice(chain));
  }
  for (const entry of channel.entries.values()) {
    const deprecation = model.deprecatedBundles.get(owner.name)?.get(entry.name);
    problems.push(...bundleFindings({ owner, channel, entry, deprecation }, path));
  }
  if (channel.deprecation === '') problems.push(noMessage(owner, path));
  return problems;
}

function chainAdvice(finding: string): string {
  if (finding.startsWith('no channel head')) return 'one entry must be the newest: no other replaces or skips it';
  if (finding.startsWith('multiple channel heads')) {
    return 'let the newest entry replace or skip the others, so that one head remains';
  }
  if (finding.startsWith('detected cycle')) return 'remove one "replaces" of the circle';
  return 'make an entry of the chain from the head replace or skip each of these bundles';
}

type EntryOf = Readonly<{
  owner: ModelPackage;
  channel: ModelChannel;
  entry: ChannelEntry;
  deprecation: string | undefined;
}>;

/**
 * Returns the findings about an entry. The channel's blob holds the entry; the bundle's own facts are in the
 * bundle's blob.
 */
function bundleFindings({ owner, channel, entry, deprecation }: EntryOf, above: readonly string[]): CatalogProblem[] {
  const path = [...above, `invalid bundle ${goQuote(entry.name)}`];
  const bundle = owner.bundles.get(entry.name);
  const problems: CatalogProblem[] = [];
  const add = (finding: string, advice: string) => problems.push(found(path, finding, advice, channel.start));
  const addToBundle = (finding: string, advice: string) =>
    problems.push(found(path, finding, advice, bundle?.start ?? channel.start));
  if (entry.name === '') add('name must be set', 'give every entry of the channel a "name"');
  if (bundle) releaseFindings(owner, bundle, addToBundle);
  for (const [index, skip] of (entry.skips ?? []).entries()) {
    if (skip === '') add(`skip[${index}] is empty`, 'remove the empty item of "skips"');
  }
  const range = entry.skipRange === undefined ? undefined : parseRange(entry.skipRange);
  if (range && 'error' in range) {
    add(`invalid skipRange ${goQuote(entry.skipRange ?? '')}: ${range.error}`, 'write for example ">=1.0.0 <1.2.0"');
  }
  if (!bundle) {
    add('must be exactly one property with type "olm.package"', 'add the olm.bundle blob of this entry');
  }
  if (bundle?.emptyHanded ?? true) {
    addToBundle(
      'bundle image must be set',
      'set "image" in the olm.bundle blob, or carry the manifests as olm.bundle.object',
    );
  }
  if (deprecation === '') problems.push(noMessage(owner, path));
  return problems;
}

function releaseFindings(
  owner: ModelPackage,
  { name, version, release }: BundleSummary,
  add: (finding: string, advice: string) => void,
): void {
  if (release === '') return;
  const expected = `${owner.name}-v${formatVersion(version)}-${release}`;
  if (name !== expected) {
    add(`name ${goQuote(name)} does not match normalized name ${goQuote(expected)}`, `name the bundle ${expected}`);
  }
  if (version.build.length > 0) {
    add('cannot use build metadata in version with a release version', 'keep either "+…" in the version or "release"');
  }
}

/**
 * Returns `{<version>: [<bundle>, <bundle>]}` for each version that more than one bundle of the package has.
 */
function duplicateVersions({ channels, bundles }: ModelPackage): string[] {
  const names = new Set([...channels.values()].flatMap(({ entries }) => [...entries.keys()]));
  const byVersion = new Map<string, string[]>();
  for (const name of names) {
    const version = versionText(bundles.get(name));
    byVersion.set(version, [...(byVersion.get(version) ?? []), name]);
  }
  return [...byVersion]
    .filter(([, same]) => same.length > 1)
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([version, same]) => `{${version}: [${same.sort(byCodeUnit).join(', ')}]}`);
}

/** Returns the text of a version. An entry without its blob counts as version 0.0.0, as in opm. */
function versionText(bundle: BundleSummary | undefined): string {
  if (!bundle) return '0.0.0';
  const version = formatVersion(bundle.version);
  return bundle.release === '' ? version : `${version}-${bundle.release}`;
}
