import { execFile } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { stringify } from 'yaml';
import { findExecutable } from '#platform/debian/executable';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';
import type { PageShell } from '../../guide/page-shell.js';
import type { Read } from './tunnel-objects.js';

const run = promisify(execFile);

/** A context of kubectl, and the network in which it works. */
export type Reach = Readonly<{ context: string; kubeconfig: string; network: string | undefined }>;

/**
 * Makes the shell of an administrator in a checkout: its kubectl works for each cluster in the network of the
 * cluster. The first context is the current one.
 */
export async function administratorsShell(folder: string, reaches: readonly Reach[]): Promise<PageShell> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await symlink(join(PROJECT_ROOT, 'k8s'), join(folder, 'k8s'));
  const kubectl = findExecutable('kubectl', process.env['PATH'] ?? '') ?? 'kubectl';
  const inside = reaches.flatMap(({ context, network }) =>
    network === undefined ? [] : [`  *" --context ${context} "*) exec ip netns exec ${network} ${kubectl} "$@" ;;`],
  );
  const script = ['#!/bin/sh', 'case " $* " in', ...inside, 'esac', `exec ${kubectl} "$@"`, ''];
  await writeFile(join(bin, 'kubectl'), script.join('\n'), { mode: 0o755 });
  const parts = await Promise.all(
    reaches.map(async ({ context: name, kubeconfig }) => {
      const config = parseKubeconfig(kubeconfig, await readFile(kubeconfig, 'utf8'));
      return { name, ...config.access(config.contexts[0] ?? '') };
    }),
  );
  const config = {
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': parts[0]?.name },
    clusters: parts.map(({ name, cluster }) => ({ name, cluster })),
    users: parts.map(({ name, user }) => ({ name, user })),
    contexts: parts.map(({ name }) => ({ name, context: { cluster: name, user: name } })),
  };
  const KUBECONFIG = join(folder, 'administrator.kubeconfig');
  await writeFile(KUBECONFIG, stringify(config), { mode: 0o600 });
  const PATH = [bin, join(PROJECT_ROOT, 'bin'), process.env['PATH'] ?? ''].join(':');
  return { folder, environment: { KUBECONFIG, PATH } };
}

/** Reads objects of a namespace by the administrator's kubectl. */
export function reading({ folder, environment }: PageShell, context: string, namespace: string): Read {
  const env = { ...environment, HOME: folder };
  return async (kind, name) => {
    const args = ['--context', context, '-n', namespace, 'get', kind, name, '-o', 'json'];
    const { stdout } = await run(join(folder, 'bin', 'kubectl'), args, { env });
    return JSON.parse(stdout);
  };
}
