import { loadCatalog } from '#core/catalog/load/load-catalog';
import { packageRecords } from '#core/catalog/load/package-records';
import type { PackageRecord } from '#core/catalog/model/package-record';
import { originOf } from '#core/classic/catalog-source/catalog-source-spec';
import { CatalogSource } from '#core/kernel/api/catalog-source';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import type { CatalogQuestion } from '#core/view/questions/console-question';
import { isDigest } from '#platform/content/digest';
import type { MetasContent } from '#platform/metas/metas-content';
import type { SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import type { LoadedCatalog } from '../../catalogs/contents/catalog-contents.js';
import type { ObservedParts } from '../observed-fleet.js';

/** One content, as it is read for a page. */
export type ReadableContent = Readonly<{
  /** Sorted. */
  names: () => Promise<readonly string[]>;
  record: (name: string) => Promise<PackageRecord | undefined>;
  /** Its blobs. Absent for bundles that a ConfigMap or a registry server lists. */
  blobs: MetasContent | undefined;
  release: () => void;
}>;

/** Returns the content that a question names, if the hub holds it for that catalog now. */
export async function contentInSight(
  parts: Pick<ObservedParts, 'classic' | 'v1'>,
  question: CatalogQuestion,
  metas: SharedMetas,
): Promise<ReadableContent | undefined> {
  const { namespace, name, digest } = question;
  if (question.source === 'ClusterCatalog') {
    const found = parts.v1.catalogs.all().find(({ catalog }) => catalog.metadata.name === name);
    const ref = found?.catalog.status?.resolvedSource?.image?.ref ?? '';
    if (found?.served === undefined || !ref.endsWith(`@${digest}`)) return undefined;
    return ofBlobs(found.served.content);
  }
  const refresh = parts.classic.catalogs
    .all()
    .find(({ source: { metadata } }) => metadata.namespace === namespace && metadata.name === name);
  const loaded = refresh?.loaded;
  const source = CatalogSource.safeParse(refresh?.source).data;
  if (loaded === undefined || loaded.digest !== digest || source === undefined) return undefined;
  return ofIndex(loaded, originOf(source).kind === 'image', metas);
}

async function ofIndex(loaded: LoadedCatalog, inImage: boolean, metas: SharedMetas): Promise<ReadableContent> {
  const lease = inImage && isDigest(loaded.content) ? await metas.acquire(loaded.content) : undefined;
  return {
    names: async () => loaded.index.names,
    record: async (name) => loaded.index.package(name)?.record,
    blobs: lease?.content,
    release: lease?.release ?? (() => undefined),
  };
}

const linesOf = (pieces: readonly Uint8Array[]): string[] =>
  Buffer.concat(pieces)
    .toString()
    .split('\n')
    .filter((line) => line !== '');

function ofBlobs(blobs: MetasContent): ReadableContent {
  return {
    names: async () => {
      const lines = linesOf(await blobs.readTogether(blobs.index.find({ schema: 'olm.package' })));
      const names = lines.map((line) => String(JSON.parse(line).name));
      return [...new Set(names)].sort(byCodeUnit);
    },
    record: async (name) => {
      const ranges = [{ schema: 'olm.package', name }, { package: name }].flatMap((query) => blobs.index.find(query));
      if (ranges.length === 0) return undefined;
      const bytes = Buffer.concat(await blobs.readTogether(ranges));
      const catalog = loadCatalog([{ path: `${name}.json`, bytes }]);
      return packageRecords(catalog, (bundle) => bundle.name).find((record) => record.name === name);
    },
    blobs,
    release: () => undefined,
  };
}
