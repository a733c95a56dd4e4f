import { generateKeyPairSync } from 'node:crypto';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import { servingCertificate } from '#testing/cluster/server/certificates';
import { type Binaries, cacheFolder, executableIn, findBinaries } from '#testing/control-plane/binaries';
import { buildBinaries } from '#testing/control-plane/build-binaries';
import { ChildProcesses } from '#testing/control-plane/child-processes';
import type { Need } from '#testing/report/needs';
import type { PageShell } from '../../guide/page-shell.js';
import { administratorsShell, reading } from './administrator.js';
import { Namespaces, within } from './namespaces.js';
import { argsOf } from './tunnel-objects.js';

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

/** A cluster in a network that no other one has a route to. */
export type TunnelledCluster = Readonly<{
  name: string;
  /** Kubeconfig of its administrator, without a tunnel. */
  administrator: string;
  /** Starts both ends of its tunnel, by the objects in both API servers. */
  startTunnel: () => Promise<void>;
  cut: () => Promise<void>;
  mend: () => void;
  /** Ends the server of the tunnel, and starts it again. */
  restart: () => Promise<void>;
}>;

export type Tunnelled = Readonly<{
  folder: string;
  clusters: readonly TunnelledCluster[];
  /** The shell of an administrator of all clusters, the context `hub` included. */
  shell: PageShell;
  /** A command of the page for one cluster, with the addresses of this machine. */
  toHere: (command: string, cluster: string) => string;
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
 * Starts clusters with equal addresses in networks of their own. Each has an API server alone.
 * `hubKubeconfig` is that of the cluster in which the hub runs.
 */
export async function startTunnelled(
  names: readonly string[],
  binaries: Binaries & TunnelBinaries,
  hubKubeconfig: string,
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
    const places: Place[] = [];
    for (const [at, name] of names.entries()) {
      const network = await namespaces.add(name, [ADDRESS]);
      const subnet = `10.231.${at + 1}`;
      await namespaces.link(hub, network, subnet);
      await namespaces.route(network, HUB, `${subnet}.1`);
      const place = { name, folder: join(folder, name), port: 8_131 + at * 10, network };
      places.push(place);
      await startApiServer(place, { processes, binaries });
    }
    const reaches = places.map(({ name: context, folder: own, network }) => {
      return { context, kubeconfig: join(own, 'administrator'), network };
    });
    const atHome = { context: 'hub', kubeconfig: hubKubeconfig, network: undefined };
    const shell = await administratorsShell(folder, [atHome, ...reaches]);
    return {
      ...{ folder, shell, stop },
      clusters: places.map((place) => tunnelOf(place, { processes, binaries, hub, shell })),
      toHere: (command, cluster) => toHere(command, cluster, places.find(({ name }) => name === cluster)?.port ?? 0),
      atHub: (binary, args) => within(hub, binary, args),
      check: () => processes.check(),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The page's names, and what has their place here: no DNS, and two tunnels at one address. */
const toHere = (command: string, cluster: string, port: number): string =>
  command
    .replaceAll('store-01', cluster)
    .replaceAll('tunnel.example', HUB)
    .replaceAll('https://kubernetes.default.svc', `https://${ADDRESS}:6443 --tls-server-name=localhost`)
    .replaceAll(`https://tunnel-${cluster}.flotilla.svc:8131`, `https://${HUB}:${port}`);

type Place = Readonly<{ name: string; folder: string; port: number; network: string }>;
type Programs = Readonly<{ processes: ChildProcesses; binaries: Binaries & TunnelBinaries }>;

async function startApiServer(place: Place, { processes, binaries }: Programs): Promise<void> {
  const { name, network, folder } = place;
  await mkdir(folder, { recursive: true });
  const start = (what: string, binary: string, args: readonly string[]) => {
    const command = within(network, binary, args);
    processes.start(`${name}-${what}`, command.binary, command.args);
  };
  start('etcd', binaries.etcd, etcdArguments(place));
  const authority = await writeFiles(place);
  start('kube-apiserver', binaries['kube-apiserver'], apiServerArguments(place));
  await writeFile(join(folder, 'administrator'), administratorOf(name, authority), { mode: 0o600 });
}

function tunnelOf(
  { name, folder, port, network }: Place,
  { processes, binaries, hub, shell }: Programs & Readonly<{ hub: string; shell: PageShell }>,
): TunnelledCluster {
  const ports = { 8131: port, 8132: port + 1, 8133: port + 2, 8134: port + 3 };
  const start = (what: 'server' | 'agent', at: string, args: readonly string[]) => {
    const command = within(at, binaries[`konnectivity-${what}`], args);
    processes.start(`${name}-${what}`, command.binary, command.args);
  };
  return {
    name,
    administrator: join(folder, 'administrator'),
    startTunnel: async () => {
      const atHub = reading(shell, 'hub', 'flotilla');
      start('server', hub, await argsOf(atHub, `tunnel-${name}`, ports, join(folder, 'server')));
      const inside = reading(shell, name, 'flotilla-tunnel');
      start('agent', network, await argsOf(inside, 'agent', ports, join(folder, 'agent')));
    },
    cut: () => processes.halt(`${name}-agent`),
    mend: () => processes.again(`${name}-agent`),
    restart: () => processes.crash(`${name}-server`, 0),
  };
}

/** All clusters have this address. */
const administratorOf = (name: string, authority: string): string =>
  stringify({
    apiVersion: 'v1',
    kind: 'Config',
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
    clusters: [
      {
        name,
        cluster: {
          server: `https://${ADDRESS}:6443`,
          'tls-server-name': 'localhost',
          'certificate-authority-data': Buffer.from(authority).toString('base64'),
        },
      },
    ],
    users: [{ name, user: { token: `token-of-${name}` } }],
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
