import { createHash } from 'node:crypto';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { API_KINDS, type FleetObject } from '#core/kernel/api/fleet/fleet-kinds';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import { subdomainProblems } from '#core/kernel/labels/label-syntax';
import { readFleetObject } from '#core/rollout/kinds/read-fleet-object';
import type { Manifest } from '../../files/manifest-text.js';
import { checkedObject } from '../objects/checked-object.js';
import { tableKey } from '../objects/object-table.js';

/** Objects that people wrote, by name. `problems`: with the place. */
export type WrittenObjects = Readonly<{
  objects: ReadonlyMap<string, KubernetesObject>;
  problems: readonly string[];
  /** Objects without effect in their place. */
  notes?: readonly string[];
}>;

/** Annotation on a decision of a folder: nothing has checked that its author is the person named. */
export const VERIFIED_ANNOTATION = 'fleet.flotilla.dev/verified';
const DECISION = 'FleetDecision';
const MISPLACED = 'has no effect outside of decisions/: move its file there';
const NEEDS_API =
  'spec.access.secretRef needs an API server as the hub: a fleet in files has no Secrets, use spec.access.context';

const kindNeedsApi = (kind: string): string =>
  `a ${kind} needs an API server as the hub: a fleet in files has no Secrets to refer to`;

/** The objects that people write, checked as an API server with the CRDs checks them. */
export function writtenObjects(
  manifests: readonly Manifest[],
  before: (ref: ObjectRef) => KubernetesObject | undefined,
): WrittenObjects {
  const notes = manifests
    .filter(({ object }) => object.apiVersion === FLEET_API && object.kind === DECISION)
    .map(({ object, where }) => `${where}: ${DECISION} ${object.metadata.name} ${MISPLACED}`);
  const found = gathered(manifests, (manifest) => {
    const read = readFleetObject(manifest.object, before(refTo(manifest.object)) as FleetObject | undefined);
    if (manifest.object.kind in API_KINDS && 'other' in read) return { problem: kindNeedsApi(manifest.object.kind) };
    if ('other' in read) return undefined;
    if ('problem' in read) return read;
    const { object } = read;
    if (object.kind === 'FleetCluster' && object.spec.access.context === undefined) return { problem: NEEDS_API };
    return { object };
  });
  return { ...found, notes };
}

/** Reads the decisions of a folder. A file's own claim that it was checked counts for nothing. */
export function decisionObjects(
  manifests: readonly Manifest[],
  before: (ref: ObjectRef) => KubernetesObject | undefined,
): WrittenObjects {
  return gathered(manifests, ({ object }) => {
    if (object.apiVersion !== FLEET_API || object.kind !== DECISION)
      return { problem: `${object.kind} is not a ${DECISION}` };
    const annotations = { ...object.metadata.annotations, [VERIFIED_ANNOTATION]: 'false' };
    const { status: _status, ...rest } = object;
    const unverified = { ...rest, metadata: { ...object.metadata, annotations } } as KubernetesObject;
    return checkedObject(unverified, before(refTo(object)));
  });
}

type ReadOne = Readonly<{ object: KubernetesObject } | { problem: string }> | undefined;

function gathered(manifests: readonly Manifest[], read: (manifest: Manifest) => ReadOne): WrittenObjects {
  const objects = new Map<string, KubernetesObject>();
  const places = new Map<string, string>();
  const problems: string[] = [];
  for (const manifest of manifests) {
    const { where } = manifest;
    const one = read(manifest);
    if (one === undefined) continue;
    if ('problem' in one) {
      problems.push(`${where}: ${one.problem}`);
      continue;
    }
    const { kind, metadata } = one.object;
    const key = tableKey(refTo(one.object));
    const earlier = places.get(key);
    if (earlier !== undefined) {
      const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
      problems.push(`${where}: ${kind} ${name} exists already in ${earlier}`);
    }
    places.set(key, where);
    objects.set(key, one.object);
  }
  return { objects, problems };
}

/** A cluster that was named elsewhere and has no file: one without labels. */
export function unlabelledCluster(context: string): KubernetesObject | undefined {
  if (subdomainProblems(context).length > 0) return undefined;
  const written = {
    apiVersion: FLEET_API,
    kind: 'FleetCluster',
    metadata: { name: context },
    spec: { access: { context } },
  };
  const read = readFleetObject(written);
  return 'object' in read ? read.object : undefined;
}

/**
 * Returns an object of people with the fields of an API server: the kept ones, otherwise initial ones. Its
 * UID follows from its name, so it stays the same object when the kept part is deleted.
 */
export function heldObject(
  written: KubernetesObject,
  kept: KubernetesObject | undefined,
  now: string,
): KubernetesObject {
  const { name, namespace, labels, annotations, creationTimestamp } = written.metadata;
  const isSameSpec = sameJson(kept?.['spec'], JSON.parse(JSON.stringify(written['spec'])));
  const generation = (kept?.metadata.generation ?? 0) + (isSameSpec ? 0 : 1);
  const finalizers = kept?.metadata.finalizers;
  const metadata = {
    ...{ name, namespace, labels, annotations, generation, finalizers },
    uid: uidOf(refTo(written)),
    creationTimestamp: kept?.metadata.creationTimestamp ?? creationTimestamp ?? now,
  };
  const { apiVersion, kind } = written;
  const status = kept?.['status'];
  return JSON.parse(JSON.stringify({ apiVersion, kind, metadata, spec: written['spec'], status })) as KubernetesObject;
}

const UUID_PARTS = [8, 12, 16, 20, 32];

function uidOf(ref: ObjectRef): string {
  const digest = createHash('sha256').update(tableKey(ref)).digest('hex');
  return UUID_PARTS.map((end, at) => digest.slice(at === 0 ? 0 : UUID_PARTS[at - 1], end)).join('-');
}

export const refTo = ({ apiVersion, kind, metadata }: KubernetesObject): ObjectRef => ({
  ...{ apiVersion, kind, name: metadata.name ?? '' },
  namespace: metadata.namespace,
});
