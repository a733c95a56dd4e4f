import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import type { InstalledBundle } from '../revision/installed-revision.js';
import type { CatalogQuery } from './catalog-query.js';

/**
 * OLM v1's sentence for none, or too many, bundles found (spec: v1-resolution.md, "Resolution error text").
 */
export function resolutionErrorText(
  { packageName, version, channels }: CatalogQuery,
  installed: InstalledBundle | undefined,
  catalogsLeft: readonly string[],
): string {
  const several = catalogsLeft.length > 1;
  const catalogs = catalogsLeft.toSorted(byCodeUnit).join(' ');
  return [
    installed === undefined ? '' : `error upgrading from currently installed version ${goQuote(installed.version)}:`,
    `${several ? 'found' : 'no'} bundles${several ? '' : ' found'} for package ${goQuote(packageName)}`,
    version === undefined || version === '' ? '' : `matching version ${goQuote(version)}`,
    channels === undefined || channels.length === 0 ? '' : `in channels [${channels.join(' ')}]`,
    several ? `in multiple catalogs with the same priority [${catalogs}]` : '',
  ]
    .filter((part) => part !== '')
    .join(' ');
}
