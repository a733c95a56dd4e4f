import type { CatalogSource } from '../../kernel/api/catalog-source.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';

/**
 * What of a CatalogSource matters to the namespaces that see it: its spec and whether it serves. Where two
 * texts are equal no pass is due, though the time of the last poll moved.
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
