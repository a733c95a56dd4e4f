import { type ComposeStack, type Container, nameOf } from './compose-stack.js';

/**
 * The confinement of a container, as seen in the kernel's facts of its first process, and as reported by the
 * engine.
 */
export type Confinement = Readonly<{
  user: string;
  /** Bits of the capabilities that it has, and that it could get; hexadecimal. */
  capabilities: string;
  bounding: string;
  noNewPrivileges: boolean;
  /** 2: a filter of system calls. */
  seccomp: string;
  /** Answer to a write to the root. */
  writeToRoot: string;
  memoryLimit: number;
  processLimit: number;
}>;

/** Programs of a container of ours are Node's: the image has no shell. Redis has one. */
const WRITE = `for (const folder of ['/', '/etc', '/usr', '/flotilla']) {
  try { if (fs.existsSync(folder)) fs.writeFileSync(folder + '/made-by-a-test', ''); } catch (error) { console.log(error.message); }
}`;
const WRITE_IN_SHELL =
  'for folder in / /etc /usr /flotilla; do [ ! -d "$folder" ] || touch "$folder/made-by-a-test" 2>&1; done; true';
const READ =
  'for (const path of process.argv.slice(1)) if (fs.existsSync(path)) process.stdout.write(fs.readFileSync(path))';

const hasShell = (container: Container): boolean => nameOf(container).startsWith('redis');

/** The content of the files that there are. */
const read = (stack: ComposeStack, container: Container, ...paths: string[]): Promise<string> =>
  hasShell(container)
    ? stack.exec(container, 'sh', '-c', `cat ${paths.join(' ')} 2>/dev/null; true`)
    : stack.exec(container, 'node', '-e', READ, ...paths);

export async function confinementOf(stack: ComposeStack, container: Container): Promise<Confinement> {
  const status = await read(stack, container, '/proc/1/status');
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    user: `${field('Uid').split('\t')[0]}:${field('Gid').split('\t')[0]}`,
    capabilities: field('CapEff'),
    bounding: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs') === '1',
    seccomp: field('Seccomp'),
    writeToRoot: await (hasShell(container)
      ? stack.exec(container, 'sh', '-c', WRITE_IN_SHELL)
      : stack.exec(container, 'node', '-e', WRITE)),
    memoryLimit: container.HostConfig.Memory,
    processLimit: container.HostConfig.PidsLimit ?? 0,
  };
}

/** Most memory that the container has had, in bytes, of control groups of either version. */
export async function peakMemory(stack: ComposeStack, container: Container): Promise<number> {
  const files = ['/sys/fs/cgroup/memory.peak', '/sys/fs/cgroup/memory/memory.max_usage_in_bytes'];
  return Number(await read(stack, container, ...files));
}
