import type { Command } from 'commander';
import type { Io } from '../io.js';
import { gathered } from '../live/cluster-options.js';

export const demoCommand = (program: Command, io: Io): Command =>
  program
    .command('demo')
    .description('two simulated clusters, sample catalogs, an install and an upgrade over two hops, told as it happens')
    .option('--keep', 'leave everything running at the end')
    .option(
      '--kubeconfig <file>',
      'play on the clusters of this kubeconfig instead of simulated ones; may be given several times',
      gathered,
    )
    .addHelpText('after', '\nExamples:\n  flotilla demo\n  flotilla demo --keep')
    .action(async (options: { keep?: boolean; kubeconfig?: string[] }) => {
      const { runDemo } = await import('../demo/run-demo.js');
      const { keep = false, kubeconfig = [] } = options;
      await runDemo(io, { keep, kubeconfigs: kubeconfig });
    });
