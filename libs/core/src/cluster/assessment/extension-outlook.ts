import { type ExtensionInput, followsEdges } from '../../v1/extension/catalog-query.js';
import { explainExtension } from '../../v1/extension/explain-extension.js';
import { resolveExtension } from '../../v1/extension/resolve-extension.js';
import { readInstalled } from '../../v1/extension/successors.js';
import {
  compareVersionReleases,
  formatLegacyVersion,
  type VersionRelease,
} from '../../v1/extension/version-release.js';
import type { InstalledBundle } from '../../v1/revision/installed-revision.js';
import type { UpgradeOutlookOfOperator } from './assessment.js';

/** More steps than any real package has; a catalog may hold edges in a circle. */
const MOST_STEPS = 200;

type ExtensionOutlook = Omit<UpgradeOutlookOfOperator, 'deprecations'>;

/**
 * Returns the upgrade path of a ClusterExtension to the newest bundle of its package: the bundles that its
 * spec leads through, and the first rule that blocks the newest one (spec: v1-resolution.md, "Steps").
 */
export const extensionOutlook = (input: ExtensionInput): ExtensionOutlook => outlookAfter([], input);

function outlookAfter(hops: readonly string[], input: ExtensionInput): ExtensionOutlook {
  const { installed, query } = input;
  const resolution = resolveExtension(input);
  const { passedOver, catalogs } = explainExtension(input, resolution);
  const [newer] = passedOver;
  if (resolution.class !== 'Resolved') {
    const why = newer?.because ?? withoutContent(input, catalogs, resolution.error);
    return { newest: newer?.name ?? '', hops, noWay: comesAsFarAs(hops, why) };
  }
  const { name, version } = resolution;
  const isUpgrade = installed !== undefined && !isVersionOf(installed, version);
  const taken = isUpgrade ? [...hops, name] : hops;
  if (isUpgrade && followsEdges(query) && taken.length < MOST_STEPS) {
    return outlookAfter(taken, { ...input, installed: { name, version: formatLegacyVersion(version) } });
  }
  const noWay = newer === undefined ? '' : comesAsFarAs(taken, newer.because);
  return { newest: newer?.name ?? (isUpgrade ? name : (installed?.name ?? name)), hops: taken, noWay };
}

function isVersionOf(installed: InstalledBundle, version: VersionRelease): boolean {
  const read = readInstalled(installed);
  return !('error' in read) && compareVersionReleases(version, read.version) === 0;
}

function withoutContent(
  { query }: ExtensionInput,
  catalogs: readonly Readonly<{ name: string; because: string }>[],
  error: string,
): string {
  if (catalogs.length === 0) return error;
  const all = catalogs.map(({ name, because }) => `${name}: ${because}`).join('; ');
  return `no ClusterCatalog offers a newer version of ${query.packageName} (${all})`;
}

const comesAsFarAs = (hops: readonly string[], because: string): string =>
  hops.length === 0 ? because : `the upgrade path ends at ${hops.at(-1)}: ${because}`;
