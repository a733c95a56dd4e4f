import { CLUSTER_EXTENSION_API } from '#core/api/cluster-extension';
import { byCodeUnit } from '#core/canonical/canonical-json';
import type { KubeClient } from '#platform/kube/kube-client.port';
import { commandSettings } from '../command-settings.js';
import { ExitCode, type Io } from '../io.js';
import { askClusters } from './ask-clusters.js';
import type { ClusterOptions } from './cluster-options.js';
import { openLiveContents } from './live-contents.js';
import { type ExtensionStep, nextRevisionStep } from './next-revision-step.js';
import { managedNamespaces, type NextStep, type NextStepDeps, nextStep } from './next-step.js';
import { withClusters } from './open-clusters.js';
import { printNextSteps } from './print-next-step.js';

export type PlanLiveOptions = ClusterOptions &
  Readonly<{
    namespace?: string;
    extension?: string;
    globalCatalogNamespace?: string;
    output: 'table' | 'json' | 'yaml';
  }>;

/** `flotilla plan --live`: the next step of each namespace and of each ClusterExtension. Writes nothing. */
export async function planLive(options: PlanLiveOptions, io: Io): Promise<void> {
  const { globalCatalogNamespace, extension, namespace } = options;
  const read = commandSettings(process.env);
  const settings = globalCatalogNamespace === undefined ? read : { ...read, globalCatalogNamespace };
  const deps = { settings, contents: await openLiveContents(settings) };
  await withClusters(options, async (clients) => {
    const { answers, allAway } = await askClusters(clients, io, (client) => stepsOf(client, options, deps));
    if (allAway) return io.exit(ExitCode.remoteFailed);
    const steps = answers.flatMap(({ value }) => value);
    if (steps.length === 0) io.err(`${nothingText(namespace, extension)}\n`);
    for (const { cluster, unread } of steps) {
      for (const one of unread)
        io.err(`note: the content of a catalog of ${cluster} could not be read from here: ${one}\n`);
    }
    io.out(printNextSteps(steps, options.output));
    const isLost = steps.length === 0 && extension !== undefined;
    io.exit(isLost || steps.some(isHeld) ? ExitCode.no : ExitCode.done);
  });
}

async function stepsOf(
  client: KubeClient,
  options: PlanLiveOptions,
  deps: NextStepDeps,
): Promise<(NextStep | ExtensionStep)[]> {
  const { namespace, extension } = options;
  const steps: (NextStep | ExtensionStep)[] = [];
  const found = async () => (namespace === undefined ? managedNamespaces(client) : [namespace]);
  for (const one of extension === undefined ? await found() : []) steps.push(await nextStep(client, one, deps));
  for (const name of await extensionsOf(client, options)) {
    const step = await nextRevisionStep(client, name, deps);
    if (step !== undefined) steps.push(step);
  }
  return steps;
}

/** They are of no namespace: none where only one namespace is asked for. */
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
  return `No namespace holds a Subscription, InstallPlan or ClusterServiceVersion${others}.`;
};

const isHeld = (step: NextStep | ExtensionStep): boolean =>
  'extension' in step && (step.trouble !== undefined || step.objects.some(({ does }) => does === 'collide'));
