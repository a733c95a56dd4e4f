import { z } from 'zod';
import type { Action } from '../../actions/action.js';
import type { ApiServiceDescription, ClusterServiceVersion } from '../../api/cluster-service-version.js';
import { type KubernetesObject, refOf } from '../../api/kubernetes-object.js';
import { goQuote } from '../../versions/go-quote.js';
import type { ComponentProblem } from '../component-problem.js';
import { csvName, csvNamespace, ownedApiServices } from '../csv-facts.js';
import { type CsvWorld, servedKey } from '../csv-world.js';
import { configFor } from '../deployments/subscription-config.js';
import { csvOwnerLabels, hasLabels, MANAGED_LABEL } from '../owner-labels.js';
import { predecessors } from '../replacement-chain.js';
import { certificateFor } from './certificates-of.js';
import { base64 } from './serving-objects.js';
import { servingPort, servingServiceName, servingServices } from './serving-service.js';

const API_SERVICE = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService' } as const;
const GROUP_PRIORITY_MINIMUM = 2_000;
const VERSION_PRIORITY = 15;

const View = z.looseObject({
  spec: z.looseObject({
    caBundle: z.string().nullish(),
    service: z.looseObject({ name: z.string(), namespace: z.string() }).nullish(),
  }),
  status: z
    .looseObject({ conditions: z.array(z.looseObject({ type: z.string(), status: z.string() })).nullish() })
    .nullish(),
});

export const apiServiceName = ({ version, group }: Readonly<{ version: string; group: string }>): string =>
  `${version}.${group}`;

/** The APIServices of the operator, as they should be (spec: csv-lifecycle.md §7). */
export const installApiServices = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  ownedApiServices(csv).flatMap((api): Action[] => {
    const object = wantedApiService(csv, world, api);
    return object === undefined ? [] : [{ do: 'apply', object }];
  });

function wantedApiService(
  csv: ClusterServiceVersion,
  world: CsvWorld,
  api: ApiServiceDescription,
): KubernetesObject | undefined {
  const service = servingServices(csv).find(({ deployment }) => deployment === api.deploymentName);
  const certificate = service && certificateFor(world, service);
  if (service === undefined || certificate === undefined) return undefined;
  const name = apiServiceName(api);
  const known = world.apiServices.get(name) !== undefined;
  const { annotations = {} } = known ? {} : configFor(csvName(csv), world.subscriptions);
  return {
    ...API_SERVICE,
    metadata: {
      name,
      labels: { [MANAGED_LABEL]: 'true', ...csvOwnerLabels(csv) },
      ...(annotations && { annotations }),
    },
    spec: {
      group: api.group,
      version: api.version,
      groupPriorityMinimum: GROUP_PRIORITY_MINIMUM,
      versionPriority: VERSION_PRIORITY,
      caBundle: base64(certificate.caPem),
      service: { namespace: csvNamespace(csv), name: service.name, port: servingPort(api) },
    },
  };
}

/** Why an APIService that is there already cannot be taken over: it belongs neither to this CSV nor to one that it replaces. */
export function unadoptableApiService(csv: ClusterServiceVersion, world: CsvWorld): string | undefined {
  const owners = [csv, ...predecessors(csv, world.csvs), ...world.csvs.filter(isGoing)];
  for (const api of ownedApiServices(csv)) {
    const live = world.apiServices.get(apiServiceName(api));
    if (live === undefined || owners.some((owner) => hasLabels(live, csvOwnerLabels(owner)))) continue;
    return `pre-existing APIService ${apiServiceName(api)} is not adoptable`;
  }
  return undefined;
}

const isGoing = ({ status }: ClusterServiceVersion): boolean =>
  status?.phase === 'Replacing' || status?.phase === 'Deleting';

/** Whether every owned API is served through the operator (spec: csv-lifecycle.md §5, Check). */
export function checkApiServices(csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined {
  const served = ownedApiServices(csv).every((api) => {
    const view = View.safeParse(world.apiServices.get(apiServiceName(api)));
    const conditions = view.success ? (view.data.status?.conditions ?? []) : [];
    const available = conditions.some(({ type, status }) => type === 'Available' && status === 'True');
    return available && world.servedKinds.has(servedKey(api));
  });
  return served ? undefined : { kind: 'notServed', message: 'apiServices not installed' };
}

/** What somebody else changed about the APIServices of an installed operator, joined; undefined when they are as installed. */
export function apiServiceResourceIssues(csv: ClusterServiceVersion, world: CsvWorld): string | undefined {
  const issues = ownedApiServices(csv).flatMap((api) => {
    const name = apiServiceName(api);
    const view = View.safeParse(world.apiServices.get(name));
    if (!view.success) return [`APIService ${goQuote(name)} not found`];
    const service = servingServices(csv).find(({ deployment }) => deployment === api.deploymentName);
    const certificate = service && certificateFor(world, service);
    const { spec } = view.data;
    const wantedService = servingServiceName(api.deploymentName ?? '');
    if (spec.service?.name !== wantedService || spec.service.namespace !== csvNamespace(csv)) {
      return [`APIService ${goQuote(name)} does not lead to service ${csvNamespace(csv)}/${wantedService}`];
    }
    if (certificate !== undefined && spec.caBundle !== base64(certificate.caPem)) {
      return [`APIService ${goQuote(name)} has another CA bundle than secret ${service?.secretName}`];
    }
    return [];
  });
  return issues.length === 0 ? undefined : issues.join(', ');
}

/** Owned APIServices that carry this CSV's labels: they go with it. */
export const deleteApiServices = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  ownedApiServices(csv).flatMap((api): Action[] => {
    const live = world.apiServices.get(apiServiceName(api));
    if (live === undefined || !hasLabels(live, csvOwnerLabels(csv))) return [];
    const ref = refOf({ ...live, ...API_SERVICE });
    return [{ do: 'delete', ref: { ...ref, namespace: undefined }, propagation: 'Background', uid: live.metadata.uid }];
  });
