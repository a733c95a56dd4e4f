import type { Command } from 'commander';
import {
  type ClusterOptions,
  FLEET_HELP,
  type FleetOptions,
  gathered,
  withFleetOptions,
  withNamedClusterOptions,
} from '../../clusters/cluster-options.js';
import { HUB_HELP, hubsOption } from '../../hub/hub-address.js';
import {
  ANSWER_FORMATS,
  type AnswerFormat,
  LIST_FORMATS,
  type ListFormat,
  outputOption,
} from '../../output/output-option.js';
import { type Io, UsageError } from '../../terminal/io.js';
import { FLEET_STORE_HELP, type FleetHubOptions, withFleetHubOptions } from '../fleet/hub/hub-options.js';
import { handoverCommand } from './handover/clusters-handover.command.js';
import { importCommand } from './import/clusters-import.command.js';
import type { AccountTerms } from './make-account.js';

const ADD_HELP = `
The hub keeps its clusters, with their logins, in a kubeconfig: the file of setting FLOTILLA_CLUSTERS_FILE
(~/.config/flotilla/clusters.yaml), readable only by its owner. "flotilla up", the services and every verb read it unless
another kubeconfig is named. The name of a context is the name of the cluster.
A cluster with the same login stays as it is; --update replaces the login.
With the hub API of a fleet (--fleet, FLOTILLA_FLEET) the cluster becomes a FleetCluster there, with its login in a Secret of
namespace FLOTILLA_SYSTEM_NAMESPACE, and joins the running hub.
--make-account makes ServiceAccount flotilla-access/hub in the cluster, as the user of the context, with the roles that the
hub needs. The login is a token of it that ends. The hub renews the token from half of its life on, and stores it in place of
the old one.

Examples:
  flotilla clusters add --context kind-east --name east
  flotilla clusters add --kubeconfig east.yaml --global-catalog-namespace openshift-marketplace
  flotilla clusters add --context openshift --observe
  flotilla clusters add --context prod-eu --make-account --lifetime 48h
  flotilla clusters add --context store-02 --fleet hub --label tier=canary`;

const REMOVE_HELP = `
Without --yes the command only shows the finalizers of the hub that it would release (csv-cleanup of ClusterServiceVersions,
and that of ClusterCatalogs). Without a hub, objects with such a finalizer can never be deleted. Operators stay as they are.
With --yes a running hub leaves the cluster first. If it does not leave within --timeout, because it reads another kubeconfig,
the cluster stays (exit code 1): the hub would set the finalizers again.
With the hub API of a fleet (--fleet, FLOTILLA_FLEET) the command deletes the FleetCluster, and waits until the hub has released
the cluster. After --timeout it exits with 1. --force gives up on an unreachable cluster.
${HUB_HELP}

Examples:
  flotilla clusters remove east
  flotilla clusters remove east --yes
  flotilla clusters remove store-02 --fleet hub --yes`;

const PAUSE_HELP = `
A running hub keeps observing a paused cluster, and writes nothing there: it installs, upgrades, repairs and deletes nothing.
Installed operators keep running. The file of "clusters add" holds the pause. For a cluster of another kubeconfig write
{name: flotilla, extension: {paused: true}} into the extensions of its context.

Example:
  flotilla clusters pause east`;

const OBSERVE_HELP = `
Use this if another program manages the cluster, such as the OLM of OpenShift. The hub watches the cluster and reports:
metrics, health, "flotilla status", "get" and "explain". It holds no content of its catalogs, solves nothing and writes
nothing. "flotilla approve" approves an InstallPlan there, and the OLM of the cluster carries it out.
"clusters add --observe" adds such a cluster; "clusters resume" ends the observation.

Example:
  flotilla clusters observe east`;

const TAKE_OVER_HELP = `
A hub writes its identity into each cluster that it manages (annotation flotilla.dev/hub of namespace kube-system), and
leaves clusters of other hubs alone. This command writes another identity there. A running hub that had the cluster ends its
writes within ten seconds. Health and log of a hub that refuses a cluster print this command with its --hub-id.

Example:
  flotilla clusters take-over east --hub-id hub-2`;

const ACCEPT_HELP = `
If another cluster answers under the name of a FleetCluster (IdentityStable is False: the UID of its namespace kube-system
differs), the hub writes nothing there, and rollouts skip it. This command accepts it as a cluster that joins, by an
annotation of the FleetCluster in the hub API. If two clusters give one UID, it also decides for one of them.
For a context of the clusters file (flotilla clusters add) the command writes there, with --uid. In another kubeconfig add
{name: flotilla, extension: {identity: UID, accepted: UID}} to the extensions of the context by hand.
${FLEET_STORE_HELP}

Examples:
  flotilla clusters accept store-02
  flotilla clusters accept store-02 --uid 3f9c1e2a-7d04-4c1b-9d55-0f6f5a1f2b7e
  flotilla clusters accept kind-east --uid 3f9c1e2a-7d04-4c1b-9d55-0f6f5a1f2b7e`;

const CHECK_HELP = `
Asks the API server (SelfSubjectAccessReview) for each right of the ClusterRoles flotilla:observe (poller) and flotilla:apply
(applier) of k8s/base/managed-cluster, as the user of the kubeconfig. Exit code 1: a right is missing, or two clusters give
one identity (UID of namespace kube-system).
${FLEET_HELP}

Examples:
  flotilla clusters check
  flotilla clusters check -C east -o json`;

type AddOptions = ClusterOptions &
  Readonly<{
    name?: string;
    globalCatalogNamespace?: string;
    check: boolean;
    observe?: boolean;
    update?: boolean;
    dryRun?: boolean;
    fleet?: string;
    label?: readonly string[];
    makeAccount?: boolean;
    lifetime: string;
    listedKinds?: boolean;
  }>;
type RemoveOptions = Readonly<{
  yes?: boolean;
  force?: boolean;
  dryRun?: boolean;
  timeout: string;
  hub?: readonly string[];
  fleet?: string;
}>;

/** Registers `flotilla clusters`, the verbs about the clusters that the hub manages. */
export function clustersCommand(program: Command, io: Io): void {
  const clusters = program
    .command('clusters')
    .description('add, import, list, pause, remove and check managed clusters');
  addCommand(clusters, io);
  importCommand(clusters, io);
  listCommand(clusters, io);
  removeCommand(clusters, io);
  checkCommand(clusters, io);
  pauseCommands(clusters, io);
  takeOverCommand(clusters, io);
  acceptCommand(clusters, io);
  handoverCommand(clusters, io);
}

const addCommand = (clusters: Command, io: Io): Command =>
  clusters
    .command('add')
    .description('add contexts of a kubeconfig to the managed clusters')
    .option('--kubeconfig <file>', 'the kubeconfig (default: that of kubectl); may be given several times', gathered)
    .option('--context <name>', 'the context (default: all of --kubeconfig, else the current one)', gathered)
    .option('--name <name>', 'the name of the cluster (default: that of the context)')
    .option(
      '--global-catalog-namespace <namespace>',
      'namespace of the catalogs that are visible to all its namespaces',
    )
    .option('--observe', 'only report on the cluster: its OLM stays in charge')
    .option('--no-check', 'add the cluster without contacting it')
    .option('--update', 'replace the login of a cluster of that name')
    .option('--fleet <context>', 'add to the fleet of this hub, or in-cluster (default: FLOTILLA_FLEET, if it is set)')
    .option('-l, --label <key=value>', 'label in the fleet, such as its wave; may be given several times', gathered)
    .option('--make-account', 'make an account for the hub there; its token, which ends, is the login')
    .option('--lifetime <duration>', 'with --make-account: how long a token is valid; the hub renews it', '168h')
    .option('--listed-kinds', 'with --make-account: ClusterRole flotilla:apply-listed in place of flotilla:apply')
    .option('--dry-run', 'print the clusters that would be added, and add nothing')
    .addHelpText('after', ADD_HELP)
    .action(
      async ({ kubeconfig = [], context = [], update = false, dryRun = false, label = [], ...options }: AddOptions) => {
        const { observe = false } = options;
        const labels = labelsOf(label);
        const account = await accountOf(options);
        const { joinClusters } = await import('./join-cluster.js');
        await joinClusters(io, {
          ...options,
          account,
          observe,
          update,
          dryRun,
          labels,
          kubeconfigs: kubeconfig,
          contexts: context,
        });
      },
    );

/** @throws UsageError if the lifetime is no duration, or if there is no account that it is for */
async function accountOf({
  makeAccount = false,
  lifetime,
  listedKinds = false,
  observe = false,
}: AddOptions): Promise<AccountTerms | undefined> {
  if (!makeAccount && listedKinds) throw new UsageError('--listed-kinds is for the account that --make-account makes');
  if (!makeAccount) return undefined;
  const [{ parseDuration }, { SHORTEST_LIFETIME_MS }] = await Promise.all([
    import('#platform/config/duration'),
    import('./make-account.js'),
  ]);
  const lifetimeMs = parseDuration(lifetime);
  if (lifetimeMs === undefined || lifetimeMs < SHORTEST_LIFETIME_MS) {
    throw new UsageError(`invalid --lifetime "${lifetime}": expected a duration of 10m or more, such as 168h`);
  }
  // A hub that only reports on a cluster writes nothing there.
  const applier = listedKinds ? 'apply-listed' : 'apply';
  return { lifetimeMs, roles: observe ? ['observe'] : ['observe', applier] };
}

function labelsOf(texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError(`invalid label "${text}": write key=value`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

const listCommand = (clusters: Command, io: Io): Command =>
  withFleetOptions(clusters.command('list'))
    .description('list the clusters, with their state and their parts of OLM')
    .addOption(outputOption('form of the list', LIST_FORMATS))
    .option('--no-headers', 'omit the headings of the table')
    .addHelpText('after', `${FLEET_HELP}\n\nExample:\n  flotilla clusters list -o json`)
    .action(async (options: FleetOptions & Readonly<{ output: ListFormat; headers: boolean }>) => {
      const [{ withClusters }, { listClusters }] = await Promise.all([
        import('../../clusters/open-clusters.js'),
        import('./list-clusters.js'),
      ]);
      const { output, headers, allowMissing = false } = options;
      await withClusters(io, options, (clients) => listClusters(clients, io, { output, headers, allowMissing }));
    });

const removeCommand = (clusters: Command, io: Io): Command =>
  clusters
    .command('remove')
    .description('remove a cluster, after releasing the finalizers of the hub there')
    .argument('<name>')
    .option('--yes', 'make the changes; without this option they are only shown')
    .option('--dry-run', 'only show the changes, as without --yes')
    .option(
      '--force',
      'remove the cluster even if a hub still manages it or it is unreachable; its finalizers then stay',
    )
    .option('--timeout <duration>', 'time for a running hub to leave the cluster', '30s')
    .option('--fleet <context>', 'from the fleet of this hub, or in-cluster (default: FLOTILLA_FLEET, if it is set)')
    .addOption(hubsOption())
    .addHelpText('after', REMOVE_HELP)
    .action(
      async (name: string, { yes = false, force = false, dryRun = false, hub = [], timeout, fleet }: RemoveOptions) => {
        if (yes && dryRun) throw new UsageError('--yes and --dry-run exclude each other; choose one');
        const { removeCluster } = await import('./remove-cluster.js');
        await removeCluster(io, { name, yes, force, timeout, hub, fleet });
      },
    );

function pauseCommands(clusters: Command, io: Io): void {
  clusters
    .command('pause')
    .description('let the hub only observe a cluster, without writes')
    .argument('<name>')
    .addHelpText('after', PAUSE_HELP)
    .action(async (name: string) => {
      const { pauseCluster } = await import('./pause-cluster.js');
      await pauseCluster(io, name);
    });
  clusters
    .command('observe')
    .description('let the hub only report on a cluster that another hub or OLM manages')
    .argument('<name>')
    .addHelpText('after', OBSERVE_HELP)
    .action(async (name: string) => {
      const { observeCluster } = await import('./pause-cluster.js');
      await observeCluster(io, name);
    });
  clusters
    .command('resume')
    .description('end a pause or an observation, or cancel a removal')
    .argument('<name>')
    .addHelpText('after', '\nExample:\n  flotilla clusters resume east')
    .action(async (name: string) => {
      const { resumeCluster } = await import('./pause-cluster.js');
      await resumeCluster(io, name);
    });
}

const checkCommand = (clusters: Command, io: Io): Command =>
  withFleetOptions(clusters.command('check'))
    .description('list the rights that the hub is missing in a cluster, and how to grant them')
    .addOption(outputOption('form of the answer', ANSWER_FORMATS))
    .addHelpText('after', CHECK_HELP)
    .action(async (options: FleetOptions & Readonly<{ output: AnswerFormat }>) => {
      const [{ withClusters }, { checkClusters }] = await Promise.all([
        import('../../clusters/open-clusters.js'),
        import('./check-clusters.js'),
      ]);
      const { output, allowMissing = false } = options;
      await withClusters(io, options, (clients) => checkClusters(clients, io, { ...options, output, allowMissing }));
    });

const acceptCommand = (clusters: Command, io: Io): Command =>
  withFleetHubOptions(clusters.command('accept').argument('<name>'))
    .description('accept another cluster that answers under the name of a cluster or context')
    .option('--uid <uid>', 'the UID of its namespace kube-system (default: of the one that answers)')
    .option('--dry-run', 'print the changes, and change nothing')
    .addHelpText('after', ACCEPT_HELP)
    .action(async (name: string, options: FleetHubOptions & Readonly<{ uid?: string; dryRun?: boolean }>) => {
      const [{ withHub }, { acceptCluster }, { acceptJoined }] = await Promise.all([
        import('../fleet/hub/open-hub.js'),
        import('../fleet/hub/accept-cluster.js'),
        import('./accept-joined.js'),
      ]);
      const { uid, dryRun = false } = options;
      const hasFleet = Boolean(process.env['FLOTILLA_FLEET']);
      if (options.fleet === undefined && (await acceptJoined(io, { name, uid, dryRun }, hasFleet))) return;
      await withHub(options, io, (hub) => acceptCluster(hub, io, { name, uid, dryRun }));
    });

const takeOverCommand = (clusters: Command, io: Io): Command =>
  withNamedClusterOptions(clusters.command('take-over').argument('<name>'))
    .description('let another hub manage a cluster')
    .option('--hub-id <id>', 'the identity of that hub (default: of the hub of the settings)')
    .option('--dry-run', 'print the changes, and change nothing')
    .addHelpText('after', TAKE_OVER_HELP)
    .action(async (name: string, options: ClusterOptions & Readonly<{ hubId?: string; dryRun?: boolean }>) => {
      const [{ withOneCluster }, { ownAccess }, { takeOver }] = await Promise.all([
        import('../../clusters/open-clusters.js'),
        import('../../clusters/command-access.js'),
        import('./take-over.js'),
      ]);
      const { hubId, dryRun = false } = options;
      await withOneCluster(io, { ...options, cluster: [name] }, (client) =>
        takeOver(client, io, { hubId, dryRun, named: ownAccess(client, options).named }),
      );
    });
