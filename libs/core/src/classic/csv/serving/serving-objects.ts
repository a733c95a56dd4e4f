import type { Action } from '../../../kernel/actions/action.js';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { csvNamespace } from '../../../kernel/api/csv-facts.js';
import { KIND, RBAC_GROUP } from '../../../kernel/api/kinds.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { csvOwnerLabels, MANAGED_LABEL, nonBlockingOwner } from '../../../kernel/api/owner-labels.js';
import { base64 } from '../../../kernel/text/base64.js';
import type { ServingCertificate } from '../certificates/serving-certificate.js';
import { authDelegatorName, authReaderName, CA_HASH_ANNOTATION, CA_KEY } from '../certificates/serving-names.js';
import { type ServingService, servingServices } from '../certificates/serving-service.js';
import { certificateFor } from '../world/certificates-of.js';
import type { CsvWorld } from '../world/csv-world.js';
import { holds } from './holds.js';
import { keepShared } from './shared-bindings.js';

/**
 * Applies Service, Secret and rights for each Deployment that the API server calls
 * (spec: csv-lifecycle.md §7). A service without a certificate is left out: the phase table does not
 * install before there is one.
 */
export const installServing = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  servingServices(csv).flatMap((service) => {
    const certificate = certificateFor(world, service);
    if (certificate === undefined) return [];
    return [
      ...ownObjects(csv, service, certificate).map((object): Action => ({ do: 'apply', object })),
      ...keepSharedBindings(csv, service, world),
    ];
  });

/**
 * Restores the parts of an installed operator that another writer has deleted or changed. A lost certificate
 * is not among them: then the whole operator is reinstalled (spec: csv-lifecycle.md §3, "certs due"). OLM
 * repairs only the parts of APIServices.
 */
export const repairServing = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  servingServices(csv).flatMap((service) => {
    const certificate = certificateFor(world, service);
    if (certificate === undefined) return [];
    const lost = ownObjects(csv, service, certificate).filter((object) => !stands(object, world));
    return [...lost.map((object): Action => ({ do: 'apply', object })), ...keepSharedBindings(csv, service, world)];
  });

/** True if the live object still has the content it was given. */
function stands({ kind, metadata: { name = '' }, ...content }: KubernetesObject, world: CsvWorld): boolean {
  const named = (list: readonly KubernetesObject[]) => list.find(({ metadata }) => metadata.name === name);
  switch (kind) {
    case 'Service':
      return holds(world.services.get(name)?.['spec'], content['spec']);
    case 'Role':
      return holds(named(world.roles)?.['rules'], content['rules']);
    case 'RoleBinding':
      return holds(named(world.roleBindings)?.['subjects'], content['subjects']);
    default:
      return true;
  }
}

function keepSharedBindings(csv: ClusterServiceVersion, service: ServingService, world: CsvWorld): readonly Action[] {
  const named = (list: readonly KubernetesObject[], kind: string, name: string) => {
    const live = list.find(({ metadata }) => metadata.name === name);
    return live && { ...live, apiVersion: KIND.RoleBinding.apiVersion, kind };
  };
  return sharedBindings(csv, service).flatMap((wanted) => {
    const { kind, metadata } = wanted;
    const list = kind === 'RoleBinding' ? world.authReaders : world.clusterRoleBindings;
    return keepShared(csv, wanted, named(list, kind, metadata.name ?? ''));
  });
}

/** Returns the objects in the CSV's namespace, which are deleted with it. */
function ownObjects(
  csv: ClusterServiceVersion,
  service: ServingService,
  certificate: ServingCertificate,
): readonly KubernetesObject[] {
  const namespace = csvNamespace(csv);
  const owned = (name: string) => ({
    name,
    namespace,
    labels: { [MANAGED_LABEL]: 'true' },
    ownerReferences: [nonBlockingOwner(csv)],
  });
  return [
    serviceObject(service, owned(service.name)),
    secretObject(certificate, owned(service.secretName)),
    {
      ...KIND.Role,
      metadata: owned(service.secretName),
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: [service.secretName] }],
    },
    {
      ...KIND.RoleBinding,
      metadata: owned(service.secretName),
      subjects: [accountOf(csv, service)],
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: service.secretName },
    },
  ];
}

const accountOf = (csv: ClusterServiceVersion, { serviceAccount }: ServingService) => ({
  kind: 'ServiceAccount',
  name: serviceAccount,
  namespace: csvNamespace(csv),
});

/**
 * Returns the objects outside the CSV's namespace. An operator of another namespace may have a Service of the
 * same name.
 */
function sharedBindings(csv: ClusterServiceVersion, service: ServingService): readonly KubernetesObject[] {
  const labels = { [MANAGED_LABEL]: 'true', ...csvOwnerLabels(csv) };
  const subjects = [accountOf(csv, service)];
  return [
    {
      ...KIND.ClusterRoleBinding,
      metadata: { name: authDelegatorName(service), labels },
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'system:auth-delegator' },
    },
    {
      ...KIND.RoleBinding,
      metadata: { name: authReaderName(service), namespace: 'kube-system', labels },
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: 'extension-apiserver-authentication-reader' },
    },
  ];
}

const serviceObject = (
  { ports, selector }: ServingService,
  metadata: KubernetesObject['metadata'],
): KubernetesObject => ({
  ...KIND.Service,
  metadata,
  spec: { ports: ports.map(({ port, targetPort }) => ({ name: String(port), port, targetPort })), selector },
});

const secretObject = (
  { caPem, certPem, keyPem, caHash }: ServingCertificate,
  metadata: KubernetesObject['metadata'],
): KubernetesObject => ({
  ...KIND.Secret,
  metadata: { ...metadata, annotations: { [CA_HASH_ANNOTATION]: caHash } },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64(certPem), 'tls.key': base64(keyPem), [CA_KEY]: base64(caPem) },
});
