import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import type { Catalog } from '../model/catalog.js';
import { textField } from '../strict/text-field.js';

type Blobs = Omit<Catalog, 'starts'>;
type Part = { -readonly [K in keyof Blobs]: Blobs[K][number][] };

/**
 * Splits a catalog by package name, sorted. Blobs without a package stand under the empty name (spec:
 * file-based-catalogs.md §4). Nothing is checked.
 */
export function splitByPackage(catalog: Catalog): Map<string, Catalog> {
  const parts = new Map<string, Part>();
  const partOf = (name: string): Part => {
    const known = parts.get(name);
    if (known) return known;
    const part: Part = { packages: [], channels: [], bundles: [], deprecations: [], others: [] };
    parts.set(name, part);
    return part;
  };
  for (const blob of catalog.packages) partOf(blob.name).packages.push(blob);
  for (const blob of catalog.channels) partOf(blob.package).channels.push(blob);
  for (const blob of catalog.bundles) partOf(blob.package).bundles.push(blob);
  for (const blob of catalog.deprecations) partOf(blob.package).deprecations.push(blob);
  for (const blob of catalog.others) partOf(textField(blob, 'package')).others.push(blob);
  return new Map([...parts].sort(([a], [b]) => byCodeUnit(a, b)));
}
