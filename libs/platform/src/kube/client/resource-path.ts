import { splitApiVersion } from '#core/kernel/api/kubernetes-object';

/** One kind as a cluster serves it. */
export type ServedResource = Readonly<{ apiVersion: string; kind: string; plural: string; namespaced: boolean }>;

/** `/api/v1` or `/apis/group/version`. */
export function groupVersionPath(apiVersion: string): string {
  const { group, version } = splitApiVersion(apiVersion);
  const parts = group === '' ? ['api', version] : ['apis', group, version];
  return parts.map((part) => `/${encodeURIComponent(part)}`).join('');
}

/** Returns the path of the collection: of one namespace, or of all if `namespace` is absent. */
export function collectionPath(resource: ServedResource, namespace: string | undefined): string {
  const root = groupVersionPath(resource.apiVersion);
  if (!resource.namespaced || namespace === undefined) return `${root}/${resource.plural}`;
  return `${root}/namespaces/${encodeURIComponent(namespace)}/${resource.plural}`;
}

/**
 * Returns the path of the object. `name` must be a path segment: an empty one would name the whole
 * collection. That matters for DELETE. Returns undefined if `name` is no path segment.
 */
export function objectPath(
  resource: ServedResource,
  ref: Readonly<{ name: string; namespace?: string | undefined }>,
  subresource?: string,
): string | undefined {
  const segments = resource.namespaced ? [ref.namespace ?? '', ref.name] : [ref.name];
  if (!segments.every(isPathSegment)) return undefined;
  const path = `${collectionPath(resource, ref.namespace)}/${encodeURIComponent(ref.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

const isPathSegment = (name: string): boolean => name !== '' && name !== '.' && name !== '..' && !/[/%]/.test(name);

/** `?a=1&b=2`, or nothing; parameters without a value are left out. */
export function query(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) search.set(name, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}
