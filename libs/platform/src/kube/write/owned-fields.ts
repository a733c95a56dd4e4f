import { z } from 'zod';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { isRecord } from '#core/kernel/json/json-access';

const ManagedFields = z.array(
  z.looseObject({
    manager: z.string().optional(),
    operation: z.string().optional(),
    subresource: z.string().optional(),
    fieldsV1: z.unknown(),
  }),
);

/** Identity fields are in every applied object, and no manager owns them. */
const UNOWNED = new Set(['apiVersion', 'kind']);

/**
 * True if `manager` owns, by its server-side applies, exactly the fields that are in `applied`. False if it
 * owns nothing yet (the apply would take ownership) or if `live` carries no managedFields.
 */
export function ownsOnly(live: KubernetesObject, applied: KubernetesObject, manager: string): boolean {
  const entries = ManagedFields.safeParse(live.metadata['managedFields']).data ?? [];
  const own = entries.find(
    (entry) => entry.manager === manager && entry.operation === 'Apply' && (entry.subresource ?? '') === '',
  );
  const wanted = Object.fromEntries(Object.entries(applied).filter(([key]) => !UNOWNED.has(key)));
  const { name, namespace, resourceVersion, uid, managedFields, ...metadata } = applied.metadata;
  return own !== undefined && matches(own.fieldsV1, { ...wanted, metadata });
}

/**
 * The field set and the value name the same fields. Format: structured-merge-diff's FieldsV1
 * (`f:`, `k:`, `v:`, `.`).
 */
function matches(fields: unknown, value: unknown): boolean {
  const owned = isRecord(fields) ? fields : {};
  const children = Object.entries(owned).filter(([key]) => key !== '.');
  if (Array.isArray(value)) return matchesList(children, value);
  // A leaf, or a map or list that is owned as one (atomic).
  if (children.length === 0) return true;
  if (!isRecord(value)) return false;
  const named = Object.keys(value).filter((key) => value[key] !== undefined);
  return (
    named.every((key) => isEmpty(value[key]) || Object.hasOwn(owned, `f:${key}`)) &&
    children.every(([child, below]) => {
      const key = child.slice(2);
      return child.startsWith('f:') && value[key] !== undefined && matches(below, value[key]);
    })
  );
}

function matchesList(children: readonly [string, unknown][], items: readonly unknown[]): boolean {
  if (children.length === 0) return true;
  if (children.length !== items.length) return false;
  return children.every(([child, below]) => {
    const key = parse(child.slice(2));
    if (child.startsWith('v:')) return items.some((item) => canonicalJson(item ?? null) === canonicalJson(key ?? null));
    const item = items.find((candidate) => hasKeys(candidate, key));
    return child.startsWith('k:') && item !== undefined && matches(below, item);
  });
}

/**
 * True if the item has the keys. List keys that the server defaulted (a port's protocol) may be missing in
 * the applied object.
 */
function hasKeys(item: unknown, key: unknown): boolean {
  if (!isRecord(item) || !isRecord(key)) return false;
  return Object.entries(key).every(([name, value]) => item[name] === undefined || item[name] === value);
}

/** True for an empty map or list. The server records no ownership of its content. */
const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
