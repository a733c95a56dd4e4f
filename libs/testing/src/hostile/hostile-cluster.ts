import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#platform/files/project-root';
import type { AttackName } from './attacks.js';

/** A simulated cluster in a process of its own, so that its answers cost this process nothing. */
export type HostileCluster = Readonly<{
  kubeconfig: string;
  /** From now on: this attack; undefined: none. */
  attack(name: AttackName | undefined): void;
  stop(): Promise<void>;
}>;

const ENTRY = join(PROJECT_ROOT, 'dist', 'libs', 'testing', 'src', 'hostile', 'hostile-cluster.process.js');

export async function startHostileCluster(name: string): Promise<HostileCluster> {
  const child = fork(ENTRY, [name], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [kubeconfig] = await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error(`the process of cluster ${name} ended at its start`))),
  ]);
  return {
    kubeconfig: String(kubeconfig),
    attack: (attack) => child.send(attack ?? 'none'),
    stop: async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}
