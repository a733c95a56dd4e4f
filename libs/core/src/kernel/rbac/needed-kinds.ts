import { type KubernetesObject, splitApiVersion } from '../api/kubernetes-object.js';
import { resourceOf } from '../api/resource-of.js';

/** A kind with the verbs that are needed on it, in one namespace or in none. */
export type NeededKind = Readonly<{
  group: string;
  /** The name of the kind in API paths. */
  resource: string;
  /** The first object of the kind. */
  name: string;
  namespace?: string | undefined;
  verbs: readonly string[];
}>;

/** The verbs with which the hub brings an object, changes it and takes it away. */
const WRITING: readonly string[] = ['create', 'delete', 'get', 'patch', 'update'];

/** Returns what it takes to write an object. */
export function neededToWrite({ apiVersion, kind, metadata }: KubernetesObject): NeededKind {
  const { group } = splitApiVersion(apiVersion);
  const { name = metadata.generateName ?? '', namespace } = metadata;
  return { group, resource: resourceOf(kind), name, namespace, verbs: WRITING };
}

/** Returns each kind once for each namespace, with the name of its first object. */
export function distinctKinds(needed: readonly NeededKind[]): readonly NeededKind[] {
  const seen = new Map<string, NeededKind>();
  for (const one of needed) {
    const key = [one.group, one.resource, one.namespace ?? '', ...one.verbs].join(' ');
    if (!seen.has(key)) seen.set(key, one);
  }
  return [...seen.values()];
}

/** Kinds named in one message; more are counted. */
const NAMED = 10;

/**
 * Returns the text about kinds that a user may not write, in the words of the API server. `verbs` are those
 * that are refused.
 */
export function refusedKindsText(user: string, refused: readonly NeededKind[]): string {
  const named = refused.slice(0, NAMED).map((one) => refusedText(user, one));
  const more = refused.length > NAMED ? `; and ${refused.length - NAMED} more kinds` : '';
  return `${named.join('; ')}${more}`;
}

function refusedText(user: string, { group, resource, name, namespace, verbs: [verb, ...others] }: NeededKind): string {
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const more = others.length === 0 ? '' : `, nor ${others.join(', ')}`;
  const what = `${resource}${group === '' ? '' : `.${group}`} "${name}"`;
  const right = `resource "${resource}" in API group "${group}" ${where}`;
  return `${what} is forbidden: User "${user}" cannot ${verb} ${right}${more}`;
}
