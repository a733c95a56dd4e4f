import type { StartedNetwork, StartedTestContainer } from 'testcontainers';
import type { DockerEngine } from '#testing/docker-engine/docker-command';
import { PATIENCE_MS } from '#testing/patience';

const PASSWORD = 'password-of-redis';
/** Name of the Redis in the Sentinels that watch it. */
const MASTER = 'mymaster';
const CONFIG = '/data/sentinel.conf';

type Container = Readonly<{ container: StartedTestContainer; address: string }>;

/**
 * Servers that testcontainers starts in one network of a Docker engine. No port is published: this machine
 * reaches containers at their own addresses.
 */
export class StartedContainers {
  readonly #started: StartedTestContainer[] = [];

  private constructor(
    private readonly library: typeof import('testcontainers'),
    private readonly network: StartedNetwork,
    private readonly redisImage: string,
  ) {}

  static async in(engine: DockerEngine, redisImage: string): Promise<StartedContainers> {
    // Read by testcontainers when it is first used.
    process.env['DOCKER_HOST'] = engine.environment['DOCKER_HOST'];
    // Its reaper is an image of Docker Hub. Without it, the engine ends with this process.
    if (redisImage.startsWith('flotilla-')) process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
    const library = await import('testcontainers');
    return new StartedContainers(library, await new library.Network().start(), redisImage);
  }

  /** A Redis with a password; a replica of `master` if there is one. */
  async redis(master?: Readonly<{ address: string }>): Promise<Container & Readonly<{ url: string }>> {
    const replica = master === undefined ? [] : ['--replicaof', master.address, '6379'];
    const options = ['--requirepass', PASSWORD, '--masterauth', PASSWORD, '--repl-diskless-sync-delay', '0'];
    const started = await this.#start(
      this.redisImage,
      ['redis-server', '--protected-mode', 'no', ...options, ...replica],
      /Ready to accept connections/,
    );
    return { ...started, url: `redis://:${PASSWORD}@${started.address}:6379` };
  }

  /** A Sentinel that puts a replica in the place of this Redis; a URL of the Redis that it names. */
  async sentinel(watched: Readonly<{ address: string }>): Promise<Container & Readonly<{ url: string }>> {
    const lines = [
      'protected-mode no',
      `sentinel monitor ${MASTER} ${watched.address} 6379 1`,
      `sentinel auth-pass ${MASTER} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${MASTER} 1000`,
      `sentinel failover-timeout ${MASTER} 6000`,
    ];
    const command = ['redis-server', CONFIG, '--sentinel'];
    const started = await this.#start(this.redisImage, command, /\+monitor master/, `${lines.join('\n')}\n`);
    return { ...started, url: `redis+sentinel://:${PASSWORD}@${started.address}:26379/${MASTER}` };
  }

  /** A registry of images without logins. */
  registry(image: string): Promise<Container> {
    return this.#start(image, [], /listening on/);
  }

  async #start(image: string, command: readonly string[], ready: RegExp, config?: string): Promise<Container> {
    const { GenericContainer, Wait } = this.library;
    const described = new GenericContainer(image)
      .withNetwork(this.network)
      .withWaitStrategy(Wait.forLogMessage(ready))
      .withStartupTimeout(PATIENCE_MS)
      // Sentinel writes to its file.
      .withCopyContentToContainer(config === undefined ? [] : [{ content: config, target: CONFIG, mode: 0o666 }]);
    const container = await (command.length === 0 ? described : described.withCommand([...command])).start();
    this.#started.push(container);
    return { container, address: container.getIpAddress(this.network.getName()) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((container) => container.stop()));
    await this.network.stop();
  }
}
