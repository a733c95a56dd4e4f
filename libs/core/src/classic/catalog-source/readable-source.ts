import { CATALOG_SOURCE_API, CatalogSource } from '../../kernel/api/catalog-source.js';
import { readForeign } from '../../kernel/verdict/read-foreign.js';
import { unreadableSpec } from '../../kernel/verdict/unreadable-spec.js';

/**
 * Returns the source with a spec of the declared types. A missing spec has Go's zero values. A spec of other
 * types becomes an empty one with its problem; only a CRD that is not OLM's lets one through.
 */
export function readableSource(source: CatalogSource): CatalogSource {
  const spec: unknown = source.spec ?? {};
  const read = readForeign(CatalogSource, { ...CATALOG_SOURCE_API, metadata: source.metadata, spec });
  if ('problem' in read) return { ...source, spec: unreadableSpec({ sourceType: '' }, read.problem) };
  const isWhole = typeof Object(source.spec).sourceType === 'string';
  return isWhole ? source : { ...source, spec: read.value.spec };
}
