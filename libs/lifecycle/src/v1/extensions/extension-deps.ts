import type { ExtensionSubject } from '#core/kernel/subject/subject';
import type { Hub } from '#platform/hub/hub';
import { OwnRights } from '#platform/joining/own-rights';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { BundlePulls } from '#platform/registry/bundle-pulls';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { localCredentials } from '#platform/registry/logins/local-credentials';
import type { ExtensionProblems, ProblemStore } from '#platform/store/problem-store.port';
import type { Log } from '#platform/telemetry/log.port';
import { ChoiceCheck } from './choice-check.js';

/** The parts of the hub that work on ClusterExtensions needs. */
export type ExtensionDeps = Readonly<{
  store: ProblemStore<ExtensionProblems>;
  check: Pick<ChoiceCheck, 'admit'>;
  observe: JobQueue<SubjectJob>;
  pulls: BundlePulls;
  /** Enqueues the extension again: its bundle is fetched. */
  wake: (extension: ExtensionSubject) => void;
  /** The hub's own logins for an image. */
  credentials: (image: string) => Promise<RegistryCredentials>;
  log: Log;
  /** The rights of the hub's login. Absent with a user's login, when nothing is written. */
  rights?: OwnRights;
  /** Called for every revision that is complete for the first time, with the seconds since it was made. */
  onRolledOut: (cluster: string, seconds: number) => void;
  /** Namespace for the Secrets of revisions in a managed cluster. */
  systemNamespace: string;
  /**
   * Namespace of the Helm releases of OLM v1 in a managed cluster. Empty: the default namespace of OLM v1.
   */
  helmReleaseNamespace: string;
  /** Time limit for the pull of a bundle, in milliseconds. 0: no limit. */
  unpackTimeoutMs: number;
  /** Interval of checks of Secrets that extensions bring, in milliseconds. */
  secretIntervalMs: number;
}>;

export const extensionDeps = ({
  extensionProblems,
  queues,
  bundlePulls: pulls,
  log,
  metrics,
  refused,
  settings,
}: Hub): ExtensionDeps => ({
  store: extensionProblems,
  check: new ChoiceCheck(extensionProblems, refused),
  observe: queues.observe,
  pulls,
  wake: (extension) => {
    queues.apply
      .add({ v: 1, ...extension })
      .catch((err: unknown) =>
        log.warn({ ...extension, err }, 'could not start a pass for a fetched bundle; it waits for the next one'),
      );
  },
  credentials: localCredentials,
  log,
  rights: new OwnRights(),
  onRolledOut: (cluster, seconds) => metrics.extensions.rolledOut(cluster, seconds),
  systemNamespace: settings.systemNamespace,
  helmReleaseNamespace: settings.helmReleaseNamespace,
  unpackTimeoutMs: settings.bundleUnpackTimeout,
  secretIntervalMs: settings.extensionSecretInterval,
});
