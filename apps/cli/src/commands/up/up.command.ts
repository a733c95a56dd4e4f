import type { Command } from 'commander';
import { type Io, UsageError } from '../../terminal/io.js';

const HELP = `
Which clusters: every context of the --kubeconfig files, or the contexts of --context. Without both: those of "flotilla
clusters add", otherwise the current context of kubectl. The name of a context is the name of the cluster. The hub installs
missing CRDs of OLM if it may; nothing else of Flotilla goes into a cluster.

A fleet in a folder (--fleet fleet/) needs no API server. The hub reads its YAML again after each change, and owns status/. It
also manages the contexts of its FleetClusters. A cluster without a FleetCluster has no labels.

The command needs no Redis: its queues are in memory, and are rebuilt from the clusters. --redis, or FLOTILLA_REDIS_URL, names
a Redis for the queues, as for services in several processes (docs/install.md).
All other settings: docs/settings.md.

Examples:
  flotilla up --kubeconfig ~/.kube/config --context kind-a --context kind-b
  flotilla up --kubeconfig east.yaml --kubeconfig west.yaml --port 9000
  flotilla up --fleet fleet/
  flotilla up`;

type Options = Readonly<{
  kubeconfig?: string[];
  context?: string[];
  fleet?: string;
  port?: string;
  redis?: string;
  console?: boolean;
  verbose?: boolean;
}>;

/** Registers `flotilla up`: the whole hub in one process, on clusters of the user. */
export const upCommand = (program: Command, io: Io): Command =>
  program
    .command('up')
    .description('manage your clusters from this machine: all services in one process')
    .option('--kubeconfig <file>', 'kubeconfig with clusters to manage; may be given several times', gathered)
    .option('--context <name>', 'a context to manage; may be given several times', gathered)
    .option(
      '--fleet <dir|context>',
      'folder of the fleet, or context of its API server (default: FLOTILLA_FLEET; without either, no rollouts)',
    )
    .option('--port <port>', 'port of health and metrics; 0 means any free port (default: 8080)')
    .option(
      '--redis <url>',
      'Redis for the queues (default: FLOTILLA_REDIS_URL; without either, the memory of this process)',
    )
    .option('--no-console', 'do not start the web console')
    .option('--verbose', 'log all actions of the services, not only warnings')
    .addHelpText('after', HELP)
    .action(async ({ kubeconfig = [], context = [], fleet, port, redis, console = true, verbose = false }: Options) => {
      const { runUp } = await import('./run-up.js');
      const chosen = {
        ...(port && { port: portOf(port) }),
        ...(fleet !== undefined && { fleet }),
        ...(redis && { redis }),
      };
      await runUp(io, { kubeconfigs: kubeconfig, contexts: context, console, verbose, ...chosen });
    });

const gathered = (value: string, all: readonly string[] = []): string[] => [...all, value];

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`invalid --port "${text}": expected a number from 0 to 65535`);
}
