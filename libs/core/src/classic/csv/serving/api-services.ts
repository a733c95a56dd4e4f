import { z } from 'zod';
import { configFor } from '../../../catalog/bundle/subscription-config.js';
import type { Action } from '../../../kernel/actions/action.js';
import type { ApiServiceDescription, ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvName, csvNamespace, ownedApiServices } from '../../../kernel/api/csv-facts.js';
import { KIND } from '../../../kernel/api/kinds.js';
import { type KubernetesObject, refOf } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, hasLabels, MANAGED_LABEL } from '../../../kernel/api/owner-labels.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import { isTrue } from '../../../kernel/conditions/condition-list.js';
import { base64 } from '../../../kernel/text/base64.js';
import { servingPort, servingServices } from '../certificates/serving-service.js';
import { certificateFor } from '../world/certificates-of.js';
import type { ComponentProblem } from '../world/component-problem.js';
import { type CsvWorld } from '../world/csv-world.js';
import { predecessors } from '../world/replacement-chain.js';
import { isBackendDisrupted } from './backend-disruption.js';

export const API_SERVICE = KIND.APIService;
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

/**
 * True if a live APIService may be adopted: it belongs to this CSV, to a CSV that this one replaces, or to a
 * CSV that is being deleted.
 */
export const isAdoptable = (live: KubernetesObject, csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  [csv, ...predecessors(csv, world.csvs), ...world.csvs.filter(isGoing)].some((owner) =>
    hasLabels(live, csvOwnerLabels(owner)),
  );

const isGoing = ({ status }: ClusterServiceVersion): boolean =>
  status?.phase === 'Replacing' || status?.phase === 'Deleting';

/** True if one of the owned APIServices belongs to another owner. */
export const ownsUnadoptable = (csv: ClusterServiceVersion, world: CsvWorld): boolean =>
  ownedApiServices(csv).some((api) => {
    const live = world.apiServices.get(apiServiceName(api));
    return live !== undefined && !isAdoptable(live, csv, world);
  });

/** Returns the authority in an APIService, unchanged. Undefined if there is none. */
export function caBundleOf(live: KubernetesObject | undefined): string | undefined {
  const view = View.safeParse(live);
  return view.success ? view.data.spec.caBundle || undefined : undefined;
}

/** The Service that an APIService leads to. */
export function serviceOf(live: KubernetesObject): Readonly<{ name: string; namespace: string }> | undefined {
  const view = View.safeParse(live);
  return view.success ? (view.data.spec.service ?? undefined) : undefined;
}

/**
 * Checks that every owned API is served through the operator. The first that is not decides (spec:
 * csv-lifecycle.md §5, Check).
 */
export function checkApiServices(csv: ClusterServiceVersion, world: CsvWorld): ComponentProblem | undefined {
  for (const api of ownedApiServices(csv)) {
    const live = world.apiServices.get(apiServiceName(api));
    if (live !== undefined && !isAvailable(live) && isBackendDisrupted(csv, world)) {
      const message = `APIService ${apiServiceName(api)} temporarily unavailable due to pod disruption`;
      return { kind: 'backendDisrupted', message };
    }
    if (live === undefined || !isAvailable(live) || !world.servedKinds.has(servedKey(api))) {
      return { kind: 'apiServicesMissing', message: 'apiServices not installed' };
    }
  }
  return undefined;
}

function isAvailable(live: KubernetesObject): boolean {
  const view = View.safeParse(live);
  const conditions = view.success ? (view.data.status?.conditions ?? []) : [];
  return isTrue(conditions, 'Available');
}

/** Deletes owned APIServices with this CSV's labels. */
export const deleteApiServices = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  ownedApiServices(csv).flatMap((api): Action[] => {
    const live = world.apiServices.get(apiServiceName(api));
    if (live === undefined || !hasLabels(live, csvOwnerLabels(csv))) return [];
    const ref = refOf({ ...live, ...API_SERVICE });
    return [{ do: 'delete', ref: { ...ref, namespace: undefined }, propagation: 'Background', uid: live.metadata.uid }];
  });
