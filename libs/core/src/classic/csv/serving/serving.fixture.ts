import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import { ownedApiServices } from '../../../kernel/api/csv-facts.js';
import type { KubernetesObject } from '../../../kernel/api/kubernetes-object.js';
import { servedKey } from '../../../kernel/api/served-key.js';
import type { ServingCertificate } from '../certificates/serving-certificate.js';
import { installActions } from '../install/install-components.js';
import { NOW, world } from '../world/csv-world.fixture.js';
import { type CsvWorld } from '../world/csv-world.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const HOSTS = ['gear-service.mill', 'gear-service.mill.svc', 'gear-service.mill.svc.cluster.local'];

/** A certificate for the Deployment `gear`, made yesterday and good for 700 days; `parts` on top. */
export const certificate = (parts: Partial<ServingCertificate> = {}): ServingCertificate => ({
  caPem: 'ca',
  certPem: 'cert',
  keyPem: 'key',
  caHash: 'hash-of-ca',
  notBefore: new Date(NOW.getTime() - DAY_MS),
  notAfter: new Date(NOW.getTime() + 700 * DAY_MS),
  hosts: HOSTS,
  ...parts,
});

/** {@link certificate} in the Secret of the Deployment `gear`. */
export const held = (parts: Partial<ServingCertificate> = {}) => new Map([['gear-service-cert', certificate(parts)]]);

/** Ends tomorrow. */
export const heldButDue = () => held({ notAfter: new Date(NOW.getTime() + DAY_MS) });

const condition = (type: string) => ({ type, status: 'True' });

/** Returns everything that the install of the CSV writes, with all of it running. */
export function installed(csv: ClusterServiceVersion, seen: Partial<CsvWorld> = {}): CsvWorld {
  const before = world({ csvs: [csv], servingCertificates: held(), ...seen });
  const written = installActions(csv, before).flatMap((action) =>
    action.do === 'create' || action.do === 'apply' ? [action.object] : [],
  );
  const of = (kind: string): readonly KubernetesObject[] => written.filter((one) => one.kind === kind);
  const available = (one: KubernetesObject) => ({ ...one, status: { conditions: [condition('Available')] } });
  const inKubeSystem = ({ metadata }: KubernetesObject) => metadata.namespace === 'kube-system';
  return {
    ...before,
    deployments: of('Deployment').map(available),
    apiServices: new Map(of('APIService').map((one) => [one.metadata.name ?? '', available(one)])),
    services: new Map(of('Service').map((one) => [one.metadata.name ?? '', one])),
    serviceAccounts: [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'mill' } }],
    roles: of('Role'),
    roleBindings: of('RoleBinding').filter((one) => !inKubeSystem(one)),
    authReaders: of('RoleBinding').filter(inKubeSystem),
    clusterRoleBindings: of('ClusterRoleBinding'),
    webhookConfigurations: [...of('ValidatingWebhookConfiguration'), ...of('MutatingWebhookConfiguration')],
    servedKinds: new Set(ownedApiServices(csv).map(servedKey)),
  };
}
