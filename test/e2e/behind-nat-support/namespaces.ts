import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { type Need, programs } from '#testing/report/needs';

const run = promisify(execFile);
const ip = (...args: readonly string[]) => run('ip', args);

const PREFIX = `flotilla-${process.pid}`;

/**
 * Returns the need of network namespaces: root, and a system that lets it make them.
 * @throws Error in CI if they cannot be made there, so that CI never leaves out such a test
 */
export async function networkNamespaces(): Promise<Need> {
  const program = await programs({ program: 'ip', debian: 'iproute2' });
  if (!program.isThere) return program;
  const name = `${PREFIX}-probe`;
  try {
    execFileSync('ip', ['netns', 'add', name], { stdio: 'pipe' });
    execFileSync('ip', ['netns', 'del', name], { stdio: 'pipe' });
    return { isThere: true, what: '' };
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n').at(-1) : String(error);
    const what = `network namespaces (root, and a system that lets it make them: ${why})`;
    if (!['', '0', 'false'].includes(process.env['CI'] ?? '')) throw new Error(`in CI these tests need ${what}`);
    return { isThere: false, what };
  }
}

/** Networks that know each other by the links between them alone. All of them go with `remove`. */
export class Namespaces {
  readonly #names: string[] = [];

  /** Makes a namespace with addresses of its own. No other namespace has a route to them. */
  async add(name: string, addresses: readonly string[] = []): Promise<string> {
    const full = `${PREFIX}-${name}`;
    await ip('netns', 'add', full);
    this.#names.push(full);
    await ip('-n', full, 'link', 'set', 'lo', 'up');
    for (const address of addresses) await ip('-n', full, 'addr', 'add', `${address}/32`, 'dev', 'lo');
    return full;
  }

  /** Links two namespaces by a network of two addresses. Without `from`: the network of this process. */
  async link(from: string | undefined, to: string, subnet: string): Promise<void> {
    const here = from === undefined ? [] : ['-n', from];
    // The name of an interface has 15 characters at most.
    this.#links += 1;
    const name = `fl${this.#links}-${process.pid}`;
    await ip(...here, 'link', 'add', name, 'type', 'veth', 'peer', 'name', `up${this.#links}`, 'netns', to);
    await ip(...here, 'addr', 'add', `${subnet}.1/30`, 'dev', name);
    await ip(...here, 'link', 'set', name, 'up');
    await ip('-n', to, 'addr', 'add', `${subnet}.2/30`, 'dev', `up${this.#links}`);
    await ip('-n', to, 'link', 'set', `up${this.#links}`, 'up');
  }
  #links = 0;

  /** Gives a namespace, or the network of this process, a way to one address. */
  async route(from: string | undefined, address: string, gateway: string): Promise<void> {
    await ip(...(from === undefined ? [] : ['-n', from]), 'route', 'add', `${address}/32`, 'via', gateway);
  }

  async remove(): Promise<void> {
    for (const name of this.#names.splice(0)) await ip('netns', 'del', name).catch(() => undefined);
  }
}

/** A command that runs another one in a namespace; the process stays the same. */
export const within = (namespace: string, binary: string, args: readonly string[]) =>
  ({ binary: 'ip', args: ['netns', 'exec', namespace, binary, ...args] }) as const;
