import { networkInterfaces } from 'node:os';
import { loadClusters } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { LONG_PATIENCE_MS, pause } from '../patience.js';
import type { Binaries } from './binaries.js';
import type { ChildProcesses } from './child-processes.js';
import { ControlPlaneFailed } from './control-plane.js';

const NODE = 'node-1';

/** The controllers that operators, and the objects they make, depend on. */
const CONTROLLERS = [
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'namespace-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
];

export type LocalClusterPlan = Readonly<{
  name: string;
  port: number;
  etcdUrl: string;
  kubeconfigPath: string;
  files: Readonly<{
    serviceAccountKey: string;
    certificate: string;
    certificateKey: string;
    authority: string;
    tokens: string;
  }>;
  apiServerArguments: readonly string[];
}>;

/**
 * Starts one cluster: an API server on a shared etcd, its controllers, a scheduler, and kwok
 * in the place of kubelets.
 */
export async function startLocalCluster(
  plan: LocalClusterPlan,
  binaries: Binaries,
  processes: ChildProcesses,
): Promise<void> {
  const { name, kubeconfigPath } = plan;
  processes.start(apiServerOf(name), binaries['kube-apiserver'], apiServerArguments(plan));
  const [client] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-control-plane' });
  if (client === undefined) throw new ControlPlaneFailed(`${kubeconfigPath} has no context`);
  try {
    await untilItAnswers(processes, name, client);
    processes.start(
      `${name}-kube-controller-manager`,
      binaries['kube-controller-manager'],
      controllerManagerArguments(plan),
    );
    processes.start(`${name}-kube-scheduler`, binaries['kube-scheduler'], schedulerArguments(plan));
    processes.start(`${name}-kwok`, binaries.kwok, [
      `--kubeconfig=${kubeconfigPath}`,
      '--manage-all-nodes=true',
      `--config=${kubeconfigPath}.kwok`,
      ...nodeAddress(),
    ]);
    await client.create(node());
    await until(processes, `the node and service accounts of ${name}`, async () => {
      const [live, account] = await Promise.all([
        client.get({ apiVersion: 'v1', kind: 'Node', name: NODE }),
        client.get({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'default' }),
      ]);
      return account !== undefined && JSON.stringify(live?.['status'] ?? {}).includes('"KubeletReady"');
    });
  } finally {
    await client.close();
  }
}

/** Kills the API server and starts it again after so long; resolves when it answers. */
export async function crashApiServer(
  cluster: Pick<LocalClusterPlan, 'name' | 'kubeconfigPath'>,
  awayMs: number,
  processes: ChildProcesses,
): Promise<void> {
  await processes.crash(apiServerOf(cluster.name), awayMs);
  await apiServerAnswers(cluster, processes);
}

/** Resolves when the API server answers. */
export async function apiServerAnswers(
  { name, kubeconfigPath }: Pick<LocalClusterPlan, 'name' | 'kubeconfigPath'>,
  processes: ChildProcesses,
): Promise<void> {
  const [client] = await loadClusters({ kubeconfigs: [kubeconfigPath], fieldManager: 'flotilla-control-plane' });
  if (client === undefined) throw new ControlPlaneFailed(`${kubeconfigPath} has no context`);
  try {
    await untilItAnswers(processes, name, client);
  } finally {
    await client.close();
  }
}

/** Name of the API server's process. */
export const apiServerOf = (name: string): string => `${name}-kube-apiserver`;

const untilItAnswers = (processes: ChildProcesses, name: string, client: KubeClient): Promise<void> =>
  until(processes, `the API server of ${name}`, async () => {
    const roles = await client.list({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole' });
    return (await client.serverVersion()) !== '' && (roles?.items.some(isAdmin) ?? false);
  });

const isAdmin = ({ metadata }: Readonly<{ metadata: Readonly<{ name?: string | undefined }> }>): boolean =>
  metadata.name === 'cluster-admin';

function apiServerArguments({ port, etcdUrl, name, files, apiServerArguments: more }: LocalClusterPlan): string[] {
  return [
    `--etcd-servers=${etcdUrl}`,
    `--etcd-prefix=/${name}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--tls-cert-file=${files.certificate}`,
    `--tls-private-key-file=${files.certificateKey}`,
    `--token-auth-file=${files.tokens}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccountKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    // No kube-proxy: webhooks and aggregated APIs are reached at the addresses of their endpoints.
    '--enable-aggregator-routing=true',
    // No node-lifecycle controller runs that would remove the taint again.
    '--disable-admission-plugins=TaintNodesByCondition',
    '--profiling=false',
    ...more,
  ];
}

function controllerManagerArguments({ kubeconfigPath, files }: LocalClusterPlan): string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    `--controllers=${CONTROLLERS.join(',')}`,
    `--service-account-private-key-file=${files.serviceAccountKey}`,
    `--root-ca-file=${files.authority}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}

function schedulerArguments({ kubeconfigPath }: LocalClusterPlan): string[] {
  return [
    `--kubeconfig=${kubeconfigPath}`,
    '--leader-elect=false',
    '--secure-port=0',
    '--kube-api-qps=500',
    '--kube-api-burst=1000',
  ];
}

/** Gives pods on the host's network the address of this machine, so that a test can answer in their place. */
function nodeAddress(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  const own = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
  return own === undefined ? [] : [`--node-ip=${own.address}`];
}

function node() {
  const room = { cpu: '64', memory: '256Gi', pods: '1000', 'ephemeral-storage': '1Ti' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: NODE,
      labels: { 'kubernetes.io/hostname': NODE, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: { allocatable: room, capacity: room },
  };
}

async function until(processes: ChildProcesses, what: string, reached: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + LONG_PATIENCE_MS;
  let last = 'it answers, but is not ready';
  for (;;) {
    processes.check();
    try {
      if (await reached()) return;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    if (Date.now() > deadline)
      throw new ControlPlaneFailed(`${what}: not ready within ${LONG_PATIENCE_MS / 1000} s: ${last}`);
    await pause(100);
  }
}
