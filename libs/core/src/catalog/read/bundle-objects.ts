import { base64, GoTypeError, struct } from '../../kernel/json/go-json.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { CatalogBundle } from '../model/catalog.js';
import { BlobError } from '../model/catalog-load.error.js';
import { parseJsonOrYaml } from './json-or-yaml.js';

const bundleObject = struct('property.bundleObject', (field) => ({ data: field('data', base64) }));

/**
 * Returns the bundle with its inline manifests decoded (spec: file-based-catalogs.md §1.3). Throws
 * {@link BlobError}.
 */
export function readBundleObjects(bundle: CatalogBundle): CatalogBundle {
  if (!bundle.properties.some(({ type }) => type === 'olm.bundle.object')) return bundle;
  const where = `read bundle objects: package ${goQuote(bundle.package)}, bundle ${goQuote(bundle.name)}`;
  const objects = bundle.properties.flatMap(({ type, value }, index) => {
    if (type !== 'olm.bundle.object') return [];
    const object = decodeObject(value, index, where);
    // A text or a list is no manifest: it stays, without a kind, and an install refuses it by name.
    return [isRecord(object) ? object : {}];
  });
  return { ...bundle, objects };
}

function decodeObject(value: unknown, index: number, where: string): unknown {
  let data: Uint8Array | null;
  try {
    if (value === undefined) throw new GoTypeError('unexpected end of JSON input');
    ({ data } = bundleObject(value, { struct: '', path: '' }));
  } catch (error) {
    if (!(error instanceof GoTypeError)) throw error;
    throw new BlobError(`${where}: parse property at index ${index} as bundle object: ${error.message}`);
  }
  try {
    return parseJsonOrYaml(data ?? new Uint8Array());
  } catch (error) {
    if (!(error instanceof BlobError)) throw error;
    throw new BlobError(`${where}: convert bundle object property at index ${index} to JSON: ${error.olmText}`);
  }
}
