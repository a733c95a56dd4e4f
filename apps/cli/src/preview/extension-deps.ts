import { memoryQueues } from '#platform/queue/queues';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import type { ExtensionDeps } from '../../../../libs/lifecycle/src/v1/extensions/extension-deps.js';
import { logins } from '../inputs/registry-access.js';
import type { NextStepDeps } from './next-step.js';

/**
 * Returns the dependencies of passes over extensions, in this process and without a hub. `store` has the
 * chosen solution.
 */
export const extensionDepsOf = (
  { settings, contents }: NextStepDeps,
  store: MemoryProblemStore<ExtensionProblems> = new MemoryProblemStore<ExtensionProblems>(),
): ExtensionDeps => ({
  store,
  // Chosen here, and not read from Redis.
  check: { admit: async () => true },
  observe: memoryQueues().observe,
  pulls: contents.bundlePulls,
  wake: () => undefined,
  credentials: logins,
  log: silentLog,
  onRolledOut: () => undefined,
  systemNamespace: settings.systemNamespace,
  helmReleaseNamespace: settings.helmReleaseNamespace,
  unpackTimeoutMs: settings.bundleUnpackTimeout,
  secretIntervalMs: settings.extensionSecretInterval,
});
