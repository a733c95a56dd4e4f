import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { Environment } from '#platform/config/setting';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';

const RBAC = 'rbac.authorization.k8s.io';
/** Both roles of docs/applier-rights.md. */
const ROLES = ['apply', 'apply-listed'] as const;
/** Namespace of the accounts. Every cluster has it, and an additional one would get copies of CSVs. */
const NAMESPACE = 'kube-system';
const HOURS_6 = 6 * 3_600;
/** For appliers of a fleet, in the cluster with its objects. */
const FLEET = { file: 'k8s/components/fleet/rights.yaml', name: 'flotilla:fleet-apply' } as const;

/**
 * Returns the ClusterRole of appliers in this run of tests. FLOTILLA_TEST_ROLE names it: `apply` or
 * `apply-listed`. Without it they have the administrator's login of their cluster.
 */
export function roleOfAppliers(environment: Environment = process.env): string {
  const named = environment['FLOTILLA_TEST_ROLE'] ?? '';
  if (named === '') return 'cluster-admin';
  const role = ROLES.find((one) => one === named);
  if (role === undefined) throw new RangeError(`FLOTILLA_TEST_ROLE=${named}: no role; use ${ROLES.join(' or ')}`);
  return `flotilla:${role}`;
}

type ApplierLoginsOptions = Readonly<{
  environment?: Environment;
  /** Further kinds that the owner of a cluster lists, such as `things.example.com`. */
  alsoWrites?: readonly string[];
}>;

/**
 * Returns kubeconfigs of appliers for the contexts of these files. Their accounts have the role of this run
 * alone; either role has all rights of a poller, too. Returns the same files if the run names no role.
 */
export async function applierLogins(
  kubeconfigs: readonly string[],
  folder: string,
  { environment = process.env, alsoWrites = [] }: ApplierLoginsOptions = {},
): Promise<readonly string[]> {
  const role = roleOfAppliers(environment);
  if (role === 'cluster-admin') return kubeconfigs;
  const name = role.slice('flotilla:'.length);
  const account = { namespace: NAMESPACE, name: `flotilla-test-${name}` };
  const roles = [await shipped(`k8s/base/managed-cluster/${name}.yaml`, role)];
  roles.push(await shipped(FLEET.file, FLEET.name), writersOf(alsoWrites));
  const files: string[] = [];
  for (const [index, file] of kubeconfigs.entries()) {
    const path = join(folder, `applier-${index}.kubeconfig`);
    await writeFile(path, JSON.stringify(await withAccounts(file, account, roles)), { mode: 0o600 });
    files.push(path);
  }
  return files;
}

type Account = Readonly<{ namespace: string; name: string }>;

async function withAccounts(file: string, account: Account, roles: readonly KubernetesObject[]): Promise<object> {
  const config = parseKubeconfig(file, await readFile(file, 'utf8'));
  const clients = await loadClusters({ kubeconfigs: [file], fieldManager: 'flotilla-test-accounts' });
  try {
    const users = clients.map(async (client) => ({
      name: client.cluster,
      user: { token: await tokenFor(client, account, roles) },
    }));
    return {
      ...{
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': config.currentContext,
        users: await Promise.all(users),
      },
      clusters: clients.map(({ cluster: name }) => ({ name, cluster: config.access(name).cluster })),
      contexts: clients.map(({ cluster: name }) => ({ name, context: { cluster: name, user: name } })),
    };
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

async function tokenFor(client: KubeClient, account: Account, roles: readonly KubernetesObject[]): Promise<string> {
  await client.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  for (const role of roles) {
    await client.apply(role);
    await client.apply(bindingOf(account, role.metadata.name ?? ''));
  }
  return client.requestToken({ ...account, seconds: HOURS_6 });
}

const writersOf = (kinds: readonly string[]): KubernetesObject =>
  KubernetesObject.parse({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'also-listed' } },
    rules: kinds.map((kind) => {
      const [resource = '', ...group] = kind.split('.');
      return { apiGroups: [group.join('.')], resources: [resource], verbs: ['create', 'update', 'patch', 'delete'] };
    }),
  });

const bindingOf = (account: Account, role: string): KubernetesObject =>
  KubernetesObject.parse({
    ...{ apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name: `${account.name}:${role}` } },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  });

async function shipped(file: string, name: string): Promise<KubernetesObject> {
  const documents = parseAllDocuments(await readFile(join(PROJECT_ROOT, file), 'utf8'));
  const objects = documents.map((document) => KubernetesObject.parse(document.toJS()));
  const role = objects.find((object) => object.kind === 'ClusterRole' && object.metadata.name === name);
  if (role === undefined) throw new RangeError(`${file} has no ClusterRole ${name}`);
  return role;
}
