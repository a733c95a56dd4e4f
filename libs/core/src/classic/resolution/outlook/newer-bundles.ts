import type { CatalogKey, PackageRecord } from '../../../catalog/model/package-record.js';
import { byCodeUnit } from '../../../kernel/canonical/canonical-json.js';
import { parseTolerant } from '../../../kernel/versions/blang-version.js';
import { compareVersions, type Version } from '../../../kernel/versions/version.js';
import { type IndexedCatalog, isVisible } from '../problem/catalog-slice.js';
import type { DesiredNamespace, DesiredSubscription } from '../problem/resolution-problem.js';

/** A bundle by its version, with the channels it is in. */
export type NewerVersion = Readonly<{
  name: string;
  version: string;
  catalog: CatalogKey;
  channels: readonly string[];
}>;

/**
 * Bundles of the Subscription's package above a version, or all of them, in every catalog that the namespace
 * sees: the Subscription's own first, newest first in each. Versions are compared as people do; the
 * solver itself never does.
 */
export function newerReleases(
  desired: DesiredSubscription,
  than: Version | undefined,
  desiredNamespace: DesiredNamespace,
  catalogs: readonly IndexedCatalog[],
): NewerVersion[] {
  const isOwn = ({ key }: IndexedCatalog) => isSource(desired, key);
  return catalogs
    .filter(({ key }) => isVisible(key, desiredNamespace))
    .toSorted(
      (a, b) =>
        Number(isOwn(b)) - Number(isOwn(a)) ||
        byCodeUnit(a.key.namespace, b.key.namespace) ||
        byCodeUnit(a.key.name, b.key.name),
    )
    .flatMap(({ key, index }) => {
      const record = index?.package(desired.package)?.record;
      return record === undefined ? [] : releasesAbove(than, record, key);
    });
}

export const isSource = (desired: DesiredSubscription, { namespace, name }: CatalogKey): boolean =>
  desired.source === name && desired.sourceNamespace === namespace;

function releasesAbove(than: Version | undefined, { entries }: PackageRecord, catalog: CatalogKey): NewerVersion[] {
  const byName = Map.groupBy(entries, ({ name }) => name);
  return [...byName]
    .flatMap(([name, [first, ...others]]) => {
      const version = parseTolerant(first?.version ?? '');
      if (first === undefined || 'error' in version) return [];
      if (than !== undefined && compareVersions(version, than) <= 0) return [];
      const channels = [first, ...others].map(({ channel }) => channel).sort(byCodeUnit);
      return [{ parsed: version, release: { name, version: first.version, catalog, channels } }];
    })
    .sort((a, b) => compareVersions(b.parsed, a.parsed) || byCodeUnit(a.release.name, b.release.name))
    .map(({ release }) => release);
}
