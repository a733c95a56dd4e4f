import type { ImportTool, LoginFormat } from '../../kernel/api/fleet/fleet-cluster-source.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isRecord } from '../../kernel/json/json-access.js';
import { dnsName } from '../../kernel/labels/dns-name.js';
import { subdomainProblems } from '../../kernel/labels/label-syntax.js';
import { foreignLogin, secretText } from './foreign-login.js';
import { copiedAnnotations, copiedLabels } from './foreign-metadata.js';

type Texts = Readonly<Record<string, string>>;

/** A cluster that another tool knows, as its FleetCluster gets it. */
export type ForeignCluster = Readonly<{
  /** The object of the tool, in messages and marks: `Secret argocd/east`. */
  origin: string;
  name: string;
  labels: Texts;
  annotations: Texts;
  /** The Secret with its login. Absent: the tool has none to give. */
  login?: Readonly<{ name: string; namespace: string; format: LoginFormat }>;
  /** Labels and annotations that are not copied. */
  notes: readonly string[];
}>;

/** An object of a tool that is not taken as a cluster. */
export type RefusedCluster = Readonly<{ origin: string; refused: string }>;
export type ForeignReading = ForeignCluster | RefusedCluster;

const LONGEST_NAME = 253;
/** Both tools name the Secrets of logins so. Others with the same labels are keys and start scripts. */
export const LOGIN_SUFFIX = '-kubeconfig';

/**
 * Reads one object of a tool as a cluster.
 *
 * - Argo CD: a Secret with label `argocd.argoproj.io/secret-type: cluster`
 *   (https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters).
 * - Cluster API: a Cluster; its kubeconfig is in Secret `NAME-kubeconfig` of its namespace
 *   (https://main.cluster-api.sigs.k8s.io/developer/core/controllers/cluster, "Kubeconfig Secrets").
 * - Rancher: a Cluster of provisioning.cattle.io; `status.clientSecretName` names its kubeconfig, otherwise
 *   `NAME-kubeconfig` (https://github.com/rancher/rancher, pkg/provisioningv2/kubeconfig/manager.go).
 * - Open Cluster Management: a ManagedCluster, accepted by its hub; the hub has no login there
 *   (https://open-cluster-management.io/docs/concepts/cluster-inventory/managedcluster/).
 */
export function foreignCluster(tool: ImportTool, object: KubernetesObject): ForeignReading {
  const origin = originOf(object);
  switch (tool) {
    case 'ArgoCD':
      return fromArgo(origin, object);
    case 'ClusterAPI':
      return named(origin, object, loginOf(tool, object, `${object.metadata.name}${LOGIN_SUFFIX}`));
    case 'Rancher':
      return named(origin, object, loginOf(tool, object, rancherSecret(object)));
    case 'OCM':
      return isAccepted(object) ? named(origin, object) : { origin, refused: 'its hub has not accepted it yet' };
  }
}

/** Names an object of a tool: kind with its group, namespace and name. */
function originOf({ apiVersion, kind, metadata }: KubernetesObject): string {
  const [group = '', version] = apiVersion.split('/');
  const { namespace, name = '' } = metadata;
  const place = namespace === undefined ? name : `${namespace}/${name}`;
  return `${version === undefined ? kind : `${kind}.${group}`} ${place}`;
}

function fromArgo(origin: string, secret: KubernetesObject): ForeignReading {
  const login = foreignLogin('ArgoCD', secret);
  if ('refused' in login) return { origin, refused: login.refused };
  const name = secretText(secret, 'name');
  const server = secretText(secret, 'server');
  // Argo CD itself takes the address in the place of an absent name.
  const text = 'text' in name ? name.text : 'text' in server ? server.text : '';
  return taken(origin, text, secret, loginOf('ArgoCD', secret, secret.metadata.name ?? ''));
}

type Login = NonNullable<ForeignCluster['login']>;

const loginOf = (format: LoginFormat, { metadata }: KubernetesObject, name: string): Login => ({
  name,
  namespace: metadata.namespace ?? '',
  format,
});

const named = (origin: string, object: KubernetesObject, login?: Login): ForeignReading =>
  taken(origin, object.metadata.name ?? '', object, login);

function taken(origin: string, text: string, { metadata }: KubernetesObject, login?: Login): ForeignReading {
  const shown = JSON.stringify(text.trim().slice(0, 80));
  if (text.length > LONGEST_NAME)
    return { origin, refused: `its name ${shown}… is longer than ${LONGEST_NAME} characters` };
  if (!/[a-z0-9]/i.test(text)) return { origin, refused: `its name ${shown} has no letter and no digit` };
  const name = dnsName(text.trim());
  if (subdomainProblems(name).length > 0) return { origin, refused: `its name ${shown} gives no DNS subdomain` };
  if (login !== undefined && subdomainProblems(login.name).length > 0) {
    return { origin, refused: 'the name of its Secret is not a DNS subdomain' };
  }
  if (login !== undefined && login.format !== 'ArgoCD' && !login.name.endsWith(LOGIN_SUFFIX)) {
    return { origin, refused: `the name of its Secret does not end in ${LOGIN_SUFFIX}: the hub reads no other one` };
  }
  const labels = copiedLabels(metadata.labels);
  const annotations = copiedAnnotations(metadata.annotations);
  const notes = [...labels.notes, ...annotations.notes];
  const common = { origin, name, labels: labels.copied, annotations: annotations.copied, notes };
  return login === undefined ? common : { ...common, login };
}

function rancherSecret(object: KubernetesObject): string {
  const { status } = object;
  const given = isRecord(status) ? status['clientSecretName'] : undefined;
  return typeof given === 'string' && given !== '' ? given : `${object.metadata.name}${LOGIN_SUFFIX}`;
}

function isAccepted({ spec }: KubernetesObject): boolean {
  return isRecord(spec) && spec['hubAcceptsClient'] === true;
}
