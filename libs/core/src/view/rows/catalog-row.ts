import type { EntryRecord, PackageRecord } from '../../catalog/model/package-record.js';
import { originOf, pollSchedule } from '../../classic/catalog-source/catalog-source-spec.js';
import { diagnoseCatalogSource } from '../../cluster/diagnosis/diagnose-catalog-source.js';
import { diagnoseConditions } from '../../cluster/diagnosis/diagnose-conditions.js';
import { named } from '../../cluster/diagnosis/diagnosis.js';
import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import type { ClusterCatalog } from '../../kernel/api/cluster-catalog.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { kubernetesTime } from '../../kernel/durations/kubernetes-time.js';
import { parseVersion } from '../../kernel/versions/blang-version.js';
import { compareVersions } from '../../kernel/versions/version.js';
import { rowCause, rowText } from './row-text.js';
import type { CatalogRow } from './rows.js';

/** A CatalogSource, and the poller's copy of its content. */
export type CatalogFacts = Readonly<{
  source: CatalogSource;
  /** The digest of the held content. Empty: nothing is held. */
  digest: string;
  packages: number;
  /** True if it is in the global catalog namespace. */
  isGlobal: boolean;
  /** The time of the next try after a failure. Empty: it did not fail. */
  nextTry: string;
  record: (packageName: string) => PackageRecord | undefined;
}>;

/** The newest bundle of a channel, or of the default one; empty: not known. */
export function newestBundle(catalog: CatalogFacts | undefined, packageName: string, channel: string): string {
  const record = catalog?.record(packageName);
  if (record === undefined) return '';
  const wanted = channel === '' ? record.defaultChannel : channel;
  const entries = record.entries.filter((entry) => entry.channel === wanted);
  const below = new Set(entries.flatMap(({ replaces, skips }) => [replaces, ...skips]));
  const heads = entries.filter(({ name }) => !below.has(name)).toSorted(byVersion);
  return heads.at(-1)?.name ?? '';
}

function byVersion(a: EntryRecord, b: EntryRecord): number {
  const [one, other] = [parseVersion(a.version), parseVersion(b.version)];
  if ('error' in one || 'error' in other) return byCodeUnit(a.version, b.version);
  return compareVersions(one, other);
}

/** The row of a CatalogSource. */
export function catalogSourceRow(cluster: string, facts: CatalogFacts, now: string): CatalogRow {
  const { source, digest, packages, nextTry, isGlobal } = facts;
  const { name = '', namespace = '' } = source.metadata;
  const { status } = source;
  const found = diagnoseCatalogSource(source);
  const cause = rowCause(found, named(source), [`${namespace}/${name}`]);
  const polledAt = status?.latestImageRegistryPoll ?? '';
  const everyMs = pollSchedule(source)?.everyMs;
  const due = everyMs === undefined || polledAt === '' ? '' : after(polledAt, everyMs);
  return {
    ...{ kind: 'catalog', id: `source/${namespace}/${name}`, cluster, namespace, name, updatedAt: now },
    ...(isGlobal && { global: true as const }),
    ...{ source: 'CatalogSource', image: contentOf(source), digest, packages, polledAt, nextAt: nextTry || due },
    state: rowText(status?.connectionState?.lastObservedState ?? status?.reason ?? ''),
    message: rowText(status?.message ?? ''),
    standing: found.standing,
    ...(cause !== undefined && { cause }),
  };
}

function contentOf(source: CatalogSource): string {
  const origin = originOf(source);
  if (origin.kind === 'image') return origin.image;
  if (origin.kind === 'grpc') return origin.address;
  return origin.kind === 'configMap' ? `ConfigMap ${origin.name}` : '';
}

const after = (time: string, ms: number): string => {
  const at = Date.parse(time);
  return Number.isNaN(at) ? '' : kubernetesTime(new Date(at + ms));
};

/** Returns the row of a ClusterCatalog. `packages`: 0 if they were not counted. */
export function clusterCatalogRow(cluster: string, catalog: ClusterCatalog, packages: number, now: string): CatalogRow {
  const { name = '' } = catalog.metadata;
  const { spec, status } = catalog;
  const found = diagnoseConditions(catalog);
  const cause = rowCause(found, named(catalog), [name]);
  const find = (type: string) => status?.conditions?.find((condition) => condition.type === type);
  const [serving, progressing] = [find('Serving'), find('Progressing')];
  const isServing = serving?.status === 'True';
  const digest = /sha256:[0-9a-f]{64}/.exec(status?.resolvedSource?.image?.ref ?? '')?.[0] ?? '';
  return {
    ...{ kind: 'catalog', id: `cluster-catalog/${name}`, cluster, namespace: '', name, updatedAt: now },
    ...{ source: 'ClusterCatalog', image: spec.source.image?.ref ?? '', digest, packages },
    state: rowText(isServing ? 'Serving' : (serving?.reason ?? progressing?.reason ?? '')),
    message: rowText(progressing?.status === 'True' && isServing ? '' : (progressing?.message ?? '')),
    polledAt: status?.lastUnpacked ?? '',
    nextAt: '',
    standing: found.standing,
    ...(cause !== undefined && { cause }),
  };
}
