import type { Action } from '../../actions/action.js';
import type { ClusterServiceVersion } from '../../api/cluster-service-version.js';
import type { KubernetesObject } from '../../api/kubernetes-object.js';
import { csvNamespace } from '../csv-facts.js';
import type { CsvWorld } from '../csv-world.js';
import { csvOwnerLabels, MANAGED_LABEL, nonBlockingOwner } from '../owner-labels.js';
import { certificateFor } from './certificates-of.js';
import type { ServingCertificate } from './serving-certificate.js';
import { type ServingService, servingServices } from './serving-service.js';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';
const RBAC = `${RBAC_GROUP}/v1`;
/** Says by which authority a certificate was signed. */
export const CA_HASH_ANNOTATION = 'olmcahash';
/** Key of the authority's certificate in a Secret with a serving certificate. */
export const CA_KEY = 'olmCAKey';

/** Name of the ClusterRoleBinding that lets an operator ask whose token it was sent. */
export const authDelegatorName = ({ name }: ServingService): string => `${name}-system:auth-delegator`;

/** Name of the RoleBinding in kube-system that lets an operator read how the API server authenticates itself. */
export const authReaderName = ({ name }: ServingService): string => `${name}-auth-reader`;

/**
 * Applies Service, Secret and rights for each Deployment that the API server calls (spec: csv-lifecycle.md §7). A service
 * without a certificate is left out: the phase table does not install before there is one.
 */
export const installServing = (csv: ClusterServiceVersion, world: CsvWorld): readonly Action[] =>
  servingServices(csv).flatMap((service) => {
    const certificate = certificateFor(world, service);
    if (certificate === undefined) return [];
    return servingObjects(csv, service, certificate).map((object): Action => ({ do: 'apply', object }));
  });

function servingObjects(
  csv: ClusterServiceVersion,
  service: ServingService,
  certificate: ServingCertificate,
): readonly KubernetesObject[] {
  const namespace = csvNamespace(csv);
  const subjects = [{ kind: 'ServiceAccount', name: service.serviceAccount, namespace }];
  const owned = (name: string) => ({
    name,
    namespace,
    labels: { [MANAGED_LABEL]: 'true' },
    ownerReferences: [nonBlockingOwner(csv)],
  });
  const labels = { [MANAGED_LABEL]: 'true', ...csvOwnerLabels(csv) };
  return [
    serviceObject(service, owned(service.name)),
    secretObject(certificate, owned(service.secretName)),
    {
      apiVersion: RBAC,
      kind: 'Role',
      metadata: owned(service.secretName),
      rules: [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'], resourceNames: [service.secretName] }],
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
      metadata: owned(service.secretName),
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'Role', name: service.secretName },
    },
    {
      apiVersion: RBAC,
      kind: 'ClusterRoleBinding',
      metadata: { name: authDelegatorName(service), labels },
      subjects,
      roleRef: { apiGroup: RBAC_GROUP, kind: 'ClusterRole', name: 'system:auth-delegator' },
    },
    {
      apiVersion: RBAC,
      kind: 'RoleBinding',
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
  apiVersion: 'v1',
  kind: 'Service',
  metadata,
  spec: { ports: ports.map(({ port, targetPort }) => ({ name: String(port), port, targetPort })), selector },
});

const secretObject = (
  { caPem, certPem, keyPem, caHash }: ServingCertificate,
  metadata: KubernetesObject['metadata'],
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { ...metadata, annotations: { [CA_HASH_ANNOTATION]: caHash } },
  type: 'kubernetes.io/tls',
  data: { 'tls.crt': base64(certPem), 'tls.key': base64(keyPem), [CA_KEY]: base64(caPem) },
});

/** PEM texts are plain ASCII. */
export const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');
