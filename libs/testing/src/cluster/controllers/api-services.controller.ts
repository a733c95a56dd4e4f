import { type ClusterState, timestamp } from '../cluster-state.js';
import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import { builtinResources } from '../resources/builtin-resources.js';
import { freshMetadata } from '../resources/cluster-seed.js';
import { servedVersions } from '../resources/custom-resource-info.js';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';
const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

type Availability = Readonly<{ status: 'True' | 'False'; reason: string; message: string }>;

const LOCAL: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };

const availableCondition = ({ status, reason, message }: Availability): JsonObject => ({
  conditions: [{ type: 'Available', status, lastTransitionTime: timestamp(), reason, message }],
});

function localApiService(group: string, version: string, automanaged: string): ApiObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {
      ...freshMetadata(group === '' ? `${version}.` : `${version}.${group}`),
      resourceVersion: '1',
      labels: { [AUTOMANAGED]: automanaged },
    },
    spec: { ...(group === '' ? {} : { group }), version, groupPriorityMinimum: 1000, versionPriority: 100 },
    status: availableCondition(LOCAL),
  };
}

let builtinServices: readonly ApiObject[] | undefined;

/** The APIServices of the built-in groups: one set of objects that all clusters of the process share. */
function sharedApiServices(): readonly ApiObject[] {
  builtinServices ??= [...new Set([...builtinResources.values()].map(({ group }) => group))].map((group) =>
    localApiService(group, 'v1', 'onstart'),
  );
  return builtinServices;
}

/** Keeps an APIService for every served custom group and version, and the Available condition of those with a Service. */
export class ApiServicesController {
  constructor(readonly cluster: ClusterState) {
    for (const service of sharedApiServices()) cluster.storage.seed(API_SERVICES, service);
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange({ resource, type, object }: Change): void {
    if (resource === CRDS) this.cluster.after(0, () => this.#syncGroup(stringAt(object, 'spec', 'group') ?? ''));
    else if (resource === API_SERVICES && type !== 'DELETED') {
      this.cluster.after(0, () => this.#syncAvailability(object.metadata.name));
    } else if (resource === 'services') this.cluster.after(0, () => this.#syncAll());
  }

  #syncGroup(group: string): void {
    const { storage } = this.cluster;
    const crds = storage.list(CRDS).filter((crd) => stringAt(crd, 'spec', 'group') === group);
    const served = new Set(crds.flatMap(servedVersions));
    for (const version of served) {
      if (storage.get(API_SERVICES, `/${version}.${group}`) === undefined) {
        storage.put(API_SERVICES, localApiService(group, version, 'true'));
      }
    }
    for (const service of storage.list(API_SERVICES)) {
      const automatic =
        service.metadata.labels?.[AUTOMANAGED] === 'true' && stringAt(service, 'spec', 'group') === group;
      if (automatic && !served.has(stringAt(service, 'spec', 'version') ?? '')) storage.remove(API_SERVICES, service);
    }
  }

  #syncAll(): void {
    for (const service of this.cluster.storage.list(API_SERVICES)) {
      if (objectAt(service, 'spec', 'service') !== undefined) this.#syncAvailability(service.metadata.name);
    }
  }

  #syncAvailability(name: string): void {
    const service = this.cluster.storage.get(API_SERVICES, `/${name}`);
    if (service === undefined) return;
    const availability = this.#availability(service);
    const old = arrayAt(service, 'status', 'conditions').find(isObject);
    if (old?.status === availability.status && old.reason === availability.reason) return;
    this.cluster.storage.put(API_SERVICES, { ...service, status: availableCondition(availability) });
  }

  #availability(apiService: ApiObject): Availability {
    const reference = objectAt(apiService, 'spec', 'service');
    if (reference === undefined) return LOCAL;
    const [namespace, name] = [stringAt(reference, 'namespace') ?? '', stringAt(reference, 'name') ?? ''];
    if (this.cluster.storage.get('services', `${namespace}/${name}`) !== undefined) {
      return { status: 'True', reason: 'Passed', message: 'all checks passed' };
    }
    return { status: 'False', reason: 'ServiceNotFound', message: `service/${name} in "${namespace}" is not present` };
  }
}
