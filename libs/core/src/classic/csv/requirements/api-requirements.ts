import { z } from 'zod';
import type {
  ApiServiceDescription,
  ClusterServiceVersion,
  RequirementStatus,
} from '../../../kernel/api/cluster-service-version.js';
import { ownedApiServices, requiredApiServices, strategyDeployments } from '../../../kernel/api/csv-facts.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import { isTrue } from '../../../kernel/conditions/condition-list.js';
import { type CsvWorld } from '../world/csv-world.js';

const Available = z.looseObject({
  status: z.looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })) }),
});

const apiService = ({ version, group }: ApiServiceDescription) => ({
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  name: `${version}.${group}`,
});

/**
 * Aggregated APIs that others must serve, that this operator will serve, and kinds
 * the cluster must know (§4).
 */
export function apiRequirements(csv: ClusterServiceVersion, world: CsvWorld): readonly RequirementStatus[] {
  const deployments = new Set(strategyDeployments(csv).map(({ name }) => name));
  const required = requiredApiServices(csv).map((api) => ({ ...apiService(api), ...requiredVerdict(api, world) }));
  const owned = ownedApiServices(csv).map((api) => ({
    ...apiService(api),
    status: deployments.has(api.deploymentName ?? '') ? 'DeploymentFound' : 'DeploymentNotFound',
    message: '',
  }));
  const native = (csv.spec.nativeAPIs ?? []).map(({ group, version, kind }) => {
    const served = world.servedKinds.has(servedKey({ group, version, kind }));
    return {
      group,
      version,
      kind,
      name: `${version}.${group}`,
      status: served ? 'Present' : 'NotPresent',
      message: served ? 'Native API exists' : 'Native API does not exist',
    };
  });
  return [...required, ...owned, ...native];
}

function requiredVerdict(
  api: ApiServiceDescription,
  world: CsvWorld,
): Readonly<{ status: string; message: string; uuid?: string }> {
  const absent = { status: 'NotPresent', message: '' };
  if (!world.servedKinds.has(servedKey(api))) return absent;
  const found = world.apiServices.get(`${api.version}.${api.group}`);
  const view = Available.safeParse(found);
  if (found === undefined || !view.success) return absent;
  const available = isTrue(view.data.status.conditions, 'Available');
  if (!available) return absent;
  return { status: 'Present', message: '', ...(found.metadata.uid === undefined ? {} : { uuid: found.metadata.uid }) };
}
