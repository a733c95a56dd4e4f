import { type KubernetesObject, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { isRecord } from '#core/kernel/json/json-access';
import { ownsOnly } from './owned-fields.js';

/**
 * True if a JSON merge patch (RFC 7386) would change anything in `target`. A resourceVersion in it is a lock,
 * no change.
 */
export function patchWouldChange(target: KubernetesObject, patch: Readonly<Record<string, unknown>>): boolean {
  const metadata = patch['metadata'];
  if (!isRecord(metadata)) return mergeWouldChange(target, patch);
  const { resourceVersion, uid, ...changes } = metadata;
  return mergeWouldChange(target, { ...patch, metadata: changes });
}

function mergeWouldChange(target: unknown, patch: unknown): boolean {
  if (!isRecord(patch)) return !sameJson(target ?? null, patch ?? null);
  if (!isRecord(target)) return true;
  return Object.entries(patch).some(([key, value]) =>
    value === null ? target[key] !== undefined && target[key] !== null : mergeWouldChange(target[key], value),
  );
}

/**
 * True if a server-side apply could change anything: a field of it differs, or the manager owns a field that
 * is no longer in it. True also if `live` does not show the owners of its fields.
 */
export function applyWouldChange(live: KubernetesObject, applied: KubernetesObject, manager: string): boolean {
  const dropped = isOfApiServer(applied) ? isDropped : () => false;
  return !(covers(live, applied, dropped) && ownsOnly(live, applied, manager));
}

/** True if the API server does not store a field with this value. */
type Dropped = (field: string, value: unknown) => boolean;

/** Every field of `wanted` that is stored is in `live` with that value; lists must match item by item. */
function covers(live: unknown, wanted: unknown, dropped: Dropped): boolean {
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(live) &&
      live.length === wanted.length &&
      wanted.every((item, index) => covers(live[index], item, dropped))
    );
  }
  if (!isRecord(wanted)) return sameJson(live ?? null, wanted ?? null);
  return (
    isRecord(live) &&
    Object.entries(wanted).every(
      ([key, value]) =>
        value === undefined ||
        ((live[key] ?? null) === null && dropped(key, value)) ||
        covers(live[key], value, JSON_VALUES.has(key) ? () => false : dropped),
    )
  );
}

const API_SERVER_GROUPS: ReadonlySet<string> = new Set([
  ...['admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'coordination.k8s.io'],
  ...['discovery.k8s.io', 'flowcontrol.apiserver.k8s.io', 'networking.k8s.io', 'node.k8s.io'],
  ...['rbac.authorization.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io'],
]);

/**
 * True for the API server's own kinds: it decodes them. Custom resources have groups with a dot, and are
 * stored as they come.
 */
function isOfApiServer({ apiVersion }: KubernetesObject): boolean {
  const { group } = splitApiVersion(apiVersion);
  return !group.includes('.') || API_SERVER_GROUPS.has(group);
}

/** Maps of texts and quantities. An empty map of another name may be a structure: the server stores it. */
const PLAIN_MAPS: ReadonlySet<string> = new Set([
  ...['annotations', 'binaryData', 'data', 'labels', 'limits', 'matchLabels', 'nodeSelector', 'requests'],
]);
/** Fields of a CustomResourceDefinition with any JSON, stored as it comes. */
const JSON_VALUES: ReadonlySet<string> = new Set(['default', 'enum', 'example']);

/** Empty lists and empty maps of texts are not stored. */
const isDropped: Dropped = (field, value) =>
  Array.isArray(value)
    ? value.length === 0 && !JSON_VALUES.has(field)
    : PLAIN_MAPS.has(field) && isRecord(value) && Object.keys(value).length === 0;
