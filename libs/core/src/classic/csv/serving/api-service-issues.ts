import type { ApiServiceDescription, ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace, ownedApiServices } from '../../../kernel/api/csv-facts.js';
import { RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { base64 } from '../../../kernel/text/base64.js';
import { authDelegatorName, authReaderName, CA_HASH_ANNOTATION } from '../certificates/serving-names.js';
import { type ServingService, servingServiceName, servingServices } from '../certificates/serving-service.js';
import { podAnnotations } from '../deployments/check-deployments.js';
import type { CsvWorld } from '../world/csv-world.js';
import { apiServiceName, caBundleOf, isAdoptable, serviceOf } from './api-services.js';

/**
 * Returns the problems of an installed operator's APIServices and of their dependencies, in OLM's words.
 * Undefined if all is as installed. Several problems are joined as in Go (spec: csv-lifecycle.md §3, row
 * "owned APIService resources broken").
 */
export function apiServiceIssues(csv: ClusterServiceVersion, world: CsvWorld): string | undefined {
  const issues: string[] = [];
  for (const api of ownedApiServices(csv)) {
    const live = world.apiServices.get(apiServiceName(api));
    if (live !== undefined && !isAdoptable(live, csv, world)) {
      issues.push(`${apiServiceName(api)} is unadoptable`);
      break;
    }
    issues.push(...issuesOf(csv, world, api, live));
  }
  const [first, ...others] = new Set(issues);
  return first === undefined || others.length === 0 ? first : `[${[first, ...others].join(', ')}]`;
}

/**
 * Returns the first problem between the APIService and the pods. If there is none, returns every missing
 * right.
 */
function issuesOf(
  csv: ClusterServiceVersion,
  world: CsvWorld,
  api: ApiServiceDescription,
  live: KubernetesObject | undefined,
): readonly string[] {
  if (live === undefined) return [notFound('apiservice.apiregistration.k8s.io', apiServiceName(api))];
  const { deploymentName = '' } = api;
  const to = serviceOf(live);
  const wanted = servingServiceName(deploymentName);
  if (!world.services.has(wanted)) return [notFound('service', wanted)];
  if (to?.name !== wanted || to.namespace !== csvNamespace(csv)) {
    return ['found APIService and service reference mismatch'];
  }
  const service = servingServices(csv).find(({ deployment }) => deployment === deploymentName);
  if (service === undefined) return [];
  const certificate = world.servingCertificates.get(service.secretName);
  if (certificate === undefined) return [notFound('secret', service.secretName)];
  if (caBundleOf(live) !== base64(certificate.caPem)) {
    return [`secret ${service.secretName} CA cert hash does not match expected`];
  }
  const deployment = world.deployments.find(({ metadata }) => metadata.name === deploymentName);
  if (deployment === undefined) return [notFound('deployment.apps', deploymentName)];
  if (podAnnotations(deployment)?.[CA_HASH_ANNOTATION] !== certificate.caHash) {
    return [`deployment ${deploymentName} CA cert hash does not match expected`];
  }
  return missingRights(world, service);
}

function missingRights(world: CsvWorld, service: ServingService): readonly string[] {
  const { secretName, serviceAccount } = service;
  const lacks = (list: readonly KubernetesObject[], resource: string, wanted: string): readonly string[] =>
    list.some(({ metadata }) => metadata.name === wanted) ? [] : [notFound(resource, wanted)];
  return [
    ...lacks(world.serviceAccounts, 'serviceaccounts', serviceAccount),
    ...lacks(world.roles, `role.${RBAC_GROUP}`, secretName),
    ...lacks(world.roleBindings, `rolebinding.${RBAC_GROUP}`, secretName),
    ...lacks(world.clusterRoleBindings, `clusterrolebinding.${RBAC_GROUP}`, authDelegatorName(service)),
    ...lacks(world.authReaders, `rolebinding.${RBAC_GROUP}`, authReaderName(service)),
  ];
}

const notFound = (resource: string, name: string): string => `${resource} "${name}" not found`;
