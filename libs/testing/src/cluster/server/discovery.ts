import type { JsonObject } from '../objects/json.js';
import { byVersionPriority } from '../resources/custom-resource-info.js';
import { hasStatus, type ResourceInfo } from '../resources/resource-info.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';

const groupVersion = (group: string, version: string) => (group === '' ? version : `${group}/${version}`);
const statusVerbs = ['get', 'patch', 'update'];

/** Answers `/api`, `/apis` and the paths under them; undefined if the path is not one of discovery's. */
export function discovery(path: string, resources: ResourceRegistry): JsonObject | undefined {
  const [root, group, version, ...rest] = path.split('/').filter((part) => part !== '');
  if (rest.length > 0) return undefined;
  if (root === 'api') return version === undefined ? coreVersions(group, resources) : undefined;
  if (root !== 'apis') return undefined;
  if (group === undefined) return groupList(resources);
  return version === undefined ? groupOf(group, resources) : resourceList(group, version, resources);
}

function coreVersions(version: string | undefined, resources: ResourceRegistry): JsonObject | undefined {
  if (version !== undefined) return resourceList('', version, resources);
  return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
}

export function groupNames(resources: ResourceRegistry): readonly string[] {
  return [...new Set(resources.all().map((info) => info.group))].filter((group) => group !== '');
}

export const versionsOfGroup = (group: string, resources: ResourceRegistry): readonly string[] =>
  [...new Set(resources.all().flatMap((info) => (info.group === group ? info.versions : [])))].sort(byVersionPriority);

function groupBody(group: string, resources: ResourceRegistry): JsonObject {
  const versions = versionsOfGroup(group, resources).map((version) => ({
    groupVersion: groupVersion(group, version),
    version,
  }));
  return { name: group, versions, preferredVersion: versions[0] };
}

const groupList = (resources: ResourceRegistry): JsonObject => ({
  kind: 'APIGroupList',
  apiVersion: 'v1',
  groups: groupNames(resources).map((group) => groupBody(group, resources)),
});

function groupOf(group: string, resources: ResourceRegistry): JsonObject | undefined {
  if (!groupNames(resources).includes(group)) return undefined;
  return { kind: 'APIGroup', apiVersion: 'v1', ...groupBody(group, resources) };
}

function resourceList(group: string, version: string, resources: ResourceRegistry): JsonObject | undefined {
  const served = resources.all().filter((info) => info.group === group && info.versions.includes(version));
  if (served.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: groupVersion(group, version),
    resources: served.flatMap(resourceRows),
  };
}

function resourceRows(info: ResourceInfo): JsonObject[] {
  const { resource: name, singular: singularName, namespaced, kind, verbs } = info;
  const row = {
    name,
    singularName,
    namespaced,
    kind,
    verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
  };
  const sub = (subresource: string, extra: JsonObject) => ({
    name: `${name}/${subresource}`,
    singularName: '',
    namespaced,
    kind,
    verbs: statusVerbs,
    ...extra,
  });
  return [
    row,
    ...(hasStatus(info) ? [sub('status', {})] : []),
    ...(info.subresources.includes('scale')
      ? [sub('scale', { group: 'autoscaling', version: 'v1', kind: 'Scale' })]
      : []),
    ...(info.subresources.includes('token')
      ? [sub('token', { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest', verbs: ['create'] })]
      : []),
  ];
}
