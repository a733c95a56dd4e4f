/**
 * Fills what OLM's reader does not insist on: a manifest without apiVersion is carried along (with an empty one) and
 * refused by the cluster, and `metadata: null` is empty metadata.
 */
export function completedManifest(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  const metadata = 'metadata' in value ? value.metadata : undefined;
  const apiVersion = 'apiVersion' in value ? value.apiVersion : undefined;
  return { ...value, apiVersion: apiVersion ?? '', metadata: metadata ?? {} };
}
