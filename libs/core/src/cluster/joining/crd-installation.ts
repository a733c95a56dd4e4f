import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { canonicalJson } from '../../kernel/canonical/canonical-json.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { crdVersions, storedVersions } from '../../kernel/crd/crd-versions.js';
import { asList, asRecord } from '../../kernel/crd/loose-value.js';
import { flattenSchema } from '../../v1/crd-upgrade/flatten-schema.js';

/** The hub's action for one of its CustomResourceDefinitions in a cluster. */
export type CrdInstallation =
  | Readonly<{ do: 'install' | 'upgrade' | 'nothing' }>
  /** The cluster's definition has parts that the hub's one lacks. `because` names some of them. */
  | Readonly<{ do: 'leave'; because: string }>;

const NOTHING: CrdInstallation = { do: 'nothing' };
const NAMED = 3;

/**
 * Decides if the hub's definition replaces the live one. An upgrade only ever adds. The hub's definition must
 * have a version or a field that the live one lacks. It must also have all versions and fields of the live
 * one, including the stored versions. A newer live definition, or a user's own, stays. One that differs only
 * in texts and checks stays, too, so that two hubs do not overwrite each other. The conversion of the live
 * definition stays: the hub's one has none. Throws `SchemaTooDeep`.
 */
export function crdInstallation(live: KubernetesObject | undefined, ours: KubernetesObject): CrdInstallation {
  if (live === undefined) return { do: 'install' };
  if (live.metadata.deletionTimestamp !== undefined) return { do: 'leave', because: 'it is being deleted' };
  if (sameJson(asRecord(live['spec'])['versions'], asRecord(ours['spec'])['versions'])) return NOTHING;
  const lost = lacking(ours, live);
  const gained = lacking(live, ours);
  if (lost.length === 0) return gained.length > 0 ? { do: 'upgrade' } : NOTHING;
  const without = gained.length === 0 ? '' : `; it stays without ${named(gained)} of the hub's definition`;
  return { do: 'leave', because: `it has parts that the hub's definition does not have: ${named(lost)}${without}` };
}

/**
 * Returns the parts of `full` that `other` lacks: versions that are served or stored, and fields of versions.
 */
function lacking(other: KubernetesObject, full: KubernetesObject): string[] {
  const there = new Map(crdVersions(other).map((version) => [version.name, version]));
  const stored = storedVersions(full).filter((name) => !there.has(name));
  const parts = crdVersions(full).flatMap((version) => {
    const twin = there.get(version.name);
    if (twin === undefined || (version.served && !twin.served)) return [`version ${version.name}`];
    return lackingFields(twin.schema, version.schema).map((path) => `${version.name}${path.slice(1)}`);
  });
  return [...new Set([...stored.map((name) => `stored version ${name}`), ...outermost(parts)])];
}

/** Removes fields inside of a field that is already named. */
const outermost = (paths: readonly string[]): string[] =>
  paths.filter((path) => !paths.some((other) => path !== other && /^[.[]/.test(withoutPrefix(path, other))));

const withoutPrefix = (path: string, prefix: string): string =>
  path.startsWith(prefix) ? path.slice(prefix.length) : '';

function lackingFields(other: unknown, full: unknown): string[] {
  const there = flattenSchema(other);
  return [...flattenSchema(full)].flatMap(([path, schema]) => {
    const twin = there.get(path);
    if (twin === undefined) return [path];
    const kept = 'x-kubernetes-preserve-unknown-fields';
    if (schema[kept] === true && twin[kept] !== true) return [`${path} (unknown fields)`];
    return lackingValues(twin['enum'], schema['enum']) ? [`${path} (values)`] : [];
  });
}

/** True if `full` allows a value that `other` does not. Without a list all values are allowed. */
function lackingValues(other: unknown, full: unknown): boolean {
  const allowed = new Set(asList(other).map((value) => canonicalJson(value)));
  if (allowed.size === 0) return false;
  const wanted = asList(full);
  return wanted.length > 0 && wanted.some((value) => !allowed.has(canonicalJson(value)));
}

const named = (lost: readonly string[]): string =>
  lost.length > NAMED ? `${lost.slice(0, NAMED).join(', ')} and ${lost.length - NAMED} more` : lost.join(', ');
