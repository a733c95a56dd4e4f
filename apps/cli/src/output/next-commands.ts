import { shellWord } from '#core/kernel/text/shell-word';

/** The place of an InstallPlan. `access`: the options that lead to its cluster. */
export type PlanPlace = Readonly<{ access: string; namespace: string; name: string }>;

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):([^:]+)$/;

/** Returns the option of kubectl that names a user, or the ServiceAccount behind that user. */
function subjectOption(user: string): string {
  const [, namespace, name] = SERVICE_ACCOUNT.exec(user) ?? [];
  if (name !== undefined) return `--serviceaccount=${namespace}:${name}`;
  return `--user=${user === '' ? 'USER' : shellWord(user)}`;
}

const at = ({ access, namespace, name }: PlanPlace): string => `${name} -n ${namespace} ${access}`;

/**
 * The commands that answers and errors of `flotilla` name as the next step. The advice of explain and status
 * about an object stands in libs/core/src/cluster/advice/advice.ts.
 */
export const NEXT = {
  status: (hub?: string, access: readonly string[] = []): string =>
    ['flotilla status', ...(hub === undefined ? [] : [`--hub ${hub}`]), ...access].join(' '),
  statusOf: (access: string): string => `flotilla status ${access}`,
  tryWithoutClusters: (): string => 'flotilla demo',
  upWith: (file: string, context: string): string => `flotilla up --kubeconfig ${file} --context ${context}`,
  upFleet: (folder: string): string => `flotilla up --fleet ${shellWord(folder)}`,
  examine: (): string => 'flotilla doctor',
  everyCause: (asked: readonly string[]): string => ['flotilla status --all', ...asked].join(' '),
  explainSubscription: (): string => 'flotilla explain subscription NAME',
  explainPlan: (plan: PlanPlace): string => `flotilla explain installplan ${at(plan)}`,
  retryPlan: (plan: PlanPlace): string => `flotilla retry installplan ${at(plan)}`,
  planAllNamespaces: (): string => 'flotilla plan --live',
  validateCatalog: (reference: string): string => `flotilla catalog validate ${shellWord(reference)}`,
  addCluster: (): string => 'flotilla clusters add',
  listClusters: (): string => 'flotilla clusters list',
  checkClusters: (): string => 'flotilla clusters check',
  assess: (access: string): string => `flotilla assess ${access}`,
  resumeCluster: (name: string): string => `flotilla clusters resume ${name}`,
  handoverFromOlm: (named: string): string => `flotilla clusters handover ${named} --from olm`,
  handoverToOlm: (named: string): string => `flotilla clusters handover ${named} --to olm`,
  migrateSubscription: (name: string, namespace: string, access: string): string =>
    `flotilla migrate subscription ${name} -n ${namespace} ${access}`,
  migrateExtension: (name: string, access: string): string => `flotilla migrate extension ${name} ${access}`,
  removeCluster: (name: string): string => `flotilla clusters remove ${name} --yes`,
  removeFromFleet: (name: string, hub: string): string =>
    `flotilla clusters remove ${name} --yes --fleet ${shellWord(hub)}`,
  installCrds: (access: string): string => `kubectl ${access} apply --server-side -f k8s/crds -f k8s/joining`,
  importRole: (from: string, namespace?: string): string =>
    `flotilla clusters import --from ${from}${namespace === undefined ? '' : ` -n ${namespace}`} --role`,
  acceptCluster: (name: string): string => `flotilla clusters accept ${shellWord(name)}`,
  initFleet: (context: string): string => `flotilla fleet init --context ${shellWord(context)}`,
  exportFleet: (): string => 'flotilla fleet export --from-clusters --out fleet',
  planFiles: (folder: string): string => `flotilla fleet plan -f ${shellWord(folder)}`,
  fleetRollout: (rollout: string): string => `flotilla fleet status ${rollout}`,
  fleetPlan: (rollout: string): string => `flotilla fleet plan ${rollout}`,
  fleetClass: (rollout: string, hash: string): string => `flotilla fleet plan ${rollout} --class ${hash}`,
  fleetExplain: (rollout: string, cluster: string): string => `flotilla fleet explain ${rollout} -C ${cluster}`,
  fleetFailures: (rollout: string): string => `flotilla fleet explain ${rollout}`,
  fleetWindows: (cluster: string): string => `flotilla fleet windows -C ${cluster}`,
  approveClass: (rollout: string, hash: string): string =>
    `flotilla fleet approve ${rollout} --class ${hash} --reason "…"`,
  promoteWave: (rollout: string, wave: string): string =>
    `flotilla fleet promote ${rollout} --wave ${wave} --reason "…"`,
  resumeRollout: (rollout: string): string => `flotilla fleet resume ${rollout} --reason "…"`,
  retryCluster: (rollout: string, cluster: string): string =>
    `flotilla fleet retry ${rollout} -C ${cluster} --reason "…"`,
  abortRollout: (rollout: string): string => `flotilla fleet abort ${rollout} --reason "…"`,
  retryRollout: (rollout: string): string => `flotilla fleet retry ${rollout} --reason "…"`,
  skipCluster: (rollout: string, cluster: string): string =>
    `flotilla fleet skip ${rollout} -C ${cluster} --reason "…"`,
  rollBack: (rollout: string): string => `flotilla fleet rollback ${rollout} --reason "…"`,
  breakGlass: (rollout: string): string => `flotilla fleet break-glass ${rollout} --for 1h --reason "…"`,
  /** Grants a view to people of a team: in one namespace, or, without one, in all. */
  grantView: (role: 'view' | 'view-catalogs' | 'view-cluster', user: string, namespace?: string): string =>
    namespace === undefined
      ? `kubectl create clusterrolebinding flotilla-${role} --clusterrole=flotilla:${role} ${subjectOption(user)}`
      : `kubectl -n ${namespace} create rolebinding flotilla-${role} --clusterrole=flotilla:${role} ${subjectOption(user)}`,
  /** Grants a role to a user, or to a placeholder if the name of the user is empty. */
  grantRole: (role: string, user: string): readonly string[] => [
    'kubectl apply -k k8s/base/managed-cluster',
    `kubectl create clusterrolebinding flotilla:${role} --clusterrole=flotilla:${role} ${subjectOption(user)}`,
  ],
} as const;
