import { isRecord } from '../../kernel/json/json-access.js';

/**
 * Fills what OLM's reader does not insist on: a manifest without apiVersion is carried along (with an empty
 * one) and refused by the cluster, and `metadata: null` is empty metadata.
 */
export function completedManifest(value: unknown): unknown {
  if (!isRecord(value)) return value;
  return { ...value, apiVersion: value['apiVersion'] ?? '', metadata: value['metadata'] ?? {} };
}
