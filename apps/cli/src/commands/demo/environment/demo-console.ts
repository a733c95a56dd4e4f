import { join } from 'node:path';
import { consoleLink, openConsoleKey } from '#platform/console/console-key';
import { freePorts } from '#testing/control-plane/free-ports';
import { ServiceProcess } from './service-process.js';

/** The web console of a demo. `service` is absent if the console is a part of the hub's process. */
export type DemoConsole = Readonly<{ service?: ServiceProcess; link: string }>;

/** Returns the settings with which poller, applier and console know the person who acts or asks. */
export const proofFiles = (folder: string) => ({
  FLOTILLA_CONSOLE_KEY_FILE: join(folder, 'console-key'),
  FLOTILLA_CONSOLE_PROOF_KEYS_FILE: join(folder, 'console-proof-keys'),
});

/**
 * Starts the console without a kubeconfig: its data comes from Redis. Its key lies in `folder` and is deleted
 * with it.
 */
export async function demoConsole(
  folder: string,
  redis: Readonly<{ url: string; prefix: string }>,
): Promise<Required<DemoConsole>> {
  const files = proofFiles(folder);
  const key = await openConsoleKey(files.FLOTILLA_CONSOLE_KEY_FILE);
  const [port = 0] = await freePorts(1);
  const env = {
    FLOTILLA_REDIS_URL: redis.url,
    FLOTILLA_REDIS_PREFIX: redis.prefix,
    FLOTILLA_CONSOLE_PORT: String(port),
    FLOTILLA_CONSOLE_HEALTH_PORT: '0',
    ...files,
    FLOTILLA_CONTENT_DIR: join(folder, 'content', 'console'),
  };
  const service = new ServiceProcess('console', 'console', env, join(folder, 'console.log'));
  return { service, link: consoleLink(`http://127.0.0.1:${port}`, key) };
}
