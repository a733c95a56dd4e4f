import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { DEFAULT_READ_LIMITS, type ReadLimits } from '#core/kernel/read-budget/read-limits';
import { SharedBytes } from '#core/kernel/read-budget/shared-bytes';
import { whyUnreadable } from '../../files/unreadable-file.js';
import type { OutboundPolicy } from '../../outbound/outbound-policy.js';
import { type ProxyEnvironment, proxyAddress, type Route, routeThrough, routeTo } from '../../outbound/route.js';
import { HttpKubeClient } from '../client/http-kube-client.js';
import type { KubeClient } from '../client/kube-client.port.js';
import { ReadBudget } from '../limits/read-budget.js';
import { HttpTransport, type TransportOptions } from '../transport/http-transport.js';
import { ClusterConfigError } from './cluster-config.error.js';
import { credentialsOf } from './credentials-of.js';
import {
  accessIn,
  type ClusterAccess,
  mergeKubeconfigs,
  type ParsedKubeconfig,
  parseKubeconfig,
} from './kubeconfig.js';
import { tokenAccount } from './plain-access.js';
import { PLUGIN_TIMEOUT_MS, type PluginOptions } from './plugin-logins.js';
import { SERVER_POLICY, serverUrl } from './server-url.js';

export type LoadClustersOptions = Readonly<{
  /**
   * Files; without any: `$KUBECONFIG`, then `~/.kube/config`, then the service account of the pod we run in.
   */
  kubeconfigs?: readonly string[];
  /** The source of those file names, for the message about an unreadable file. */
  namedBy?: string;
  /**
   * Contexts by name. Without any: every context of files that were named, otherwise the current context
   * alone.
   */
  contexts?: readonly string[];
  /**
   * Called with a line for each context that is left out because it cannot be used, and for each entry
   * without a name. A context that was named fails the call.
   */
  onProblem?: ((problem: string) => void) | undefined;
  /** Contexts that were read before, in place of all of the above. */
  access?: readonly ClusterAccess[];
  fieldManager: string;
  /** Most objects of one page of a list. */
  pageSize?: number;
  /** Limits on data read and kept of each cluster. */
  limits?: ReadLimits;
  /** Memory for the kept data of all clusters, shared by all clients of the process. */
  memory?: SharedBytes;
  /** True if each cluster rests after work that it makes. Default: true. */
  rests?: boolean;
  environment?: Readonly<Record<string, string | undefined>>;
  /** Folder of the pod's service account. */
  serviceAccountFolder?: string;
  transport?: Omit<TransportOptions, 'server' | 'credentials' | 'route' | 'proxyPolicy' | 'serverPolicy'>;
  /** Allowed addresses of a proxy that a Secret names. Default: any. */
  policy?: OutboundPolicy;
  /** How login plugins are run. Default: for a minute at most, without a terminal. */
  plugins?: Partial<PluginOptions>;
}>;

/** The folder of a Pod with the token of its ServiceAccount. */
export const SERVICE_ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * Creates a client for each chosen context, named after it. A further context of the same name in another
 * file gets `-2`, `-3` … Connects to nothing. Leaves out an unusable context that was not named. Fails with a
 * {@link ClusterConfigError} if no context can be used, or if a named one cannot.
 */
export async function loadClusters(options: LoadClustersOptions): Promise<KubeClient[]> {
  const environment = options.environment ?? process.env;
  const chosen = options.access ?? (await chooseAccess(options, environment));
  const names = new Set<string>();
  const budgetOf = budgets(options);
  return chosen.map((access) => {
    const cluster = uniqueName(access.context, names);
    return clientOf({ ...options, environment, access, cluster, budget: budgetOf(cluster) });
  });
}

export type ClientOptions = Pick<
  LoadClustersOptions,
  'fieldManager' | 'pageSize' | 'limits' | 'transport' | 'policy' | 'plugins'
> &
  Readonly<{
    access: ClusterAccess;
    cluster: string;
    budget: ReadBudget;
    environment?: LoadClustersOptions['environment'];
  }>;

/** The client of one context, under the name `cluster`. Connects to nothing. */
export function clientOf({ access, cluster, budget, ...options }: ClientOptions): KubeClient {
  const server = serverOf(access);
  const route = routeOf(server, access, options.environment ?? process.env);
  const transport = new HttpTransport({
    userAgent: options.fieldManager,
    rest: (workMs) => budget.rest(workMs),
    ...(options.limits === undefined ? {} : { maxResponseBytes: options.limits.answerBytes }),
    ...options.transport,
    server,
    credentials: credentialsOf(access, pluginOptions(options)),
    route,
    ...(isFromSecret(access) ? policiesOf(access, options.policy) : {}),
  });
  const account = tokenAccount(access);
  return new HttpKubeClient({
    cluster,
    transport,
    fieldManager: options.fieldManager,
    budget,
    ...(options.pageSize === undefined ? {} : { pageSize: options.pageSize }),
    ...(access.isInKubeconfig === false ? {} : { login: { file: access.file, context: access.context } }),
    ...(account === undefined ? {} : { account }),
    ...(access.globalCatalogNamespace === undefined ? {} : { globalCatalogNamespace: access.globalCatalogNamespace }),
  });
}

const pluginOptions = ({ transport, environment, plugins }: Omit<ClientOptions, 'access' | 'cluster' | 'budget'>) => ({
  timeoutMs: PLUGIN_TIMEOUT_MS,
  hasTerminal: false,
  waitMs: transport?.requestTimeoutMs,
  environment: environment ?? process.env,
  ...plugins,
});

/** Returns the way to an API server: `proxy-url` of its cluster decides alone, otherwise the environment. */
function routeOf(server: URL, { cluster, context, file }: ClusterAccess, environment: ProxyEnvironment): Route {
  const text = cluster['proxy-url'] ?? '';
  if (text === '') return routeTo(server, environment);
  const proxy = proxyAddress(text);
  if (proxy !== undefined) return routeThrough(proxy, 'proxy-url of its kubeconfig');
  // The text may have a password, so that it is not repeated.
  throw new ClusterConfigError(context, `context "${context}" of ${file} cannot be used: its proxy-url is not a URL`);
}

/** True if a Secret has the access: only the pod's own login outside of kubeconfigs names a file. */
const isFromSecret = ({ isInKubeconfig, user }: ClusterAccess): boolean => isInKubeconfig === false && !user.tokenFile;

/** A server or a proxy in a Secret is its author's choice; a proxy of the environment is the hub's. */
const policiesOf = ({ cluster }: ClusterAccess, policy: OutboundPolicy | undefined) => ({
  serverPolicy: SERVER_POLICY,
  ...(cluster['proxy-url'] && policy !== undefined ? { proxyPolicy: policy } : {}),
});

function budgets({ limits = DEFAULT_READ_LIMITS, memory, rests }: LoadClustersOptions) {
  const bytes = memory ?? new SharedBytes(limits.processBytes);
  return (cluster: string) => new ReadBudget(cluster, limits, undefined, bytes.join(), rests);
}

/** Returns the access of each chosen context: the same choice as that of {@link loadClusters}. */
export const readAccess = (
  options: Pick<LoadClustersOptions, 'kubeconfigs' | 'contexts' | 'environment' | 'serviceAccountFolder' | 'onProblem'>,
): Promise<readonly ClusterAccess[]> => chooseAccess(options, options.environment ?? process.env);

async function chooseAccess(
  options: Pick<LoadClustersOptions, 'kubeconfigs' | 'namedBy' | 'contexts' | 'serviceAccountFolder' | 'onProblem'>,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ClusterAccess[]> {
  const named = options.kubeconfigs ?? [];
  const read = (file: string) => readConfig(file, options.namedBy ?? '--kubeconfig or FLOTILLA_KUBECONFIG');
  const configs = named.length > 0 ? await Promise.all(named.map(read)) : await defaultConfigs(environment);
  const wanted = options.contexts ?? [];
  if (configs.length === 0) return [inCluster(options, environment, wanted)];
  for (const problem of configs.flatMap(({ problems }) => problems)) options.onProblem?.(problem);
  if (named.length > 0) {
    if (wanted.length > 0) return collect(wanted.map((context) => () => accessIn(ownFirst(configs, context), context)));
    const all = configs.flatMap((config) =>
      config.contexts.map((context) => () => accessIn(withOthers(config, configs), context)),
    );
    return collect(all, options.onProblem ?? (() => undefined));
  }
  const merged = mergeKubeconfigs(configs);
  if (wanted.length > 0) return collect(wanted.map((context) => () => merged.access(context)));
  if (merged.currentContext !== undefined) return [merged.access(merged.currentContext)];
  const files = configs.map(({ file }) => file).join(', ');
  const todo = `name one with --context; there are: ${merged.contexts.join(', ') || 'none'}`;
  throw new ClusterConfigError(undefined, `${files}: no current-context is set; ${todo}`);
}

/** Files that were named stay apart: two may have a context, a cluster and a user of one name. */
export const withOthers = (
  own: ParsedKubeconfig,
  configs: readonly ParsedKubeconfig[],
): readonly ParsedKubeconfig[] => [own, ...configs.filter((config) => config !== own)];

function ownFirst(configs: readonly ParsedKubeconfig[], context: string): readonly ParsedKubeconfig[] {
  const own = configs.find(({ contexts }) => contexts.includes(context));
  return own === undefined ? configs : withOthers(own, configs);
}

/**
 * Returns all usable accesses. Without `onFailure`, or if none is usable, throws one error with the reasons
 * of all unusable ones.
 */
function collect(
  accesses: readonly (() => ClusterAccess)[],
  onFailure?: (failure: string) => void,
): readonly ClusterAccess[] {
  const failures: ClusterConfigError[] = [];
  const found = accesses.flatMap((access) => {
    try {
      return [access()];
    } catch (error) {
      if (!(error instanceof ClusterConfigError)) throw error;
      failures.push(error);
      return [];
    }
  });
  const [first, ...more] = failures;
  if (first === undefined) return found;
  if (onFailure === undefined || found.length === 0)
    throw more.length === 0
      ? first
      : new ClusterConfigError(first.context, failures.map(({ message }) => message).join('\n'));
  for (const { message } of failures) onFailure(message);
  return found;
}

async function readConfig(file: string, namedBy: string): Promise<ParsedKubeconfig> {
  const source = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
    const why = await whyUnreadable(file, error);
    throw new ClusterConfigError(undefined, `kubeconfig: open ${file}: ${why}: check ${namedBy}`);
  });
  return parseKubeconfig(file, source);
}

/** Returns the files that kubectl reads if none is named, existing or not. */
export function kubectlFiles(environment: Readonly<Record<string, string | undefined>>): readonly string[] {
  const list = environment['KUBECONFIG']?.split(delimiter).filter((file) => file !== '') ?? [];
  return list.length > 0 ? list : [join(environment['HOME'] ?? homedir(), '.kube', 'config')];
}

/** Reads the files as kubectl does: skips missing files of `$KUBECONFIG`. */
async function defaultConfigs(environment: Readonly<Record<string, string | undefined>>): Promise<ParsedKubeconfig[]> {
  const configs: ParsedKubeconfig[] = [];
  for (const file of kubectlFiles(environment)) {
    const source = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      const why = await whyUnreadable(file, error);
      throw new ClusterConfigError(undefined, `kubeconfig: open ${file}: ${why}: check KUBECONFIG`);
    });
    if (source !== undefined) configs.push(parseKubeconfig(file, source));
  }
  return configs;
}

/**
 * Returns the access to the API server of the cluster that this process runs in, as the service account of
 * its pod.
 */
export const inClusterAccess = (
  options: Pick<LoadClustersOptions, 'environment' | 'serviceAccountFolder'> & Readonly<{ neededBy?: string }> = {},
): ClusterAccess => {
  const environment = options.environment ?? process.env;
  if (environment['KUBERNETES_SERVICE_HOST'] !== undefined) return inCluster(options, environment, []);
  const why =
    'FLOTILLA_HTTP_TOKEN_REVIEW needs a hub that runs in Kubernetes with a service account token: set it to false';
  throw new ClusterConfigError(undefined, options.neededBy ?? why);
};

/** Message if no file was named, and kubectl has none either. */
export const NO_KUBECONFIG = 'no kubeconfig was found: pass --kubeconfig, set KUBECONFIG, or create ~/.kube/config';

function inCluster(
  options: Pick<LoadClustersOptions, 'serviceAccountFolder'>,
  environment: Readonly<Record<string, string | undefined>>,
  wanted: readonly string[],
): ClusterAccess {
  const host = environment['KUBERNETES_SERVICE_HOST'];
  if (host === undefined || wanted.length > 0) {
    throw new ClusterConfigError(wanted[0], NO_KUBECONFIG);
  }
  const folder = options.serviceAccountFolder ?? SERVICE_ACCOUNT_FOLDER;
  const address = host.includes(':') ? `[${host}]` : host;
  return {
    context: 'in-cluster',
    file: folder,
    cluster: {
      server: `https://${address}:${environment['KUBERNETES_SERVICE_PORT'] ?? '443'}`,
      'certificate-authority': join(folder, 'ca.crt'),
    },
    user: { tokenFile: join(folder, 'token') },
    isInKubeconfig: false,
  };
}

function serverOf({ cluster, context, file }: ClusterAccess): URL {
  const url = serverUrl(cluster.server);
  if (url !== undefined) return url;
  throw new ClusterConfigError(
    context,
    `context "${context}" of ${file} cannot be used: its server is not an http(s) URL`,
  );
}

function uniqueName(context: string, taken: Set<string>): string {
  let name = context;
  for (let n = 2; taken.has(name); n += 1) name = `${context}-${n}`;
  taken.add(name);
  return name;
}
