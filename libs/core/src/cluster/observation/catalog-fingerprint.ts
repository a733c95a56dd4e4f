import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';

/**
 * Returns the parts of a CatalogSource that matter to the namespaces that see it: its spec, and if it serves.
 * If two texts are equal, no pass is due, even if the time of the last poll changed.
 */
export const catalogFingerprint = ({ metadata, spec, status }: CatalogSource): string =>
  canonicalJson({
    uid: metadata.uid,
    deleting: metadata.deletionTimestamp !== undefined,
    spec,
    reason: status?.reason,
    state: status?.connectionState?.lastObservedState,
    address: status?.connectionState?.address,
  });
