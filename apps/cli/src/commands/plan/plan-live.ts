import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { KIND } from '#core/kernel/api/kinds';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { askClusters, type FleetAnswer, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import type { FleetOptions } from '../../clusters/cluster-options.js';
import { commandAccess, ownAccess } from '../../clusters/command-access.js';
import { withClusters } from '../../clusters/open-clusters.js';
import { commandSettings } from '../../hub/command-settings.js';
import { NEXT } from '../../output/next-commands.js';
import { type Progress, progressOn } from '../../output/progress.js';
import { exitCodeOf } from '../../output/verdict.js';
import { openLiveContents } from '../../preview/live-contents.js';
import { type ExtensionStep, nextRevisionStep } from '../../preview/next-revision-step.js';
import { managedNamespaces, type NextStep, type NextStepDeps, nextStep } from '../../preview/next-step.js';
import { type Io, NotFound } from '../../terminal/io.js';
import { type AccessOf, printNextSteps } from './print-next-step.js';

export type PlanLiveOptions = FleetOptions &
  Readonly<{
    namespace?: string;
    extension?: string;
    globalCatalogNamespace?: string;
    hub?: string | undefined;
    output: string;
  }>;

type Step = NextStep | ExtensionStep;
/** The steps of one cluster. Undefined if the requested namespace does not exist. */
type Steps = readonly Step[] | undefined;

/**
 * Runs `flotilla plan --live`: prints the next step of each namespace and of each ClusterExtension. Writes
 * nothing.
 */
export async function planLive(options: PlanLiveOptions, io: Io): Promise<void> {
  const { globalCatalogNamespace, extension, namespace, hub, allowMissing = false } = options;
  const read = commandSettings(process.env);
  const settings = globalCatalogNamespace === undefined ? read : { ...read, globalCatalogNamespace };
  const deps = { settings, contents: await openLiveContents(settings, hub) };
  await withClusters(io, options, async (clients) => {
    const progress = progressOn(io, 'namespaces and extensions planned');
    const fleet = await askClusters(clients, (client) => stepsOf(client, options, deps, progress), {
      namespace,
      options,
    });
    progress.end();
    reportAway(fleet.away, io);
    refuseUnknownNamespace(fleet, namespace);
    const steps = fleet.answers.flatMap(({ value }) => value ?? []);
    const isAnswered = fleet.answers.length > 0;
    if (steps.length === 0 && isAnswered) io.err(`${nothingText(namespace, extension)}\n`);
    for (const { cluster, unread } of steps) {
      for (const one of unread)
        io.err(`note: could not read the content of a catalog of ${cluster} from here: ${one}\n`);
    }
    const isLost = steps.length === 0 && extension !== undefined;
    const isUnsure = steps.some((step) => 'withheld' in step) && !allowMissing;
    const known = fleetVerdict(!isLost && !steps.some(isHeld), fleet, options);
    const verdict = isUnsure ? 'incomplete' : known;
    const access = accessesOf(clients, options);
    io.out(printNextSteps({ verdict, away: fleet.away, items: steps }, options.output, access));
    io.exit(exitCodeOf(verdict));
  });
}

/** Returns the options of the next commands, by cluster. */
function accessesOf(clients: readonly KubeClient[], options: PlanLiveOptions): AccessOf {
  const byName = new Map(clients.map((client) => [client.cluster, client]));
  return (cluster) => {
    const client = byName.get(cluster);
    if (client === undefined) return { own: `-C ${cluster}`, granting: { cluster } };
    return { own: ownAccess(client, options).options, granting: commandAccess(client, options) };
  };
}

/** @throws NotFound if every cluster answered, and none has the namespace */
function refuseUnknownNamespace({ answers, away }: FleetAnswer<Steps>, namespace: string | undefined): void {
  if (answers.length === 0 || away.length > 0 || answers.some(({ value }) => value !== undefined)) return;
  const clusters = answers.map(({ cluster }) => cluster);
  const where = clusters.length === 1 ? `cluster ${clusters[0]}` : `any of ${clusters.length} clusters`;
  throw new NotFound(`no namespace "${namespace}" in ${where}; to see all, run ${NEXT.planAllNamespaces()} without -n`);
}

/** Namespaces of one cluster that are read at the same moment. */
const AT_ONCE = 8;

async function stepsOf(
  client: KubeClient,
  options: PlanLiveOptions,
  deps: NextStepDeps,
  progress: Progress,
): Promise<Steps> {
  const { namespace, extension } = options;
  if (namespace !== undefined && !(await hasNamespace(client, namespace))) return undefined;
  const found = async () => (namespace === undefined ? managedNamespaces(client) : [namespace]);
  const namespaces = extension === undefined ? await found() : [];
  const extensions = await extensionsOf(client, options);
  progress.expect(namespaces.length + extensions.length);
  const counted = async <T>(work: Promise<T>): Promise<T> => work.finally(() => progress.step());
  const inNamespaces = await inParallel(namespaces, AT_ONCE, (one) => counted(nextStep(client, one, deps)));
  const ofExtensions = await inParallel(extensions, AT_ONCE, (name) => counted(nextRevisionStep(client, name, deps)));
  return [...inNamespaces, ...ofExtensions.filter((step) => step !== undefined)];
}

/** Checks for the namespace. A user who may not read Namespaces may still plan in one. */
async function hasNamespace(client: KubeClient, name: string): Promise<boolean> {
  try {
    return (await client.get({ ...KIND.Namespace, name })) !== undefined;
  } catch (error) {
    if (KubeApiError.is(error, 'Forbidden')) return true;
    throw error;
  }
}

/**
 * Returns the requested extensions. They have no namespace: none are returned if only one namespace is
 * requested.
 */
async function extensionsOf(
  client: KubeClient,
  { namespace, extension }: Pick<PlanLiveOptions, 'namespace' | 'extension'>,
): Promise<readonly string[]> {
  if (extension !== undefined) return [extension];
  if (namespace !== undefined) return [];
  const list = await client.list(CLUSTER_EXTENSION_API);
  return (list?.items ?? []).map(({ metadata }) => metadata.name ?? '').sort(byCodeUnit);
}

const nothingText = (namespace: string | undefined, extension: string | undefined): string => {
  if (extension !== undefined) return `error: no ClusterExtension "${extension}" in any cluster`;
  const others = namespace === undefined ? ', and there is no ClusterExtension' : '';
  return `No namespace has a Subscription, InstallPlan or ClusterServiceVersion${others}.`;
};

const isHeld = (step: Step): boolean =>
  'extension' in step && (step.trouble !== undefined || step.objects.some(({ does }) => does === 'collide'));
