import { canonicalPath } from '../../kernel/http-access/path-rule.js';
import { labelSelectorOf, type SelectsLabels } from './label-selector-text.js';
import { PACKAGE_MANIFEST_API } from './package-manifest.js';

/** The packages of a cluster in question. Without `namespace`: those of all catalogs in all namespaces. */
type Scope = Readonly<{ cluster: string; namespace: string | undefined }>;

export type PackageManifestQuestion =
  | (Scope & Readonly<{ ask: 'list'; selects: SelectsLabels; name: string | undefined }>)
  | (Scope & Readonly<{ ask: 'get'; name: string }>)
  /** `unchanged`: the client has the icon. It sends an ETag and a resourceVersion, as OLM's consoles do. */
  | (Scope & Readonly<{ ask: 'icon'; name: string; unchanged: boolean }>);

/** A refusal as an API server words it. */
export type PackageManifestRefusal = Readonly<{ code: number; reason: string; message: string }>;

const [GROUP = '', VERSION = ''] = PACKAGE_MANIFEST_API.apiVersion.split('/');
const RESOURCE = 'packagemanifests';

/**
 * Reads the target, as sent, of a request about a cluster's PackageManifests (spec: api-types.md §9): list,
 * get and the icon, below `/clusters/<cluster>/apis/…`. Returns undefined if the target is about something
 * else.
 */
export function packageManifestQuestion(
  method: string,
  target: string,
  ifNoneMatch: string | undefined,
): PackageManifestQuestion | PackageManifestRefusal | undefined {
  const { segments, query } = partsOf(target);
  const [clusters, cluster = '', apis, group, version, ...rest] = segments;
  if (clusters !== 'clusters' || apis !== 'apis' || group !== GROUP) return undefined;
  const place = version === VERSION ? placeOf(rest) : undefined;
  if (place === undefined) {
    return { code: 404, reason: 'NotFound', message: 'the server could not find the requested resource' };
  }
  if (method !== 'GET' && method !== 'HEAD') {
    return { code: 405, reason: 'MethodNotAllowed', message: `${RESOURCE} can only be read` };
  }
  const { namespace, name, icon } = place;
  const scope = { cluster, namespace };
  if (name === undefined) return listQuestion(scope, query);
  if (!icon) return { ...scope, ask: 'get', name };
  const unchanged = ifNoneMatch !== undefined && (query.get('resourceVersion') ?? '') !== '';
  return { ...scope, ask: 'icon', name, unchanged };
}

/** Returns the path of a question, in one spelling, without a query. */
export function packageManifestPath(question: PackageManifestQuestion): string {
  const { cluster, namespace, ask } = question;
  const scope = namespace === undefined ? [] : ['namespaces', namespace];
  const one = ask === 'list' ? [] : [question.name, ...(ask === 'icon' ? ['icon'] : [])];
  return canonicalPath(['clusters', cluster, 'apis', GROUP, VERSION, ...scope, RESOURCE, ...one]);
}

/** `[namespaces/<ns>/]packagemanifests[/<name>[/icon]]`; a name only within a namespace. */
function placeOf(
  segments: readonly string[],
): Readonly<{ namespace: string | undefined; name: string | undefined; icon: boolean }> | undefined {
  const isNamespaced = segments[0] === 'namespaces';
  const [resource, name, subresource, ...more] = isNamespaced ? segments.slice(2) : segments;
  if (resource !== RESOURCE || more.length > 0 || (name !== undefined && !isNamespaced)) return undefined;
  if (subresource !== undefined && subresource !== 'icon') return undefined;
  return { namespace: isNamespaced ? segments[1] : undefined, name, icon: subresource === 'icon' };
}

function listQuestion(scope: Scope, query: URLSearchParams): PackageManifestQuestion | PackageManifestRefusal {
  const bad = (message: string) => ({ code: 400, reason: 'BadRequest', message });
  if (/^(true|1)$/.test(query.get('watch') ?? '')) return bad(`${RESOURCE} cannot be watched`);
  const labels = query.get('labelSelector') ?? '';
  const selects = labelSelectorOf(labels);
  if (selects === undefined) return bad(`unable to parse requirement: "${labels}" is not a label selector`);
  const fields = query.get('fieldSelector') ?? '';
  const [, field = '', name] = /^([^=!,]+)==?([^=!,]*)$/.exec(fields) ?? [];
  if (fields !== '' && field !== 'metadata.name') return bad(`field label not supported: ${field || fields}`);
  return { ...scope, ask: 'list', selects, name };
}

function partsOf(target: string): Readonly<{ segments: readonly string[]; query: URLSearchParams }> {
  const mark = target.indexOf('?');
  const path = mark < 0 ? target : target.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1));
  try {
    return { segments: path.split('/').slice(1).map(decodeURIComponent), query };
  } catch {
    return { segments: [], query };
  }
}
