import type { Settings } from '#platform/config/settings';
import { joinedKubeconfigs } from '#platform/hub/joined-clusters';
import { commandSettings } from '../command-settings.js';
import { usablePort } from './usable-port.js';

type Environment = Readonly<Record<string, string | undefined>>;

export type UpOptions = Readonly<{
  kubeconfigs: readonly string[];
  contexts: readonly string[];
  /** The port of health, metrics and content; the setting where absent. */
  port?: number;
  verbose: boolean;
}>;

/** Which clusters, and the settings of everything else: options go before the environment. */
export type UpSettings = Readonly<{
  settings: Settings;
  kubeconfigs: readonly string[];
  contexts: readonly string[];
}>;

/**
 * A kubeconfig that was named for Flotilla, or else that of the clusters that have joined, stands for all its contexts;
 * kubectl's own (`KUBECONFIG`, `~/.kube/config`) for its current context alone, so that nobody's whole collection of
 * clusters is taken over by accident.
 */
export async function upSettings(options: UpOptions, environment: Environment): Promise<UpSettings> {
  const logLevel = environment['FLOTILLA_LOG_LEVEL'] || (options.verbose ? 'info' : 'warn');
  const settings = commandSettings({ ...environment, FLOTILLA_LOG_LEVEL: logLevel });
  const named = environment['FLOTILLA_KUBECONFIG'] ? settings.kubeconfig.split(':') : [];
  const contexts = options.contexts.length > 0 ? options.contexts : settings.contexts;
  const catalogPollerPort = await usablePort(options.port ?? settings.catalogPollerPort, settings.bindAddress);
  return {
    // One process holds all content: there is nobody else to ask for it.
    settings: { ...settings, catalogPollerPort, contentUrl: '' },
    kubeconfigs:
      [options.kubeconfigs, named].find((files) => files.length > 0) ?? (await joinedKubeconfigs(settings, contexts)),
    contexts,
  };
}
