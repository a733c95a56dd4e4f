import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servingCertificate } from '../cluster/server/certificates.js';
import type { Binaries } from './binaries.js';
import { ChildProcesses } from './child-processes.js';
import {
  type ApiServerArguments,
  type ControlPlane,
  type ControlPlaneCluster,
  ControlPlaneFailed,
  type EtcdData,
} from './control-plane.js';
import { freePorts } from './free-ports.js';
import { apiServerAnswers, apiServerOf, crashApiServer, startLocalCluster } from './local-cluster.js';

const PORT_ATTEMPTS = 3;
/** The name of the process, and of the folder of its data. */
const ETCD = 'etcd';

/**
 * Starts `count` clusters on free loopback ports over one etcd, with all their data in a temporary folder.
 * All of it ends with `stop()` or with this process.
 */
export async function startLocalControlPlane(
  binaries: Binaries,
  count: number,
  apiServerArguments: ApiServerArguments = [],
): Promise<ControlPlane> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOnce(binaries, count, apiServerArguments);
    } catch (error) {
      // Another process took the port between our asking for it and the start.
      const taken = error instanceof ControlPlaneFailed && error.message.includes('address already in use');
      if (!taken || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function startOnce(
  binaries: Binaries,
  count: number,
  apiServerArguments: ApiServerArguments,
): Promise<ControlPlane> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-control-plane-'));
  const processes = new ChildProcesses(folder);
  try {
    const [client = 0, peer = 0, ...ports] = await freePorts(2 + count);
    const etcdUrl = `http://127.0.0.1:${client}`;
    processes.start(ETCD, binaries.etcd, etcdArguments(folder, etcdUrl, `http://127.0.0.1:${peer}`));
    const { files, authority, token } = await writeFiles(folder);
    const clusters = await Promise.all(
      ports.map(async (port, index) => {
        const cluster = await describeCluster(folder, `cluster-${index + 1}`, port, authority, token);
        const more = typeof apiServerArguments === 'function' ? apiServerArguments(cluster.name) : apiServerArguments;
        const plan = { ...cluster, port, etcdUrl, files, apiServerArguments: more };
        await startLocalCluster(plan, binaries, processes);
        return cluster;
      }),
    );
    return {
      clusters,
      describe: `kube-apiserver started here (${binaries['kube-apiserver']})`,
      crashApiServer: async (name, awayMs) => {
        const cluster = clusters.find((one) => one.name === name);
        if (cluster === undefined) throw new ControlPlaneFailed(`there is no cluster ${name}`);
        await crashApiServer(cluster, awayMs, processes);
      },
      etcd: etcdDataOf(folder, clusters, processes),
      stop: () => processes.stop(),
    };
  } catch (error) {
    await processes.stop();
    throw error;
  }
}

function etcdDataOf(folder: string, clusters: readonly ControlPlaneCluster[], processes: ChildProcesses): EtcdData {
  const data = join(folder, ETCD);
  let copies = 0;
  return {
    copy: async () => {
      copies += 1;
      const copy = join(folder, `${ETCD}-copy-${copies}`);
      await processes.whileFrozen(ETCD, () => cp(data, copy, { recursive: true }));
      return copy;
    },
    putBack: async (copy) => {
      processes.check();
      const { names } = processes;
      for (const name of names.toReversed()) await processes.halt(name);
      await rm(data, { recursive: true, force: true, maxRetries: 5 });
      await cp(copy, data, { recursive: true });
      // A controller manager ends if its API server does not answer within ten seconds.
      const servers = [ETCD, ...clusters.map((cluster) => apiServerOf(cluster.name))];
      for (const name of servers) processes.again(name);
      await Promise.all(clusters.map((cluster) => apiServerAnswers(cluster, processes)));
      for (const name of names) if (!servers.includes(name)) processes.again(name);
    },
  };
}

const etcdArguments = (folder: string, client: string, peer: string): string[] => [
  `--data-dir=${join(folder, ETCD)}`,
  '--name=default',
  '--unsafe-no-fsync',
  `--listen-client-urls=${client}`,
  `--advertise-client-urls=${client}`,
  `--listen-peer-urls=${peer}`,
  `--initial-advertise-peer-urls=${peer}`,
  `--initial-cluster=default=${peer}`,
  '--log-level=warn',
];

async function writeFiles(folder: string) {
  const secret = { mode: 0o600 };
  const { caPem, certPem, keyPem } = await servingCertificate();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const token = randomBytes(24).toString('base64url');
  const files = {
    serviceAccountKey: join(folder, 'service-account.key'),
    certificate: join(folder, 'server.crt'),
    certificateKey: join(folder, 'server.key'),
    authority: join(folder, 'ca.crt'),
    tokens: join(folder, 'tokens.csv'),
  };
  await Promise.all([
    writeFile(files.serviceAccountKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), secret),
    writeFile(files.certificate, certPem),
    writeFile(files.certificateKey, keyPem, secret),
    writeFile(files.authority, caPem),
    writeFile(files.tokens, `${token},flotilla-test-admin,flotilla-test-admin,"system:masters"\n`, secret),
  ]);
  return { files, authority: caPem, token };
}

async function describeCluster(
  folder: string,
  name: string,
  port: number,
  authority: string,
  token: string,
): Promise<ControlPlaneCluster> {
  const kubeconfigPath = join(folder, `${name}.kubeconfig`);
  const kubeconfig = JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      contexts: [{ name, context: { cluster: name, user: name } }],
      clusters: [
        {
          name,
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'certificate-authority-data': Buffer.from(authority).toString('base64'),
          },
        },
      ],
      users: [{ name, user: { token } }],
    },
    undefined,
    2,
  );
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  // An empty configuration of its own, not the user's in the home directory.
  await writeFile(`${kubeconfigPath}.kwok`, '');
  return { name, kubeconfigPath, kubeconfig };
}
