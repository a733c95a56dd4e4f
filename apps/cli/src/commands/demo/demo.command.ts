import type { Command } from 'commander';
import { gathered } from '../../clusters/cluster-options.js';
import type { Io } from '../../terminal/io.js';

const DEMO_HELP = `
The demo waits while anything moves. It gives up after a minute without any change, later on a
busy machine, and says what stopped. With --keep it first prints a link to the web console.

Examples:
  flotilla demo
  flotilla demo --keep
  flotilla demo --distributed`;

const DISTRIBUTED = 'run the services as processes of their own, with a Redis between them, as in production';

const FLEET_HELP = `
Draws a live picture on a terminal, and prints one line for each change elsewhere.

Examples:
  flotilla demo fleet
  flotilla demo fleet --keep`;

export const demoCommand = (program: Command, io: Io): Command => {
  const demo = program
    .command('demo')
    .description('play an install and an upgrade over two hops on two simulated clusters, then a rollout over six')
    .option('--keep', 'leave everything running at the end')
    .option('--distributed', DISTRIBUTED)
    .option(
      '--kubeconfig <file>',
      'play on the clusters of this kubeconfig instead of simulated ones; may be given several times',
      gathered,
    )
    .addHelpText('after', DEMO_HELP)
    .action(async (options: Readonly<{ keep?: boolean; distributed?: boolean; kubeconfig?: string[] }>) => {
      const { runDemo } = await import('./run-demo.js');
      const { keep = false, distributed = false, kubeconfig = [] } = options;
      const isDone = await runDemo(io, { keep, distributed, kubeconfigs: kubeconfig });
      if (!isDone || keep || kubeconfig.length > 0) return;
      const { runShortFleetDemo } = await import('./fleet/run-fleet-demo.js');
      await runShortFleetDemo(io, distributed);
    });
  demo
    .command('fleet')
    .description('play rollouts over twelve simulated clusters: waves, an approval, a bad version that goes back')
    .option('--keep', 'leave everything running at the end')
    .option('--distributed', DISTRIBUTED)
    .addHelpText('after', FLEET_HELP)
    .action(async (_: unknown, command: Command) => {
      const { runFleetDemo } = await import('./fleet/run-fleet-demo.js');
      // Both are options of the command above, too, and are taken there.
      const { keep = false, distributed = false } = command.optsWithGlobals<{
        keep?: boolean;
        distributed?: boolean;
      }>();
      await runFleetDemo(io, { keep, distributed });
    });
  return demo;
};
