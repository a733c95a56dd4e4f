import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { sameJson } from '../../kernel/canonical/same-json.js';
import { isRecord } from '../../kernel/json/json-access.js';

/**
 * Annotation of objects that the fleet creates in a cluster: annotations and `spec` as the fleet applied them
 * last.
 */
export const APPLIED_ANNOTATION = 'fleet.flotilla.dev/applied';
/** Annotation with the code of the note. The hub recognises its own notes by this code. */
export const APPLIED_CODE_ANNOTATION = 'fleet.flotilla.dev/applied-code';
const MOST_VALUE = 120;

type Fields = Readonly<Record<string, unknown>>;

const annotationsOf = ({ metadata }: KubernetesObject) => metadata.annotations ?? {};

/** Returns the object with a note of the applied state, to distinguish changes by others. */
export function withAppliedNote<T extends KubernetesObject>(object: T): T {
  const { [APPLIED_ANNOTATION]: _note, [APPLIED_CODE_ANNOTATION]: _code, ...annotations } = annotationsOf(object);
  const note = JSON.stringify({ annotations, spec: object['spec'] ?? {} });
  return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [APPLIED_ANNOTATION]: note } } };
}

/** Returns the input for the code of a note. A note of another object, or of another cluster, is invalid. */
export function notedParts(cluster: string, { apiVersion, kind, metadata }: KubernetesObject): readonly string[] {
  const { name = '', namespace = '', annotations = {} } = metadata;
  return ['applied', cluster, apiVersion, kind, namespace, name, annotations[APPLIED_ANNOTATION] ?? ''];
}

/**
 * Returns the state that the fleet applied. Returns undefined if it never did, or another writer has
 * corrupted the note.
 */
function appliedTo({ metadata }: KubernetesObject): Readonly<{ annotations: Fields; spec: Fields }> | undefined {
  try {
    const { annotations, spec } = JSON.parse(metadata.annotations?.[APPLIED_ANNOTATION] ?? 'null') as Fields;
    return isRecord(annotations) && isRecord(spec) ? { annotations, spec } : undefined;
  } catch {
    return undefined;
  }
}

/** The object as the fleet applied it last, to be applied again. */
export function objectAsApplied(live: KubernetesObject): KubernetesObject | undefined {
  const applied = appliedTo(live);
  if (applied === undefined) return undefined;
  const { name, namespace } = live.metadata;
  const annotations = applied.annotations as Readonly<Record<string, string>>;
  const metadata = { name, annotations, ...(namespace === undefined ? {} : { namespace }) };
  return withAppliedNote({ apiVersion: live.apiVersion, kind: live.kind, metadata, spec: applied.spec });
}

/**
 * Returns the fields that the fleet set and that now have another value, each as one line. Fields that others
 * have added are theirs.
 */
export function driftOf(live: KubernetesObject): string[] {
  const applied = appliedTo(live);
  if (applied === undefined) return [];
  const { annotations = {} } = live.metadata;
  return [
    ...differences(applied.annotations, annotations, 'metadata.annotations'),
    ...differences(applied.spec, live['spec'], 'spec'),
  ];
}

function differences(asked: unknown, found: unknown, path: string): string[] {
  if (isRecord(asked) && isRecord(found)) {
    return Object.keys(asked).flatMap((key) => differences(asked[key], found[key], `${path}.${key}`));
  }
  if (sameJson(asked, found)) return [];
  return [found === undefined ? `${path} is gone` : `${path} is ${valueText(found)}, not ${valueText(asked)}`];
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}…` : text;
}
