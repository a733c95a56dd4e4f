import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '#platform/clock/manual-clock';
import { readSettings } from '#platform/config/settings';
import { openHub } from '#platform/hub/hub';
import { HubKey } from '#platform/keys/hub-key';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { silentLog } from '#platform/telemetry/log.port';
import type { ServicesEnvironment } from '../../apps/cli/src/commands/demo/environment/demo-environment.js';
import { hubKeyFile, LOOPBACK_ALLOWED } from '../../apps/cli/src/commands/demo/environment/service-process.js';
import { extensionDeps } from '../../libs/lifecycle/src/v1/extensions/extension-deps.js';
import { reconcileExtension } from '../../libs/lifecycle/src/v1/reconcile-extension.js';

/**
 * One pass of the applier over an extension as at that time; the environment's own services go on as they
 * are.
 */
export async function passOverExtension(
  { redis, redisPrefix }: ServicesEnvironment,
  client: KubeClient,
  extension: string,
  at: Date,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'flotilla-late-'));
  const settings = readSettings({
    ...LOOPBACK_ALLOWED,
    FLOTILLA_REDIS_PREFIX: redisPrefix,
    FLOTILLA_CONTENT_DIR: folder,
  });
  const key = await HubKey.open(hubKeyFile());
  const hub = await openHub({ service: 'late-applier', settings, log: silentLog, store: redis, key });
  try {
    const { signal } = new AbortController();
    await reconcileExtension(
      extensionDeps(hub),
      { client, reads: client, name: extension },
      new ManualClock(at),
      signal,
    );
  } finally {
    await Promise.all(Object.values(hub.queues).map((queue) => queue.close({ deadlineMs: 5_000 })));
    await hub.close();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
