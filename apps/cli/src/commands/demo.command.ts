import type { Command } from 'commander';
import type { Io } from '../io.js';
import { gathered } from '../live/cluster-options.js';

const DEMO_HELP = `
The demo waits while anything moves. It gives up after a minute without any change, later on a
busy machine, and says what stopped. With --keep it first prints a link to the web console.

Examples:
  flotilla demo
  flotilla demo --keep`;

const FLEET_HELP = `
On a terminal a live picture, elsewhere one line for each change.

Examples:
  flotilla demo fleet
  flotilla demo fleet --keep`;

export const demoCommand = (program: Command, io: Io): Command => {
  const demo = program
    .command('demo')
    .description('two simulated clusters, an install and an upgrade over two hops, as they happen; then a fleet of six')
    .option('--keep', 'leave everything running at the end')
    .option(
      '--kubeconfig <file>',
      'play on the clusters of this kubeconfig instead of simulated ones; may be given several times',
      gathered,
    )
    .addHelpText('after', DEMO_HELP)
    .action(async (options: { keep?: boolean; kubeconfig?: string[] }) => {
      const { runDemo } = await import('../demo/run-demo.js');
      const { keep = false, kubeconfig = [] } = options;
      const isDone = await runDemo(io, { keep, kubeconfigs: kubeconfig });
      if (!isDone || keep || kubeconfig.length > 0) return;
      const { runShortFleetDemo } = await import('../demo/fleet/run-fleet-demo.js');
      await runShortFleetDemo(io);
    });
  demo
    .command('fleet')
    .description(
      'a minute of roll-outs over twelve simulated clusters: waves, an approval, a bad version that goes back',
    )
    .option('--keep', 'leave everything running at the end')
    .addHelpText('after', FLEET_HELP)
    .action(async (_: unknown, command: Command) => {
      const { runFleetDemo } = await import('../demo/fleet/run-fleet-demo.js');
      // `--keep` is an option of the command above, too, and is taken there.
      const { keep = false } = command.optsWithGlobals<{ keep?: boolean }>();
      await runFleetDemo(io, { keep });
    });
  return demo;
};
