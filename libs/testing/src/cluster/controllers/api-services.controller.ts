import type { ApiObject } from '../objects/api-object.js';
import { arrayAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from '../objects/json.js';
import type { Change } from '../objects/storage.js';
import { builtinResources } from '../resources/builtin-resources.js';
import { servedVersions } from '../resources/custom-resource-info.js';
import { freshMetadata } from '../state/cluster-seed.js';
import { type ClusterState, timestamp } from '../state/cluster-state.js';
import { askBackend } from './discovery-check.js';
import { backendOf, type ServiceBackend } from './service-backends.js';

const API_SERVICES = 'apiservices.apiregistration.k8s.io';
const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
/** Kinds that decide over the availability of an aggregated API, in addition to the API itself. */
const BEHIND = new Set(['services', 'deployments.apps']);
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

type Availability = Readonly<{ status: 'True' | 'False'; reason: string; message: string }>;

type Address = Extract<ServiceBackend, object>;

/** How soon a backend that did not answer well is asked again. */
const ASK_AGAIN_MS = 200;

const unavailable = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

const LOCAL: Availability = { status: 'True', reason: 'Local', message: 'Local APIServices are always available' };

const availableCondition = ({ status, reason, message }: Availability): JsonObject => ({
  conditions: [{ type: 'Available', status, lastTransitionTime: timestamp(), reason, message }],
});

const discoveryPath = (apiService: ApiObject): string =>
  `/apis/${stringAt(apiService, 'spec', 'group')}/${stringAt(apiService, 'spec', 'version')}`;

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
  const versions = [...builtinResources.values()].map(
    ({ group, versions: [version = 'v1'] }) => [group, version] as const,
  );
  builtinServices ??= [...new Map(versions)].map(([group, version]) => localApiService(group, version, 'onstart'));
  return builtinServices;
}

/**
 * Keeps an APIService for every served custom group and version, and the Available condition
 * of those with a Service.
 */
export class ApiServicesController {
  readonly #checking = new Set<string>();
  constructor(readonly cluster: ClusterState) {
    for (const service of sharedApiServices()) cluster.storage.seed(API_SERVICES, service);
    cluster.storage.onChange((change) => this.#onChange(change));
  }

  #onChange({ resource, type, object }: Change): void {
    if (resource === CRDS) this.cluster.after(0, () => this.#syncGroup(stringAt(object, 'spec', 'group') ?? ''));
    else if (resource === API_SERVICES && type === 'DELETED') this.cluster.aggregatedApis.delete(discoveryPath(object));
    else if (resource === API_SERVICES) {
      this.cluster.after(0, () => this.#syncAvailability(object.metadata.name));
    } else if (BEHIND.has(resource)) this.cluster.after(0, () => this.#syncAll());
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
    const apiService = this.cluster.storage.get(API_SERVICES, `/${name}`);
    if (apiService === undefined) return;
    const availability = this.#availability(apiService);
    if ('status' in availability) this.#report(apiService, availability);
    else void this.#check(apiService, availability);
  }

  #report(apiService: ApiObject, availability: Availability): void {
    const old = arrayAt(apiService, 'status', 'conditions').find(isObject);
    if (old?.status === availability.status && old.reason === availability.reason) return;
    this.cluster.storage.put(API_SERVICES, { ...apiService, status: availableCondition(availability) });
  }

  /** Asks a backend that really is there; one that does not answer well is asked again. */
  async #check(apiService: ApiObject, { address, port }: Address): Promise<void> {
    const { name, uid } = apiService.metadata;
    if (this.#checking.has(uid)) return;
    this.#checking.add(uid);
    const { service, caBundle } = objectAt(apiService, 'spec') ?? {};
    const path = discoveryPath(apiService);
    const answer = await askBackend(`https://${address}:${port}${path}`, {
      servername: `${stringAt(service, 'name')}.${stringAt(service, 'namespace')}.svc`,
      ca: typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : undefined,
    });
    this.#checking.delete(uid);
    const current = this.cluster.storage.get(API_SERVICES, `/${name}`);
    if (current?.metadata.uid !== uid) return;
    if ('served' in answer) {
      this.cluster.aggregatedApis.set(path, answer.served);
      this.#report(current, PASSED);
    } else {
      this.cluster.aggregatedApis.delete(path);
      this.#report(current, unavailable('FailedDiscoveryCheck', answer.fault));
      this.cluster.after(ASK_AGAIN_MS, () => this.#syncAvailability(name));
    }
  }

  #availability(apiService: ApiObject): Availability | Address {
    const reference = objectAt(apiService, 'spec', 'service');
    if (reference === undefined) return LOCAL;
    const [namespace, name] = [stringAt(reference, 'namespace') ?? '', stringAt(reference, 'name') ?? ''];
    const service = this.cluster.storage.get('services', `${namespace}/${name}`);
    if (service === undefined) {
      return unavailable('ServiceNotFound', `service/${name} in "${namespace}" is not present`);
    }
    const port = numberAt(reference, 'port') ?? 443;
    const entry = arrayAt(service, 'spec', 'ports').find((one) => numberAt(one, 'port') === port);
    if (entry === undefined) {
      return unavailable('ServicePortError', `service/${name} in "${namespace}" is not listening on port ${port}`);
    }
    const backend = backendOf(this.cluster, service, port);
    if (backend === 'simulated') return PASSED;
    if (backend !== 'none') return backend;
    const why = `have no addresses with port name "${stringAt(entry, 'name') ?? ''}"`;
    return unavailable('MissingEndpoints', `endpointslices for service/${name} in "${namespace}" ${why}`);
  }
}
