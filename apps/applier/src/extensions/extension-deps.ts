import type { Hub } from '#platform/hub/hub';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { ExtensionJob } from '#platform/queue/jobs';
import { localCredentials } from '#platform/registry/local-credentials';
import type { RegistryClient, RegistryCredentials } from '#platform/registry/registry-client.port';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { Log } from '#platform/telemetry/log.port';

/** What work on ClusterExtensions needs of the hub. */
export type ExtensionDeps = Readonly<{
  store: ProblemStore<ExtensionProblems>;
  observe: JobQueue<ExtensionJob>;
  registry: RegistryClient;
  /** The hub's own logins for an image. */
  credentials: (image: string) => Promise<RegistryCredentials>;
  log: Log;
  /** In a managed cluster, for the Secrets of revisions. */
  systemNamespace: string;
  /** For the pull of a bundle, in milliseconds; 0: as long as it takes. */
  unpackTimeoutMs: number;
  /** Between two looks at Secrets that extensions bring, in milliseconds. */
  secretIntervalMs: number;
}>;

export const extensionDeps = ({ extensionProblems, queues, registry, log, settings }: Hub): ExtensionDeps => ({
  store: extensionProblems,
  observe: queues.observeExtension,
  registry,
  credentials: localCredentials,
  log,
  systemNamespace: settings.systemNamespace,
  unpackTimeoutMs: settings.bundleUnpackTimeout,
  secretIntervalMs: settings.extensionSecretInterval,
});
