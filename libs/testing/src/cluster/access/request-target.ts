import { badRequest } from '../objects/refusal.js';
import type { AccessAttempt } from './rbac.js';

/** Parts of an API path: `/apis/apps/v1/namespaces/web/deployments/x/status` and the like. */
export type RequestTarget = Readonly<{
  group: string;
  version: string;
  resource: string;
  namespace?: string;
  name?: string;
  subresource?: string;
}>;

/** Parses a resource path; undefined for discovery and every other path. */
export function requestTarget(path: string): RequestTarget | undefined {
  const segments = path
    .split('/')
    .filter((segment) => segment !== '')
    .map(decoded);
  const [root, ...rest] = segments;
  if (root === 'api' && rest.length >= 2) return inVersion('', rest);
  if (root === 'apis' && rest.length >= 3) return inVersion(rest[0] ?? '', rest.slice(1));
  return undefined;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw badRequest(`invalid path segment "${segment}"`);
  }
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

function inVersion(group: string, [version = '', ...rest]: readonly string[]): RequestTarget {
  const [first, second, third] = rest;
  const inNamespace =
    first === 'namespaces' && second !== undefined && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third);
  const [resource = '', name, subresource] = inNamespace ? rest.slice(2) : rest;
  return {
    group,
    version,
    resource,
    ...(inNamespace ? { namespace: second } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/**
 * Returns the question to RBAC about the request; a namespace counts as lying in itself, and a selected name
 * as named.
 */
export function attemptOf(target: RequestTarget, verb: string, query: URLSearchParams): AccessAttempt {
  const { group, resource, subresource } = target;
  const selected = /(?:^|,)metadata\.name=([^,]+)/.exec(query.get('fieldSelector') ?? '')?.[1];
  const name = target.name ?? selected;
  const namespace = group === '' && resource === 'namespaces' ? target.name : target.namespace;
  return { verb, group, resource, subresource, namespace, name };
}

/** Kubernetes' verb of a request on a resource, as RBAC names it. */
export function verbOf(method: string, target: RequestTarget, query: URLSearchParams): string {
  const watching = ['true', '1'].includes(query.get('watch') ?? '');
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (watching) return 'watch';
      return target.name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return target.name === undefined ? 'deletecollection' : 'delete';
    default:
      return method.toLowerCase();
  }
}
