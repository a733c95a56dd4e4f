import type { JsonObject } from '../objects/json.js';
import { hasStatus, type ResourceInfo } from '../resources/resource-info.js';
import type { ResourceRegistry } from '../resources/resource-registry.js';
import { groupNames, versionsOfGroup } from './discovery.js';

const FORM = /application\/json;[^,]*g=apidiscovery\.k8s\.io[^,]*as=APIGroupDiscoveryList/;

/** Returns the content type of aggregated discovery, if the Accept header asks for it. */
export function aggregatedType(accept: string | undefined): string | undefined {
  const form = FORM.exec(accept ?? '')?.[0];
  if (form === undefined) return undefined;
  return `application/json;g=apidiscovery.k8s.io;v=${form.includes('v=v2beta1') ? 'v2beta1' : 'v2'};as=APIGroupDiscoveryList`;
}

/** `/api` or `/apis` with everything below in one document. */
export function aggregatedDiscovery(path: string, type: string, resources: ResourceRegistry): JsonObject {
  const groups = path === '/api' ? [''] : groupNames(resources);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${type.includes('v2beta1') ? 'v2beta1' : 'v2'}`,
    metadata: {},
    items: groups.map((group) => groupItem(group, resources)),
  };
}

const groupItem = (group: string, resources: ResourceRegistry): JsonObject => ({
  metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
  versions: versionsOfGroup(group, resources).map((version) => ({
    version,
    freshness: 'Current',
    resources: resources
      .all()
      .filter((info) => info.group === group && info.versions.includes(version))
      .map((info) => resourceItem(info, version)),
  })),
});

function resourceItem(info: ResourceInfo, version: string): JsonObject {
  const responseKind = { group: info.group, version, kind: info.kind };
  const verbs = ['get', 'patch', 'update'];
  const scale = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  const token = { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' };
  const has = (subresource: string) => info.subresources.includes(subresource);
  const subresources = [
    ...(has('scale') ? [{ subresource: 'scale', responseKind: scale, verbs }] : []),
    ...(hasStatus(info) ? [{ subresource: 'status', responseKind, verbs }] : []),
    ...(has('token') ? [{ subresource: 'token', responseKind: token, verbs: ['create'] }] : []),
  ];
  return {
    resource: info.resource,
    responseKind,
    scope: info.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: info.singular,
    verbs: info.verbs,
    ...(info.shortNames.length === 0 ? {} : { shortNames: info.shortNames }),
    ...(info.categories.length === 0 ? {} : { categories: info.categories }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
