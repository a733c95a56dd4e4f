import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { type Binaries, cacheFolder, executableIn, findBinaries } from '#testing/control-plane/binaries';
import { buildBinaries } from '#testing/control-plane/build-binaries';
import { ChildProcesses } from '#testing/control-plane/child-processes';
import type { Need } from '#testing/report/needs';
import { Namespaces, within } from './namespaces.js';
import { argsOf } from './tunnel-manifests.js';

const run = promisify(execFile);

/** The address of each API server, in its own network: all have the same one. */
const ADDRESS = '10.96.77.1';
const TUNNELS = ['konnectivity-server', 'konnectivity-agent'] as const;
type TunnelBinaries = Readonly<Record<(typeof TUNNELS)[number], string>>;

/** Finds the programs of a control plane and of tunnels, and builds those that are missing. */
export async function tunnelBinaries(): Promise<Need & Readonly<{ binaries?: Binaries & TunnelBinaries }>> {
  const found = find();
  if (found !== undefined) return { isThere: true, what: '', binaries: found };
  const why = await buildBinaries(cacheFolder(process.env), process.env, (line) =>
    console.log(`control plane: ${line}`),
  );
  const built = find();
  if (built !== undefined) return { isThere: true, what: '', binaries: built };
  const what = `konnectivity-server and konnectivity-agent (${why})`;
  if (!['', '0', 'false'].includes(process.env['CI'] ?? '')) throw new Error(`in CI these tests need ${what}`);
  return { isThere: false, what };
}

function find(): (Binaries & TunnelBinaries) | undefined {
  const binaries = findBinaries(process.env);
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), cacheFolder(process.env)];
  const [server, agent] = TUNNELS.map((name) => executableIn(folders, name));
  if ('missing' in binaries || server === undefined || agent === undefined) return undefined;
  return { ...binaries, 'konnectivity-server': server, 'konnectivity-agent': agent };
}

/** A cluster in a network that no other one has a route to, and its tunnel to the hub. */
export type TunnelledCluster = Readonly<{
  name: string;
  kubeconfig: string;
  /** The same, without the tunnel. */
  withoutTunnel: string;
  cut: () => Promise<void>;
  mend: () => void;
  /** Ends the server of the tunnel, and starts it again. */
  restart: () => Promise<void>;
}>;

export type Tunnelled = Readonly<{
  folder: string;
  clusters: readonly TunnelledCluster[];
  /** The authority of all tunnels, as a file. */
  authority: string;
  /** A command that runs in the network of the hub. */
  atHub: (binary: string, args: readonly string[]) => Readonly<{ binary: string; args: readonly string[] }>;
  /** @throws ControlPlaneFailed with its last words if a program has ended */
  check: () => void;
  stop: () => Promise<void>;
}>;

/** The network of the hub and of this process, and the address of the hub that clusters reach. */
const NETWORK = `10.231.${100 + (process.pid % 100)}`;
const HUB = `${NETWORK}.9`;

/**
 * Starts clusters with equal addresses and equal names in networks of their own. Each has an API server, and
 * an agent that dials the hub by the arguments of `k8s/tunnel`.
 */
export async function startTunnelled(
  names: readonly string[],
  binaries: Binaries & TunnelBinaries,
): Promise<Tunnelled> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-behind-nat-'));
  const processes = new ChildProcesses(folder);
  const namespaces = new Namespaces();
  const stop = async () => {
    await processes.stop();
    await namespaces.remove();
  };
  try {
    const hub = await namespaces.add('hub', [HUB]);
    await namespaces.link(undefined, hub, NETWORK);
    await namespaces.route(undefined, HUB, `${NETWORK}.2`);
    const clusters: TunnelledCluster[] = [];
    for (const [at, name] of names.entries()) {
      const network = await namespaces.add(name, [ADDRESS]);
      const subnet = `10.231.${at + 1}`;
      await namespaces.link(hub, network, subnet);
      await namespaces.route(network, HUB, `${subnet}.1`);
      const place = { name, folder: join(folder, name), port: 8_131 + at * 10, network };
      clusters.push(await startCluster(place, { processes, binaries, hub, folder }));
    }
    const atHub: Tunnelled['atHub'] = (binary, args) => within(hub, binary, args);
    return {
      folder,
      clusters,
      authority: join(folder, 'tunnels', 'ca.crt'),
      atHub,
      check: () => processes.check(),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Place = Readonly<{ name: string; folder: string; port: number; network: string }>;
type Around = Readonly<{
  processes: ChildProcesses;
  binaries: Binaries & TunnelBinaries;
  hub: string;
  folder: string;
}>;

async function startCluster(place: Place, { processes, binaries, hub, folder }: Around): Promise<TunnelledCluster> {
  const { name, network, port } = place;
  await mkdir(place.folder, { recursive: true });
  const start = (what: string, at: string, binary: string, args: readonly string[]) => {
    const command = within(at, binary, args);
    processes.start(`${name}-${what}`, command.binary, command.args);
  };
  start('etcd', network, binaries.etcd, etcdArguments(place));
  const authority = await writeFiles(place);
  start('kube-apiserver', network, binaries['kube-apiserver'], apiServerArguments(place));
  const tunnels = join(folder, 'tunnels');
  await run(join(PROJECT_ROOT, 'k8s', 'tunnel', 'certificates.sh'), [tunnels, name, HUB]);
  const ports = { 8131: port, 8132: port + 1, 8133: port + 2, 8134: port + 3 };
  const files = { folder: join(tunnels, name), authority: join(tunnels, 'ca.crt') };
  start('server', hub, binaries['konnectivity-server'], await argsOf('server.yaml', { CLUSTER: name }, ports, files));
  start('agent', network, binaries['konnectivity-agent'], await argsOf('agent.yaml', { HUB: HUB }, ports, files));
  const write = async (file: string, proxy: object) => {
    const path = join(place.folder, file);
    await writeFile(path, kubeconfigOf(name, authority, proxy), { mode: 0o600 });
    return path;
  };
  return {
    name,
    kubeconfig: await write('kubeconfig', { 'proxy-url': `https://${HUB}:${port}` }),
    withoutTunnel: await write('without-tunnel', {}),
    cut: () => processes.halt(`${name}-agent`),
    mend: () => processes.again(`${name}-agent`),
    restart: () => processes.crash(`${name}-server`, 0),
  };
}

/** All clusters have this context, this name and this address. */
const kubeconfigOf = (name: string, authority: string, proxy: object): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    contexts: [{ name: 'default', context: { cluster: 'default', user: 'default' } }],
    'current-context': 'default',
    clusters: [
      {
        name: 'default',
        cluster: {
          server: `https://${ADDRESS}:6443`,
          'tls-server-name': 'localhost',
          'certificate-authority-data': Buffer.from(authority).toString('base64'),
          ...proxy,
        },
      },
    ],
    users: [{ name: 'default', user: { token: `token-of-${name}` } }],
  });

async function writeFiles({ folder, name }: Place): Promise<string> {
  const { caPem, certPem, keyPem } = await servingCertificate();
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  await writeFile(join(folder, 'server.crt'), certPem);
  await writeFile(join(folder, 'server.key'), keyPem, { mode: 0o600 });
  await writeFile(join(folder, 'accounts.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  await writeFile(join(folder, 'tokens.csv'), `token-of-${name},admin,admin,"system:masters"\n`, { mode: 0o600 });
  return caPem;
}

const etcdArguments = ({ folder }: Place): readonly string[] => [
  `--data-dir=${join(folder, 'etcd')}`,
  '--unsafe-no-fsync',
  '--log-level=warn',
];

const apiServerArguments = ({ folder }: Place): readonly string[] => [
  '--etcd-servers=http://127.0.0.1:2379',
  `--bind-address=${ADDRESS}`,
  `--advertise-address=${ADDRESS}`,
  '--secure-port=6443',
  `--tls-cert-file=${join(folder, 'server.crt')}`,
  `--tls-private-key-file=${join(folder, 'server.key')}`,
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--authorization-mode=RBAC',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'accounts.key')}`,
  `--service-account-signing-key-file=${join(folder, 'accounts.key')}`,
  '--service-cluster-ip-range=10.96.0.0/16',
  '--profiling=false',
];

/** Returns the authority of tunnels as PEM. */
export const authorityOf = ({ authority }: Tunnelled): Promise<string> => readFile(authority, 'utf8');
