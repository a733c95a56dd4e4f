import { createHash } from 'node:crypto';
import type { RevisionPhase } from '../../kernel/api/cluster-object-set.js';
import { KIND } from '../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalJson } from '../../kernel/canonical/canonical-json.js';
import type { Phase } from '../bundle-render/phases.js';
import { OBJECT_DATA_TYPE, OWNER_NAME_LABEL, REVISION_NAME_LABEL } from './revision-keys.js';

export type ExternaliseOptions = Readonly<{
  revision: string;
  extension: string;
  systemNamespace: string;
  compress: (bytes: Uint8Array) => Uint8Array;
}>;

/** A Secret holds a little more than this in all (spec: v1-apply.md §7, "Externalisation"). */
const MAX_SECRET_BYTES = 900 * 1024;

type Entry = Readonly<{ key: string; bytes: Uint8Array }>;

type ExternalPhases = Readonly<{ phases: readonly RevisionPhase[]; secrets: readonly KubernetesObject[] }>;

/**
 * Returns the manifests as immutable Secrets, and phases that refer to them; or the manifest that fits into
 * none.
 */
export function externalisePhases(
  phases: readonly Phase[],
  options: ExternaliseOptions,
): ExternalPhases | Readonly<{ error: string }> {
  const entries = phases.map(({ objects }) => objects.map((object) => entryOf(object, options.compress)));
  const error = tooLarge(entries);
  if (error !== undefined) return { error };
  const places = new Map<string, string>();
  const secrets = packed(entries.flat()).map((inSecret) => {
    const secret = secretOf(inSecret, options);
    for (const { key } of inSecret) places.set(key, secret.metadata.name ?? '');
    return secret;
  });
  const namespace = options.systemNamespace;
  const refOf = ({ key }: Entry) => ({ ref: { name: places.get(key) ?? '', namespace, key } });
  return { secrets, phases: phases.map(({ name }, at) => ({ name, objects: (entries[at] ?? []).map(refOf) })) };
}

function tooLarge(phases: readonly (readonly Entry[])[]): string | undefined {
  for (const [phase, entries] of phases.entries()) {
    for (const [index, { bytes }] of entries.entries()) {
      if (bytes.length <= MAX_SECRET_BYTES) continue;
      const where = `phase ${phase} index ${index}`;
      const limit = `${bytes.length} bytes > ${MAX_SECRET_BYTES} bytes`;
      return `object in ${where} exceeds maximum Secret data size (${limit}) even after compression`;
    }
  }
  return undefined;
}

function entryOf(object: KubernetesObject, compress: ExternaliseOptions['compress']): Entry {
  const plain = new TextEncoder().encode(canonicalJson(object));
  const bytes = plain.length > MAX_SECRET_BYTES ? compress(plain) : plain;
  return { key: createHash('sha256').update(bytes).digest('base64url'), bytes };
}

/** Packs the entries in order, each Secret as full as it may be; equal objects are stored once. */
function packed(entries: readonly Entry[]): Entry[][] {
  const secrets: Entry[][] = [];
  let size = 0;
  for (const [key, bytes] of new Map(entries.map((entry) => [entry.key, entry.bytes]))) {
    const last = secrets.at(-1);
    if (last === undefined || size + bytes.length > MAX_SECRET_BYTES) {
      secrets.push([{ key, bytes }]);
      size = bytes.length;
    } else {
      last.push({ key, bytes });
      size += bytes.length;
    }
  }
  return secrets;
}

function secretOf(entries: readonly Entry[], { revision, extension, systemNamespace }: ExternaliseOptions) {
  const sorted = entries.toSorted((a, b) => byCodeUnit(a.key, b.key));
  const hash = createHash('sha256');
  for (const { key, bytes } of sorted) hash.update(key).update(bytes);
  const secret: KubernetesObject = {
    ...KIND.Secret,
    metadata: {
      name: `${revision}-${hash.digest('hex').slice(0, 16)}`,
      namespace: systemNamespace,
      labels: { [REVISION_NAME_LABEL]: revision, [OWNER_NAME_LABEL]: extension },
    },
    immutable: true,
    type: OBJECT_DATA_TYPE,
    data: Object.fromEntries(sorted.map(({ key, bytes }) => [key, Buffer.from(bytes).toString('base64')])),
  };
  return secret;
}
