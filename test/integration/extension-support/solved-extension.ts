import type { ClusterExtension } from '#core/kernel/api/cluster-extension';
import { desiredExtension } from '#core/v1/extension/extension-problem';
import { readSettings } from '#platform/config/settings';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { memoryQueues } from '#platform/queue/queues';
import { BundlePulls } from '#platform/registry/bundle-pulls';
import { configuredRegistryClient } from '#platform/registry/configured-registry-client';
import { MemoryProblemStore } from '#platform/store/memory-problem-store';
import type { ExtensionProblems } from '#platform/store/problem-store.port';
import { silentLog } from '#platform/telemetry/log.port';
import type { ExtensionDeps } from '../../../libs/lifecycle/src/v1/extensions/extension-deps.js';

const bundle = { name: 'lamp.v1.0.0', version: '1.0.0' };

/** Stores the solution that the applier needs to install or keep the bundle of that image. */
export async function solvedFor(
  client: KubeClient,
  object: ClusterExtension,
  image: string,
  { installed = false } = {},
): Promise<ExtensionDeps> {
  const store = new MemoryProblemStore<ExtensionProblems>();
  const extension = desiredExtension(object, installed ? bundle : undefined, {});
  if (extension === undefined) throw new Error('the extension names no catalog');
  const problem = await store.putProblem({ v: 1, extension, catalogs: [] }, new Map());
  await store.putObservation(client.cluster, object.metadata.name ?? '', { problem });
  const solution = { class: 'Resolved', bundle, image, catalog: 'main', deprecation: null, heldBack: null } as const;
  await store.putSolution(problem, solution);
  return {
    store,
    // Chosen here, and not read from Redis.
    check: { admit: async () => true },
    observe: memoryQueues().observe,
    pulls: BundlePulls.withoutTurns(await configuredRegistryClient(readSettings({}))),
    wake: () => undefined,
    credentials: async () => ({}),
    log: silentLog,
    onRolledOut: () => undefined,
    systemNamespace: 'flotilla-system',
    helmReleaseNamespace: '',
    unpackTimeoutMs: 60_000,
    secretIntervalMs: 60_000,
  };
}
