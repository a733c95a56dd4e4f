import type { ComposeStack, Container } from './compose-stack.js';

/** How a container is confined, as the kernel says of its first process, and as the engine says of it. */
export type Confinement = Readonly<{
  user: string;
  /** Bits of the capabilities that it has, and that it could get; hexadecimal. */
  capabilities: string;
  bounding: string;
  noNewPrivileges: boolean;
  /** 2: a filter of system calls. */
  seccomp: string;
  /** What a write to the root says. */
  writeToRoot: string;
  memoryLimit: number;
  processLimit: number;
}>;

const WRITE =
  'for folder in / /etc /usr /flotilla; do [ ! -d "$folder" ] || touch "$folder/made-by-a-test" 2>&1; done; true';

export async function confinementOf(stack: ComposeStack, container: Container): Promise<Confinement> {
  const status = await stack.exec(container, 'cat', '/proc/1/status');
  const field = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1] ?? '';
  return {
    user: `${field('Uid').split('\t')[0]}:${field('Gid').split('\t')[0]}`,
    capabilities: field('CapEff'),
    bounding: field('CapBnd'),
    noNewPrivileges: field('NoNewPrivs') === '1',
    seccomp: field('Seccomp'),
    writeToRoot: await stack.exec(container, 'sh', '-c', WRITE),
    memoryLimit: container.HostConfig.Memory,
    processLimit: container.HostConfig.PidsLimit ?? 0,
  };
}

/** Most memory that the container has had, in bytes, of control groups of either version. */
export async function peakMemory(stack: ComposeStack, container: Container): Promise<number> {
  const files = '/sys/fs/cgroup/memory.peak /sys/fs/cgroup/memory/memory.max_usage_in_bytes';
  return Number(await stack.exec(container, 'sh', '-c', `cat ${files} 2>/dev/null; true`));
}
