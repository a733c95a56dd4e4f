import { z } from 'zod';
import { type DockerEngine, docker } from '#testing/docker-engine/docker-command';

const Network = z.looseObject({ IPAddress: z.string(), Gateway: z.string() });
const Inspected = z.looseObject({
  Id: z.string(),
  Name: z.string(),
  RestartCount: z.number(),
  State: z.looseObject({
    Pid: z.number(),
    Status: z.string(),
    ExitCode: z.number(),
    OOMKilled: z.boolean(),
    StartedAt: z.string(),
    Health: z.looseObject({ Status: z.string() }).optional(),
  }),
  Config: z.looseObject({ User: z.string(), Labels: z.record(z.string(), z.string()) }),
  HostConfig: z.looseObject({
    ReadonlyRootfs: z.boolean(),
    CapDrop: z.array(z.string()).nullable(),
    SecurityOpt: z.array(z.string()).nullable(),
    Memory: z.number(),
    PidsLimit: z.number().nullable(),
  }),
  NetworkSettings: z.looseObject({ Networks: z.record(z.string(), Network) }),
});
export type Container = z.infer<typeof Inspected>;

export const serviceOf = ({ Config }: Container): string => Config.Labels['com.docker.compose.service'] ?? '';
/** Service and number, as compose names it: `resolver-worker-2`. */
export const nameOf = (container: Container): string =>
  `${serviceOf(container)}-${container.Config.Labels['com.docker.compose.container-number'] ?? ''}`;

/** The stack of docker-compose.yml as a compose project of its own. */
export class ComposeStack {
  constructor(
    readonly engine: DockerEngine,
    readonly project: string,
    /** Settings of docker-compose.yml from the shell. Changes count from the next command on. */
    readonly settings: Record<string, string>,
    private readonly root: string,
  ) {}

  compose(...args: readonly string[]): Promise<string> {
    const environment = { ...this.engine.environment, ...this.settings };
    // A file `.env` of the checkout is its owner's, and no part of the test.
    const files = [
      '--project-directory',
      this.root,
      '--file',
      `${this.root}/docker-compose.yml`,
      '--env-file',
      '/dev/null',
    ];
    return docker({ environment }, [
      'compose',
      '--project-name',
      this.project,
      '--progress',
      'plain',
      ...files,
      ...args,
    ]);
  }

  docker(...args: readonly string[]): Promise<string> {
    return docker(this.engine, args);
  }

  /** Its containers, running or not, by service and number. */
  async containers(): Promise<Container[]> {
    const ids = await this.#ids('ps', '--all', '--quiet');
    if (ids.length === 0) return [];
    const found = z.array(Inspected).parse(JSON.parse(await this.docker('inspect', ...ids)));
    return found.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  }

  async container(name: string): Promise<Container> {
    const found = (await this.containers()).find((container) => nameOf(container) === name);
    if (found === undefined) throw new Error(`there is no container ${name}`);
    return found;
  }

  exec(container: Container, ...command: readonly string[]): Promise<string> {
    return this.docker('exec', container.Id, ...command);
  }

  /**
   * SIGKILL to the first process of the container, from outside. After `docker kill` the engine would not
   * start it again.
   */
  async killHard({ State }: Container): Promise<void> {
    const helper = ['run', '--rm', '--pid', 'host', '--user', '0', '--network', 'none', '--entrypoint', 'node'];
    await this.docker(...helper, this.settings['FLOTILLA_IMAGE'] ?? '', '-e', `process.kill(${State.Pid}, 'SIGKILL')`);
  }

  /** Returns the remains of the project in the engine, by kind. */
  async remains(): Promise<Readonly<{ containers: string[]; networks: string[]; volumes: string[] }>> {
    const [containers, networks, volumes] = await Promise.all([
      this.#ids('ps', '--all', '--format', '{{.Names}}'),
      this.#ids('network', 'ls', '--format', '{{.Name}}'),
      this.#ids('volume', 'ls', '--format', '{{.Name}}'),
    ]);
    return { containers, networks, volumes };
  }

  async #ids(...command: readonly string[]): Promise<string[]> {
    const filter = ['--filter', `label=com.docker.compose.project=${this.project}`];
    return linesOf(await this.docker(...command, ...filter)).toSorted();
  }
}

export const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');
