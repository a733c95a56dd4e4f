import { commandSettings } from '../command-settings.js';
import { ExitCode, type Io } from '../io.js';
import { askClusters } from './ask-clusters.js';
import type { ClusterOptions } from './cluster-options.js';
import { openLiveContents } from './live-contents.js';
import { managedNamespaces, type NextStep, nextStep } from './next-step.js';
import { withClusters } from './open-clusters.js';
import { printNextSteps } from './print-next-step.js';

export type PlanLiveOptions = ClusterOptions &
  Readonly<{ namespace?: string; globalCatalogNamespace?: string; output: 'table' | 'json' | 'yaml' }>;

/** `flotilla plan --live`: the next step of each namespace. Writes nothing. */
export async function planLive(options: PlanLiveOptions, io: Io): Promise<void> {
  const { globalCatalogNamespace } = options;
  const read = commandSettings(process.env);
  const settings = globalCatalogNamespace === undefined ? read : { ...read, globalCatalogNamespace };
  const deps = { settings, contents: await openLiveContents(settings) };
  await withClusters(options, async (clients) => {
    const { answers, allAway } = await askClusters(clients, io, async (client) => {
      const namespaces = options.namespace === undefined ? await managedNamespaces(client) : [options.namespace];
      const steps: NextStep[] = [];
      for (const namespace of namespaces) steps.push(await nextStep(client, namespace, deps));
      return steps;
    });
    if (allAway) return io.exit(ExitCode.remoteFailed);
    const steps = answers.flatMap(({ value }) => value);
    if (steps.length === 0) io.err('No namespace holds a Subscription, InstallPlan or ClusterServiceVersion.\n');
    for (const { cluster, unread } of steps) {
      for (const one of unread)
        io.err(`note: the content of a catalog of ${cluster} could not be read from here: ${one}\n`);
    }
    io.out(printNextSteps(steps, options.output));
    io.exit(ExitCode.done);
  });
}
