import type { DeprecationEntry } from '../../catalog/model/catalog.js';
import { readSelector } from '../../kernel/labels/label-selector.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import {
  type MastermindsConstraint,
  parseMastermindsConstraint,
} from '../../kernel/versions/masterminds-constraint.js';
import type { VersionError } from '../../kernel/versions/version.js';
import { all, type CandidateRule, inAnyChannel, inVersionRange, reachableFrom } from './candidate-rules.js';
import { type ExtensionCatalog, type ExtensionInput, followsEdges } from './catalog-query.js';
import { byPriority, type CatalogCandidate, withoutNeedlesslyDeprecated } from './choose-catalog.js';
import { type HeldBack, heldBackText, highest, majorRule } from './major-update.js';
import type { PackageBundle, PackageContent } from './package-content.js';
import { resolutionErrorText } from './resolution-text.js';
import { type InstalledRelease, readInstalled } from './successors.js';
import type { VersionRelease } from './version-release.js';

/** Kinds of failure; each but `NotFound` and `Ambiguous` is one thing to put right. */
type ResolutionFailureClass =
  | 'NotFound'
  | 'Ambiguous'
  | 'CatalogNotServed'
  | 'UnsupportedDependency'
  | 'InvalidSelector'
  | 'InvalidVersionRange'
  | 'InvalidInstalledVersion'
  | 'InvalidBundleVersion';

export type ResolvedBundle = Readonly<{
  class: 'Resolved';
  name: string;
  image: string;
  version: VersionRelease;
  catalog: string;
  /**
   * Deprecations that apply to it: those of the last catalog with a candidate, which need not be the winner.
   */
  deprecation: readonly DeprecationEntry[] | undefined;
  heldBack: HeldBack | undefined;
}>;
export type ResolutionFailure = Readonly<{ class: ResolutionFailureClass; error: string }>;
export type ExtensionResolution = ResolvedBundle | ResolutionFailure;

/** Chooses the bundle for a ClusterExtension as OLM v1 does (spec: v1-resolution.md, "Steps"). */
export function resolveExtension(input: ExtensionInput): ExtensionResolution {
  const { query, catalogs } = input;
  const selects = readSelector(query.selector);
  if ('error' in selects) return failed('InvalidSelector', `desired catalog selector is invalid: ${selects.error}`);
  const constraint = query.version ? parseMastermindsConstraint(query.version) : undefined;
  if (constraint !== undefined && 'error' in constraint) {
    const error = `desired version range ${goQuote(query.version ?? '')} is invalid: ${constraint.error}`;
    return failed('InvalidVersionRange', error);
  }
  const considered = catalogs.filter(
    ({ labels, availabilityMode }) => selects(labels) && availabilityMode !== 'Unavailable',
  );
  const installed = input.installed && followsEdges(query) ? readInstalled(input.installed) : undefined;
  const found = packagesIn(considered, query.packageName, installed);
  if ('error' in found) return found;
  // An unreadable installed version has failed above, if any catalog has the package; otherwise there is
  // nothing to choose from.
  const from = installed !== undefined && !('error' in installed) ? installed : undefined;
  return choose(input, constraint, from, found.packages);
}

type FoundPackage = Readonly<{ catalog: ExtensionCatalog; content: PackageContent }>;

/**
 * The package in each catalog that has it. The first catalog that cannot be read fails
 * the whole resolution (§3).
 */
function packagesIn(
  catalogs: readonly ExtensionCatalog[],
  packageName: string,
  installed: InstalledRelease | VersionError | undefined,
): Readonly<{ packages: readonly FoundPackage[] }> | ResolutionFailure {
  const packages: FoundPackage[] = [];
  for (const catalog of catalogs) {
    if ('error' in catalog.content) {
      const where = `package ${goQuote(packageName)} from catalog ${goQuote(catalog.name)}`;
      return failed('CatalogNotServed', `error walking catalogs: error getting ${where}: ${catalog.content.error}`);
    }
    const content = catalog.content.package(packageName);
    if (content === undefined) continue;
    if (installed !== undefined && 'error' in installed) {
      const error = `error walking catalogs: error finding upgrade edges: ${installed.error}`;
      return failed('InvalidInstalledVersion', error);
    }
    packages.push({ catalog, content });
  }
  return { packages };
}

function choose(
  { query, installed: reported, majorUpdates }: ExtensionInput,
  constraint: MastermindsConstraint | undefined,
  installed: InstalledRelease | undefined,
  packages: readonly FoundPackage[],
): ExtensionResolution {
  const channels = new Set(query.channels);
  const rules: CandidateRule[] = [];
  if (channels.size > 0) rules.push(inAnyChannel(channels));
  if (constraint !== undefined) rules.push(inVersionRange(constraint));
  if (installed !== undefined) rules.push(reachableFrom(installed, channels));
  const contents = packages.map(({ content }) => content);
  const staysOnMajor = installed && majorRule(majorUpdates, installed, constraint, contents);
  const { candidates, passedOver } = bestOfEach(packages, all(rules), staysOnMajor);
  const heldBack = installed && highest(passedOver, installed);
  const current = withoutNeedlesslyDeprecated(candidates);
  const left = byPriority(current);
  const [winner] = left;
  if (winner === undefined || left.length > 1) {
    const names = left.map(({ catalog }) => catalog);
    const error = resolutionErrorText(query, reported, names);
    return failed(winner === undefined ? 'NotFound' : 'Ambiguous', withHeldBack(error, heldBack));
  }
  return validated(winner, current.at(-1)?.deprecation, heldBack);
}

/** Returns each catalog's best bundle, and those that would have been best but for their major version. */
function bestOfEach(
  packages: readonly FoundPackage[],
  isCandidate: CandidateRule,
  staysOnMajor: CandidateRule | undefined,
): Readonly<{ candidates: readonly CatalogCandidate[]; passedOver: readonly PackageBundle[] }> {
  const candidates: CatalogCandidate[] = [];
  const passedOver: PackageBundle[] = [];
  for (const { catalog, content } of packages) {
    const best = content.bundles.find(isCandidate);
    const bundle =
      staysOnMajor === undefined || best === undefined || staysOnMajor(best)
        ? best
        : content.bundles.find((one) => staysOnMajor(one) && isCandidate(one));
    if (best !== undefined && best !== bundle) passedOver.push(best);
    if (bundle === undefined) continue;
    candidates.push({ catalog: catalog.name, priority: catalog.priority, bundle, deprecation: content.deprecation });
  }
  return { candidates, passedOver };
}

/** Only the winner is validated, and there is no second best (§9). */
function validated(
  { bundle, catalog }: CatalogCandidate,
  deprecation: readonly DeprecationEntry[] | undefined,
  heldBack: HeldBack | undefined,
): ExtensionResolution {
  const { name, image, version, dependency } = bundle;
  const quoted = goQuote(name);
  if ('error' in version) {
    const error = `error getting resolved bundle version for bundle ${quoted}: ${version.error}`;
    return failed('InvalidBundleVersion', error);
  }
  if (dependency !== undefined) {
    const declared = `has a dependency declared via property ${goQuote(dependency)} which is currently not supported`;
    return failed('UnsupportedDependency', `validating bundle ${quoted}: bundle ${quoted} ${declared}`);
  }
  return { class: 'Resolved', name, image, version, catalog, deprecation, heldBack };
}

const failed = (failureClass: ResolutionFailureClass, error: string): ResolutionFailure => ({
  class: failureClass,
  error,
});

const withHeldBack = (error: string, heldBack: HeldBack | undefined): string =>
  heldBack === undefined ? error : `${error}. ${heldBackText(heldBack)}`;
