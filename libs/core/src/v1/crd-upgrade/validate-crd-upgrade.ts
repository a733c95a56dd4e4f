import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit } from '../../kernel/canonical/canonical-json.js';
import { type CrdVersion, convertsByWebhook, crdVersions, storedVersions } from '../../kernel/crd/crd-versions.js';
import { asRecord, asText } from '../../kernel/crd/loose-value.js';
import { goQuote } from '../../kernel/versions/go-quote.js';
import { compareVersionSchemas } from './compare-versions.js';
import { flattenSchema } from './flatten-schema.js';
import { byKubeVersion } from './kube-version-order.js';

/**
 * A change of a CRD that OLM v1 does not allow. `where` is `crd`, a version (`v1`) or two served ones
 * (`v1 -> v2`). `property` is the path in the schema, with `^` as the root.
 */
export type CrdViolation = Readonly<{
  where: string;
  property?: string;
  check: string;
  message: string;
  /** The version that lost a field. */
  version?: string;
}>;

/**
 * Runs OLM v1's upgrade safety checks of a CRD that will replace the one in the cluster (spec:
 * v1-crd-safety.md). They cover the whole CRD, each version against its own successor, and served versions
 * against each other. Returns violations sorted by their text; none: the upgrade is safe. Without a CRD in
 * the cluster there is nothing to break. Throws `SchemaTooDeep`.
 */
export function validateCrdUpgrade(current: KubernetesObject | undefined, next: KubernetesObject): CrdViolation[] {
  if (current === undefined) return [];
  const violations = [
    ...scopeViolations(current, next),
    ...storedVersionViolations(current, next),
    ...removedFields(current, next),
    ...sameVersionViolations(current, next),
    ...servedVersionViolations(current, next),
  ];
  return violations.sort((a, b) => byCodeUnit(violationText(a), violationText(b)));
}

/** The line OLM v1 prints for it. */
export const violationText = ({ where, property, check, message }: CrdViolation): string =>
  where === 'crd' ? `${check}: ${message}` : `${where}: ${property}: ${check}: ${message}`;

function scopeViolations(current: KubernetesObject, next: KubernetesObject): CrdViolation[] {
  const [old, now] = [current, next].map((crd) => asText(asRecord(crd['spec'])['scope']));
  if (old === now) return [];
  return [{ where: 'crd', check: 'scope', message: `scope changed : ${goQuote(old ?? '')} -> ${goQuote(now ?? '')}` }];
}

function storedVersionViolations(current: KubernetesObject, next: KubernetesObject): CrdViolation[] {
  const kept = new Set(crdVersions(next).map(({ name }) => name));
  const removed = storedVersions(current).filter((version) => !kept.has(version));
  if (removed.length === 0) return [];
  const message = `stored versions removed : [${removed.join(' ')}]`;
  return [{ where: 'crd', check: 'storedVersionRemoval', message }];
}

function removedFields(current: KubernetesObject, next: KubernetesObject): CrdViolation[] {
  return inBoth(current, next).flatMap(([old, now]) => {
    const left = flattenSchema(now.schema);
    return [...flattenSchema(old.schema).keys()]
      .filter((property) => !left.has(property))
      .map((property) => ({
        where: 'crd',
        check: 'existingFieldRemoval',
        message: `removed field : ${now.name}.${property}`,
        version: now.name,
        property,
      }));
  });
}

const sameVersionViolations = (current: KubernetesObject, next: KubernetesObject): CrdViolation[] =>
  inBoth(current, next).flatMap(([old, now]) =>
    compareVersionSchemas(old, now).map(({ violation }) => ({ where: now.name, ...violation })),
  );

function inBoth(current: KubernetesObject, next: KubernetesObject): (readonly [CrdVersion, CrdVersion])[] {
  const later = new Map(crdVersions(next).map((version) => [version.name, version]));
  return crdVersions(current).flatMap((old) => {
    const now = later.get(old.name);
    return now === undefined ? [] : [[old, now] as const];
  });
}

/**
 * A webhook may convert anything. Without one, served versions must agree, except if they already did not.
 */
function servedVersionViolations(current: KubernetesObject, next: KubernetesObject): CrdViolation[] {
  if (convertsByWebhook(next)) return [];
  const known = new Set(betweenServed(current).map(({ identity }) => identity));
  return betweenServed(next)
    .filter(({ identity }) => !known.has(identity))
    .map(({ violation }) => violation);
}

function betweenServed(crd: KubernetesObject): Readonly<{ violation: CrdViolation; identity: string }>[] {
  const served = crdVersions(crd)
    .filter((version) => version.served)
    .sort((a, b) => byKubeVersion(a.name, b.name));
  return served.flatMap((older, index) => served.slice(index + 1).flatMap((newer) => betweenTwo(older, newer)));
}

const betweenTwo = (older: CrdVersion, newer: CrdVersion) =>
  compareVersionSchemas(older, newer).map(({ violation, identity }) => {
    const where = `${older.name} -> ${newer.name}`;
    return { violation: { where, ...violation }, identity: `${where}: ${identity}` };
  });
