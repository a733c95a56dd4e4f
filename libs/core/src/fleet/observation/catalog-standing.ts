import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';

/**
 * What of a CatalogSource matters to whoever sees it: its spec and whether it serves. Two equal texts: nobody
 * needs to look again, though the time of its last poll moved.
 */
export const catalogStanding = ({ metadata, spec, status }: CatalogSource): string =>
  canonicalJson({
    uid: metadata.uid,
    deleting: metadata.deletionTimestamp !== undefined,
    spec,
    reason: status?.reason,
    state: status?.connectionState?.lastObservedState,
    address: status?.connectionState?.address,
  });
