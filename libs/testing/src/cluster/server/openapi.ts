import type { JsonObject } from '../objects/json.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import type { SimulatedResponse } from './api-request.js';
import { groupNames, versionsOfGroup } from './discovery.js';
import { schemasOf } from './openapi-schemas.js';

const ROOT = '/openapi/v3';

/**
 * Media type as clients request it; in the answer a dot stands for the `@`, as a media type cannot have it.
 */
const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
/** `{"swagger": "2.0", "info": {"title": "Kubernetes", "version": "v1"}, "paths": {}}` */
const V2_DOCUMENT = Buffer.from('\x0a\x032.0\x12\x10\x0a\x0aKubernetes\x12\x02v1\x42\x00');

/** The empty document of version 2 in the form that kubectl asks for before it applies a `kind: List`. */
export const openApiV2 = (path: string, accept: string | undefined): SimulatedResponse | undefined =>
  path === '/openapi/v2' && accept?.includes(V2_PROTOBUF)
    ? { code: 200, body: V2_DOCUMENT, contentType: V2_PROTOBUF.replace('@', '.') }
    : undefined;

/**
 * Returns OpenAPI version 3 of every group and version. It has the schemas that `kubectl explain` shows. It
 * says that writes take `fieldValidation` and `dryRun`, so that kubectl leaves validation to the server.
 * Version 2 is an empty document.
 */
export function openApi(path: string, prefix: string, resources: ResourceRegistry): JsonObject | undefined {
  if (path === '/openapi/v2')
    return { swagger: '2.0', info: { title: 'Kubernetes', version: 'v1' }, paths: {}, definitions: {} };
  if (path === ROOT) return index(prefix, resources);
  if (!path.startsWith(`${ROOT}/`)) return undefined;
  const [root, ...rest] = path.slice(ROOT.length + 1).split('/');
  const [group, version] = root === 'api' ? ['', rest[0]] : rest;
  const known = group !== undefined && version !== undefined && versionsOfGroup(group, resources).includes(version);
  return known ? document(group, version, resources) : undefined;
}

function index(prefix: string, resources: ResourceRegistry): JsonObject {
  const places = ['', ...groupNames(resources)].flatMap((group) =>
    versionsOfGroup(group, resources).map((version) => (group === '' ? `api/${version}` : `apis/${group}/${version}`)),
  );
  const paths = places.map((place) => [place, { serverRelativeURL: `${prefix}${ROOT}/${place}` }]);
  return { paths: Object.fromEntries(paths) };
}

const parameter = (name: string) => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
const PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map(parameter);

function document(group: string, version: string, resources: ResourceRegistry): JsonObject {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const served = resources.all().filter((info) => info.group === group && info.versions.includes(version));
  const kind = (name: string) => ({ group, version, kind: name });
  const paths: [string, JsonObject][] = served.map((info) => {
    const operation = { parameters: PARAMETERS, 'x-kubernetes-group-version-kind': kind(info.kind), responses: {} };
    const at = `${root}/${info.namespaced ? 'namespaces/{namespace}/' : ''}${info.resource}/{name}`;
    return [at, { patch: { ...operation, 'x-kubernetes-action': 'patch' }, put: operation }];
  });
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(paths),
    components: { schemas: schemasOf(group, version, served) },
  };
}
