import { CLUSTER_NAME_RULE, isClusterName } from '#core/cluster/membership/kubeconfig-readings';
import { KIND } from '#core/kernel/api/kinds';
import { canonicalJson } from '#core/kernel/canonical/canonical-json';
import { joinedClusters, writeJoinedClusters } from '#platform/clusters/joined-clusters';
import type { Settings } from '#platform/config/settings';
import type { ClusterAccess } from '#platform/kube/access/kubeconfig';
import { loadClusters, readAccess } from '#platform/kube/access/load-clusters';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { lineOf } from '../../clusters/ask-clusters.js';
import { commandPlugins } from '../../clusters/command-plugins.js';
import { findCluster, olmText } from '../../clusters/find-clusters.js';
import { noteTo } from '../../clusters/open-clusters.js';
import { commandSettings } from '../../hub/command-settings.js';
import { NEXT } from '../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../terminal/io.js';
import { refuseFolder } from '../fleet/hub/fleet-option.js';
import { fleetNamespace, hasHubApi, joinFleet } from '../fleet/hub/join-fleet.js';
import { withHub } from '../fleet/hub/open-hub.js';
import type { AccountTerms } from './make-account.js';

export type JoinOptions = Readonly<{
  kubeconfigs: readonly string[];
  contexts: readonly string[];
  name?: string | undefined;
  globalCatalogNamespace?: string | undefined;
  /** The hub only reports on the clusters. */
  observe: boolean;
  /** Ask the cluster first. */
  check: boolean;
  /** The hub API of a fleet; absent: that of FLOTILLA_FLEET. */
  fleet?: string | undefined;
  /** Labels of the FleetCluster. */
  labels: Readonly<Record<string, string>>;
  /** Replace the login of a cluster that is managed already. */
  update: boolean;
  dryRun: boolean;
  /** Make an account for the hub in each cluster, and take its token as the login. */
  account?: AccountTerms | undefined;
}>;

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Runs `flotilla clusters add`: puts contexts into the hub's own kubeconfig, after asking each cluster. */
export async function joinClusters(io: Io, options: JoinOptions): Promise<void> {
  const settings = commandSettings(process.env);
  const file = settings.clustersFile;
  const wanted = namedBy(options, await readAccess({ ...options, onProblem: noteTo(io) }));
  if (options.fleet !== undefined || (hasHubApi(settings.fleet) && !options.observe)) {
    return joinHubApi(io, options, wanted, settings);
  }
  if (Object.keys(options.labels).length > 0) {
    throw new UsageError('--label is only for clusters of a fleet: name the context of its hub with --fleet');
  }
  const before = await joinedClusters(file);
  const changes = wanted.map((access) => ({ access, ...changeOf(access, before, options.update) }));
  const refused = changes.flatMap(({ refusal }) => refusal ?? []);
  if (refused.length === changes.length) throw new UsageError(refused.join('; '));
  for (const refusal of refused) io.err(`note: ${refusal}\n`);
  const news = changes.filter(isNews).map(({ access }) => access);
  // The accesses that are checked here are those that will be used.
  const asked: ClusterAccess[] = [];
  for (const access of news) asked.push(options.check ? await identified(access, [...before, ...asked], io) : access);
  const isWritten = news.length > 0 && !options.dryRun;
  const logins = isWritten ? await withAccounts(asked, options, io) : asked;
  if (isWritten) await writeJoinedClusters(file, [...new Map([...before, ...logins].map(byName)).values()]);
  for (const one of changes) io.out(changeText(one, options.dryRun, file));
  if (isWritten)
    io.err(`A running hub manages it within seconds. To check its rights there: ${NEXT.checkClusters()}\n`);
  io.exit(ExitCode.done);
}

/** Adds clusters by FleetClusters, which a running hub takes up. */
async function joinHubApi(
  io: Io,
  { fleet, observe, check, labels, update, dryRun, account }: JoinOptions,
  wanted: readonly ClusterAccess[],
  settings: Settings,
): Promise<void> {
  if (observe) throw new UsageError('--observe is only for clusters of a file: remove --fleet');
  refuseFolder(fleet);
  const namespace = await fleetNamespace(settings, fleet);
  const identify = async (access: ClusterAccess) => (check ? ask(access, io) : undefined);
  const options = { namespace, labels, update, dryRun, identify };
  const logins = dryRun ? wanted : await withAccounts(wanted, { account }, io);
  await withHub(fleet === undefined ? {} : { fleet }, io, (hub) => joinFleet(io, hub, logins, options));
}

/** Returns the accesses with the logins of new accounts, if the user asked for these. */
async function withAccounts(
  asked: readonly ClusterAccess[],
  { account }: Pick<JoinOptions, 'account'>,
  io: Io,
): Promise<readonly ClusterAccess[]> {
  if (account === undefined) return asked;
  const { withAccount } = await import('./make-account.js');
  const made: ClusterAccess[] = [];
  for (const access of asked) {
    const { context } = access;
    const one = await withClientOf(access, (client) => withAccount(client, access, account)).catch((error: unknown) => {
      throw new NotReached(`${context} is not added, the account for the hub was not made: ${lineOf(error)}`);
    });
    if (one === undefined) continue;
    io.err(`${context}: ServiceAccount flotilla-access/hub is the login of the hub, which renews its token\n`);
    made.push(one);
  }
  return made;
}

/** Gives `use` a client with the login of an access. */
async function withClientOf<T>(access: ClusterAccess, use: (client: KubeClient) => Promise<T>): Promise<T | undefined> {
  const plugins = commandPlugins(commandSettings(process.env));
  const [client] = await loadClusters({ access: [access], fieldManager: 'flotilla', plugins });
  if (client === undefined) return undefined;
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

const isNews = ({ change }: Readonly<{ change?: Change }>): boolean => change === 'added' || change === 'updated';
const byName = (access: ClusterAccess) => [access.context, access] as const;

type Change = 'added' | 'updated' | 'unchanged';

/** Returns the change that adding one context makes, or the reason against adding it. */
function changeOf(
  access: ClusterAccess,
  before: readonly ClusterAccess[],
  update: boolean,
): Readonly<{ change?: Change; refusal?: string }> {
  const { context, cluster } = access;
  const twin = before.find((one) => one.context !== context && one.cluster.server === cluster.server);
  if (twin !== undefined) return { refusal: `${cluster.server} is already managed as cluster "${twin.context}"` };
  const same = before.find((one) => one.context === context);
  if (same === undefined) return { change: 'added' };
  if (isSame(same, access)) return { change: 'unchanged' };
  if (update) return { change: 'updated' };
  const differs =
    same.cluster.server === cluster.server ? 'with another login or setting' : `at ${same.cluster.server}`;
  const way = `replace its login with --update, or choose another name with --name`;
  return { refusal: `cluster "${context}" exists already, ${differs}; ${way}` };
}

const isSame = (a: ClusterAccess, b: ClusterAccess): boolean =>
  canonicalJson(comparedOf(a)) === canonicalJson(comparedOf(b));
const comparedOf = ({ cluster, user, globalCatalogNamespace = '', observed = false }: ClusterAccess) => [
  ...[cluster, user, globalCatalogNamespace],
  observed,
];

function changeText(
  { access: { context }, change }: Readonly<{ access: ClusterAccess; change?: Change }>,
  dryRun: boolean,
  file: string,
): string {
  if (change === undefined) return '';
  switch (change) {
    case 'unchanged':
      return `cluster ${context} exists already in ${file}\n`;
    case 'added':
      return `cluster ${context} ${dryRun ? 'would be added' : 'added'} to ${file}\n`;
    case 'updated':
      return `cluster ${context} ${dryRun ? 'would be updated' : 'updated'} in ${file}\n`;
  }
}

function namedBy(
  { name, globalCatalogNamespace, observe }: JoinOptions,
  found: readonly ClusterAccess[],
): ClusterAccess[] {
  if (name !== undefined && found.length !== 1) {
    throw new UsageError(
      `--name "${name}" is for one cluster, but ${found.length} contexts match: choose one with --context`,
    );
  }
  if (name !== undefined && !isClusterName(name)) {
    throw new UsageError(`--name "${name}" cannot be the name of a cluster: ${CLUSTER_NAME_RULE}`);
  }
  if (globalCatalogNamespace !== undefined && !NAMESPACE.test(globalCatalogNamespace)) {
    throw new UsageError(`--global-catalog-namespace "${globalCatalogNamespace}" is not the name of a namespace`);
  }
  const set = {
    ...(globalCatalogNamespace === undefined ? {} : { globalCatalogNamespace }),
    ...(observe ? { observed: true } : {}),
  };
  return found.map((access) => ({ ...access, ...set, context: name ?? access.context }));
}

class NotReached extends Error {}

/** Returns the access with the identity of its cluster, which must be none of the managed clusters. */
async function identified(access: ClusterAccess, managed: readonly ClusterAccess[], io: Io): Promise<ClusterAccess> {
  const { context } = access;
  const before = managed.find((one) => one.context === context);
  const identity = await ask(access, io);
  const kept = before?.paused === true ? { ...access, paused: true } : access;
  if (identity === undefined) return kept;
  const twin = managed.find((one) => one.context !== context && one.identity === identity);
  if (twin !== undefined) {
    throw new UsageError(`"${context}" leads to a cluster that is already managed as cluster "${twin.context}"`);
  }
  if (before?.identity !== undefined && before.identity !== identity) {
    const way = `first remove the old cluster with ${NEXT.removeCluster(context)}, or choose another name with --name`;
    throw new UsageError(`"${context}" leads to another cluster than the managed cluster of this name; ${way}`);
  }
  return { ...kept, identity };
}

/** Reports the state of a cluster. Returns the UID of namespace kube-system, if this login may read it. */
async function ask(access: ClusterAccess, io: Io): Promise<string | undefined> {
  try {
    return await withClientOf(access, async (client) => {
      const facts = await findCluster(client, commandSettings(process.env));
      const global = `global catalogs in namespace ${facts.globalCatalogNamespace}`;
      io.err(`${access.context}: Kubernetes ${facts.version}, ${global}, OLM: ${olmText(facts)}\n`);
      const system = await client.get({ ...KIND.Namespace, name: 'kube-system' }).catch(() => undefined);
      return system?.metadata.uid;
    });
  } catch (error) {
    throw new NotReached(
      `${access.context} is not added because it is unreachable (add it anyway with --no-check): ${lineOf(error)}`,
    );
  }
}
