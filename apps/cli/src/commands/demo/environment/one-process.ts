import { join } from 'node:path';
import { consoleLink, openConsoleKey } from '#platform/console/console-key';
import { freePorts } from '#testing/control-plane/free-ports';
import { type DemoEnvironment, type GroundOptions, onGround } from './demo-environment.js';
import { hubKeyFile, ServiceProcess } from './service-process.js';

/** Sets everything up and starts a hub that is one process, as a user does on a laptop: `flotilla up`. */
export const startOneProcess = (options: GroundOptions = {}): Promise<DemoEnvironment> =>
  onGround(options, async ({ folder, kubeconfigs }, endings) => {
    const { settings = {}, withConsole = false } = options;
    const keyFile = join(folder, 'console-key');
    const [key, [port = 0, consolePort = 0]] = await Promise.all([openConsoleKey(keyFile), freePorts(2)]);
    const env = {
      FLOTILLA_REDIS_URL: '',
      // An identity of its own, whatever the user's hub is called.
      FLOTILLA_HUB_ID: '',
      FLOTILLA_HUB_KEY_FILE: hubKeyFile(),
      FLOTILLA_CLUSTERS_FILE: join(folder, 'clusters.yaml'),
      FLOTILLA_CONTENT_DIR: join(folder, 'content', 'hub'),
      FLOTILLA_CONSOLE_PORT: String(consolePort),
      FLOTILLA_CONSOLE_KEY_FILE: keyFile,
      ...settings,
    };
    const args = [
      ...['up', '--verbose', '--port', String(port)],
      ...kubeconfigs.flatMap((file) => ['--kubeconfig', file]),
      ...(withConsole ? [] : ['--no-console']),
    ];
    const hub = new ServiceProcess('hub', 'flotilla', env, join(folder, 'hub.log'), undefined, args);
    endings.push(() => hub.stop());
    hub.start();
    const console = withConsole ? { link: consoleLink(`http://127.0.0.1:${consolePort}`, key) } : undefined;
    return { services: [hub], console, workWaits: 'in the memory of this one process' };
  });
