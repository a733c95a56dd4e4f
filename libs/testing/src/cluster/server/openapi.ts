import type { JsonObject } from '../objects/json.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import { groupNames, versionsOfGroup } from './discovery.js';

const ROOT = '/openapi/v3';

/**
 * The least of OpenAPI that kubectl needs: which group versions there are and that their writes take `fieldValidation`
 * and `dryRun`, so that it leaves validation to the server. Schemas are empty, and version 2 is not
 * given as protobuf: `kubectl apply` of a `kind: List` needs --validate=false.
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
  const schemas = served.map((info) => [
    `${group || 'core'}.${version}.${info.kind}`,
    {
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-group-version-kind': [kind(info.kind)],
    },
  ]);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1' },
    paths: Object.fromEntries(paths),
    components: { schemas: Object.fromEntries(schemas) },
  };
}
