import type { ImportTool } from '../../kernel/api/fleet/fleet-cluster-source.js';

/** An account of the hub: a ServiceAccount `NAMESPACE/NAME`, or the name of a user. */
export type HubAccount = string;

type RoleInput = Readonly<{
  tool: ImportTool;
  /** The namespace of the tool's objects. Absent for OCM. */
  namespace?: string | undefined;
  /** The accounts of poller and applier. */
  accounts: readonly HubAccount[];
}>;

/** The kinds of each tool. Preferred versions come first. The selector finds objects that are clusters. */
export const TOOL_KINDS: Readonly<
  Record<
    ImportTool,
    Readonly<{ kind: string; group: string; versions: readonly string[]; plural: string; labelSelector?: string }>
  >
> = {
  ArgoCD: {
    ...{ kind: 'Secret', group: '', versions: ['v1'], plural: 'secrets' },
    labelSelector: 'argocd.argoproj.io/secret-type=cluster',
  },
  ClusterAPI: { kind: 'Cluster', group: 'cluster.x-k8s.io', versions: ['v1beta2', 'v1beta1'], plural: 'clusters' },
  Rancher: { kind: 'Cluster', group: 'provisioning.cattle.io', versions: ['v1'], plural: 'clusters' },
  OCM: {
    ...{ kind: 'ManagedCluster', group: 'cluster.open-cluster-management.io', versions: ['v1'] },
    plural: 'managedclusters',
  },
};

/** Names the objects of a tool in messages: `clusters.cluster.x-k8s.io in namespace capi`. */
export function toolObjects(tool: ImportTool, namespace: string | undefined): string {
  const { plural, group } = TOOL_KINDS[tool];
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `${group === '' ? plural : `${plural}.${group}`}${where}`;
}

/** Names the Role and its binding: several tools may share a namespace. */
const roleName = (tool: ImportTool): string => `flotilla-import-${tool.toLowerCase()}`;

/**
 * Returns the Role and its binding that let the hub read the clusters of a tool, as YAML. The owner of the
 * namespace applies it. Kubernetes cannot narrow it to Secrets with a label.
 */
export function importRole({ tool, namespace, accounts }: RoleInput): string {
  const { group, plural } = TOOL_KINDS[tool];
  const isGlobal = namespace === undefined;
  const name = roleName(tool);
  const place = isGlobal ? '' : `\n  namespace: ${namespace}`;
  const [role, binding] = isGlobal ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
  const rules = [...(group === '' ? [] : [ruleOf(group, plural)]), ...(tool === 'OCM' ? [] : [ruleOf('', 'secrets')])];
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${role}`,
    `metadata:\n  name: ${name}${place}`,
    `rules:\n${rules.join('\n')}`,
    '---',
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${binding}`,
    `metadata:\n  name: ${name}${place}`,
    `roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ${role}\n  name: ${name}`,
    `subjects:\n${accounts.map(subjectOf).join('\n')}`,
    '',
  ].join('\n');
}

const ruleOf = (group: string, plural: string): string =>
  `  - apiGroups: ["${group}"]\n    resources: [${plural}]\n    verbs: [get, list, watch]`;

function subjectOf(account: HubAccount): string {
  const [namespace, name, ...rest] = account.split('/');
  if (name !== undefined && rest.length === 0) {
    return `  - kind: ServiceAccount\n    name: ${JSON.stringify(name)}\n    namespace: ${JSON.stringify(namespace)}`;
  }
  return `  - kind: User\n    apiGroup: rbac.authorization.k8s.io\n    name: ${JSON.stringify(account)}`;
}
