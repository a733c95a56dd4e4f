import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type SimulatedFleet, startSimulatedFleet } from '#testing/cluster/simulated-fleet';
import { PATIENCE, PATIENCE_MS } from '#testing/patience';

const PROGRAM = join(PROJECT_ROOT, 'dist', 'programs', 'flotilla.js');
const PLUGIN = { apiVersion: 'client.authentication.k8s.io/v1', command: './plugin.sh', interactiveMode: 'Never' };
const HANGS = `#!/bin/sh
echo $$ >> "$AT/pids"
echo "To sign in, open https://login.example" >&2
sleep 600 & echo $! >> "$AT/pids"
wait
`;

const Entries = z.array(z.looseObject({ name: z.string() }));
const Kubeconfig = z.looseObject({ clusters: Entries, users: Entries, contexts: Entries });

let folder = '';
let fleet: SimulatedFleet;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-odd-logins-'));
  fleet = await startSimulatedFleet({ clusters: ['east'] });
  await writeFile(join(folder, 'plugin.sh'), HANGS);
  await chmod(join(folder, 'plugin.sh'), 0o755);
});
afterAll(async () => {
  await fleet.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

/** Writes a kubeconfig with cluster `east` and the additions of `change`. */
async function kubeconfig(change: (config: z.infer<typeof Kubeconfig>) => void): Promise<string> {
  const config = Kubeconfig.parse(parse(fleet.kubeconfig()));
  change(config);
  const file = join(folder, 'kubeconfig');
  await writeFile(file, stringify(config), { mode: 0o600 });
  return file;
}

type Ended = Readonly<{ exit: unknown; said: string }>;

/** Runs the command in a process of its own until it ends by itself. */
const flotilla = (...args: string[]): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], HOME: folder, AT: folder, FLOTILLA_KUBE_PLUGIN_TIMEOUT: '1h' };
    execFile(process.execPath, [PROGRAM, ...args], { env, timeout: PATIENCE_MS }, (error, out, err) => {
      if (error?.killed) reject(new Error(`${args.join(' ')} has not ended: ${out}${err}`));
      else resolve({ exit: error?.code ?? 0, said: `${out}${err}` });
    });
  });

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};

describe('a command with a login plugin that hangs', () => {
  it.each([['get', 'csvs', '-A'], ['status'], ['doctor']])('%s ends after its --request-timeout', async (...verb) => {
    await rm(join(folder, 'pids'), { force: true });
    const file = await kubeconfig(({ users }) => {
      for (const user of users) user['user'] = { exec: PLUGIN };
    });
    const { exit, said } = await flotilla(...verb, '--kubeconfig', file, '--request-timeout', '1s');
    expect(said).toMatch(
      /the credential plugin "\S+" has not answered for \d+ s: To sign in, open https:\/\/login\.example/,
    );
    expect(exit).not.toBe(0);
    const pids = (await readFile(join(folder, 'pids'), 'utf8')).trim().split('\n');
    await expect.poll(() => pids.filter(isAlive), PATIENCE).toEqual([]);
  });
});

describe('a context that is stale', () => {
  it.each([
    { verb: 'get csvs -A', says: /^No ClusterServiceVersion found in any namespace\.$/m },
    { verb: 'status', says: /^ *east\b/m },
    { verb: 'doctor', says: /cluster east: answers, Kubernetes v/ },
  ])('does not keep $verb from the others', async ({ verb, says }) => {
    const file = await kubeconfig(({ contexts }) => {
      contexts.push({ name: 'stale', context: { cluster: 'gone', user: 'gone' } });
    });
    const { exit, said } = await flotilla(...verb.split(' '), '--kubeconfig', file);
    expect(said).toMatch(/note: context "stale" of \S+ cannot be used: its cluster "gone" is not defined/);
    expect(said).toMatch(says);
    expect(exit).not.toBe(2);
  });
});
