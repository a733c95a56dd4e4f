import type { Settings } from '#platform/config/settings';
import { commandSettings } from '../../hub/command-settings.js';
import { hubAddress } from '../../hub/hub-address.js';
import { fleetOption } from '../fleet/hub/fleet-option.js';
import type { NamedClusters } from './access-options.js';

type Environment = Readonly<Record<string, string | undefined>>;

export type UpOptions = Readonly<{
  kubeconfigs: readonly string[];
  contexts: readonly string[];
  /** The place of the fleet's objects, as in FLOTILLA_FLEET, a folder or a context; the setting if absent. */
  fleet?: string;
  /** The port of health, metrics and content; the setting if absent. */
  port?: number;
  /** URL of the Redis of the hub. Default: the setting. */
  redis?: string;
  /** True if the web console runs, too. */
  console: boolean;
  verbose: boolean;
}>;

/** The clusters, and the settings of everything else: options go before the environment. */
export type UpSettings = Readonly<{
  settings: Settings;
  /** The named files; none: those of the clusters that have joined, otherwise kubectl's. */
  kubeconfigs: readonly string[];
  contexts: readonly string[];
  /**
   * The clusters of the command line alone. Commands in the same environment do not take them by themselves.
   */
  named: NamedClusters;
  verbose: boolean;
  /** The address that verbs without `--hub` ask for the hub, in this environment. */
  usualHub: string;
}>;

/**
 * Returns the settings of `flotilla up`. A kubeconfig that was named for Flotilla, or otherwise that of the
 * registered clusters, stands for all its contexts. kubectl's own (`KUBECONFIG`, `~/.kube/config`) stands for
 * its current context alone: a user's whole collection of clusters is not taken over by accident.
 */
export function upSettings(options: UpOptions, environment: Environment): UpSettings {
  const logLevel = environment['FLOTILLA_LOG_LEVEL'] || (options.verbose ? 'info' : 'warn');
  const fleet = options.fleet === undefined ? {} : { FLOTILLA_FLEET: fleetOption(options.fleet) };
  const redis = options.redis === undefined ? {} : { FLOTILLA_REDIS_URL: options.redis };
  const settings = commandSettings({ ...environment, ...fleet, ...redis, FLOTILLA_LOG_LEVEL: logLevel });
  const named = environment['FLOTILLA_KUBECONFIG'] ? settings.kubeconfig.split(':') : [];
  const contexts = options.contexts.length > 0 ? options.contexts : settings.contexts;
  return {
    // One process holds all content: there is no other process to ask for it.
    settings: { ...settings, catalogPollerPort: options.port ?? settings.catalogPollerPort, contentUrl: '', shards: 1 },
    verbose: options.verbose,
    usualHub: hubAddress(settings),
    kubeconfigs: [options.kubeconfigs, named].find((files) => files.length > 0) ?? [],
    contexts,
    named: { kubeconfigs: options.kubeconfigs, contexts: options.contexts },
  };
}
