import { isatty } from 'node:tty';
import type { Settings } from '#platform/config/settings';
import type { LoadClustersOptions } from '#platform/kube/access/load-clusters';

/** Returns how a command runs login plugins: they may ask the person at its terminal. */
export const commandPlugins = ({ kubePluginTimeout }: Settings): NonNullable<LoadClustersOptions['plugins']> => ({
  timeoutMs: kubePluginTimeout,
  hasTerminal: isatty(0),
});
