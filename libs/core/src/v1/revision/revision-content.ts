import { z } from 'zod';
import type { ClusterObjectSet, CollisionProtection, RevisionPhase } from '../../kernel/api/cluster-object-set.js';
import { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { byCodeUnit, canonicalHash } from '../../kernel/canonical/canonical-json.js';
import { definesProtectedApi, protectedApiText } from '../../kernel/crd/protected-apis.js';
import { goQuote } from '../../kernel/versions/go-quote.js';

export type ContentObject = Readonly<{ object: KubernetesObject; protection: CollisionProtection }>;
export type ContentPhase = Readonly<{ name: string; objects: readonly ContentObject[] }>;

export type RevisionContent =
  | Readonly<{ phases: readonly ContentPhase[]; digests: readonly Readonly<{ name: string; digest: string }>[] }>
  /** `blocked`: true if a user has to correct it; otherwise a retry may succeed. */
  | Readonly<{ error: string; blocked: boolean }>;

/** Returns the Secret `namespace/name`. Undefined if it does not exist. */
type FindSecret = (place: string) => KubernetesObject | undefined;

type RevisionContentOptions = Readonly<{
  /** The namespace of references without one. */
  systemNamespace: string;
  inflate: (bytes: Uint8Array) => Uint8Array;
}>;

const Data = z.record(z.string(), z.string());

/**
 * The objects of a revision, those in Secrets read from there. Secrets must be immutable, and content that
 * was seen once must stay the same (spec: v1-apply.md, "Revision reconcile" 2 and 3). `inflate` undoes the
 * compression of large objects.
 */
export function revisionContent(
  revision: ClusterObjectSet,
  find: FindSecret,
  { systemNamespace, inflate }: RevisionContentOptions,
): RevisionContent {
  const mutable = mutableSecrets(revision, find, systemNamespace);
  if (mutable.length > 0) {
    const rule = 'referenced secrets must have immutable set to true';
    return { blocked: true, error: `the following secrets are not immutable (${rule}): ${mutable.join(', ')}` };
  }
  const phases: ContentPhase[] = [];
  for (const phase of revision.spec.phases ?? []) {
    const objects: ContentObject[] = [];
    for (const one of phase.objects) {
      const read = contentObject(one, find, { systemNamespace, inflate });
      if ('missing' in read) {
        return { blocked: false, error: `resolving ref in phase ${goQuote(phase.name)}: ${read.missing}` };
      }
      const protection = one.collisionProtection ?? phase.collisionProtection ?? revision.spec.collisionProtection;
      objects.push({ object: read, protection: protection ?? 'Prevent' });
    }
    phases.push({ name: phase.name, objects });
  }
  const refused = protectedDefinitions(phases);
  return refused === undefined ? unchanged(revision, phases) : { blocked: true, error: refused };
}

/** A set may have been written by a user, or changed after the hub made it. */
function protectedDefinitions(phases: readonly ContentPhase[]): string | undefined {
  const objects = phases.flatMap((phase) => phase.objects.map(({ object }) => object));
  const names = objects
    .filter((object) => object.kind === 'CustomResourceDefinition' && definesProtectedApi(object))
    .map(({ metadata }) => metadata.name ?? '');
  return names.length === 0 ? undefined : names.map((name) => protectedApiText(name)).join('; ');
}

function mutableSecrets({ spec }: ClusterObjectSet, find: FindSecret, systemNamespace: string): string[] {
  const refs = (spec.phases ?? []).flatMap(({ objects }) => objects.flatMap(({ ref }) => ref ?? []));
  const places = new Set(refs.map(({ namespace, name }) => `${namespace || systemNamespace}/${name}`));
  return [...places].filter((place) => isMutable(find(place))).sort(byCodeUnit);
}

function contentObject(
  { object, ref }: RevisionPhase['objects'][number],
  find: FindSecret,
  { systemNamespace, inflate }: RevisionContentOptions,
): KubernetesObject | Readonly<{ missing: string }> {
  if (ref === undefined) return object ?? { missing: 'neither an object nor a reference' };
  const place = `${ref.namespace || systemNamespace}/${ref.name}`;
  const secret = find(place);
  if (secret === undefined) return { missing: `getting Secret ${place}: Secret ${goQuote(ref.name)} not found` };
  const text = Data.safeParse(secret['data']).data?.[ref.key];
  if (text === undefined) return { missing: `key ${goQuote(ref.key)} not found in Secret ${place}` };
  const missing = `key ${goQuote(ref.key)} in Secret ${place} holds no manifest`;
  return readObject(text, inflate) ?? { missing };
}

const isMutable = (secret: KubernetesObject | undefined): boolean =>
  secret !== undefined && secret['immutable'] !== true;

function readObject(text: string, inflate: (bytes: Uint8Array) => Uint8Array) {
  const bytes = Buffer.from(text, 'base64');
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    return KubernetesObject.parse(JSON.parse(new TextDecoder().decode(isGzip ? inflate(bytes) : bytes)));
  } catch {
    return undefined;
  }
}

function unchanged({ status }: ClusterObjectSet, phases: readonly ContentPhase[]): RevisionContent {
  const digests = phases.map(({ name, objects }) => ({
    name,
    digest: `sha256:${canonicalHash({ name, objects: objects.map(({ object }) => object) })}`,
  }));
  const changed = (status?.observedPhases ?? []).flatMap(({ name, digest }) => {
    const now = digests.find((phase) => phase.name === name)?.digest;
    return now === digest ? [] : [`phase ${goQuote(name)} (expected digest ${digest}, got ${now})`];
  });
  if (changed.length === 0) return { phases, digests };
  const cause = 'a referenced object source may have been deleted and recreated with different content';
  const what = `resolved content of ${changed.length} phase(s) has changed: ${changed.join('; ')}`;
  return { blocked: true, error: `${what}; ${cause}` };
}
