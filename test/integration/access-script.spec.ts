import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseKubeconfig } from '#platform/kube/access/kubeconfig';

/** A kubectl with a context `aaa`. Its API server gives the UID of `east`. */
const KUBECTL = `#!/bin/sh
case "$*" in
  *'config view'*) echo '{"server":"https://api.example:6443"}' ;;
  *'create token applier --duration 168h'*) printf 'of-a-week' ;;
  *'create token applier --duration 48h'*) printf 'of-two-days' ;;
  *'get secret'*) printf 'token' | base64 ;;
  *'context broken'*) exit 1 ;;
  *'context odd'*) printf '"}, x: {"' ;;
  *'context west'*) printf 'uid-of-west' ;;
  *'get namespace kube-system'*) printf 'uid-of-east' ;;
esac
`;

describe('k8s/access/kubeconfig.sh', () => {
  let folder = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-access-'));
    await writeFile(join(folder, 'kubectl'), KUBECTL);
    await chmod(join(folder, 'kubectl'), 0o755);
  });
  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  const run = (...contexts: string[]) =>
    promisify(execFile)('k8s/access/kubeconfig.sh', ['applier', ...contexts], {
      env: { PATH: `${folder}:${process.env['PATH']}` },
    }).catch((error: { stderr: string }) => ({ stdout: '', stderr: error.stderr }));

  it('writes which cluster each context leads to', async () => {
    const { stdout } = await run('east', 'west');
    const config = parseKubeconfig('applier.kubeconfig', stdout);
    expect(config.contexts.map((name) => config.access(name).identity)).toEqual(['uid-of-east', 'uid-of-west']);
  });

  it('takes a token that ends, unless one is asked for that never does', async () => {
    const token = async (...args: string[]) => {
      const { stdout } = await promisify(execFile)('k8s/access/kubeconfig.sh', [...args, 'applier', 'east'], {
        env: { PATH: `${folder}:${process.env['PATH']}` },
      });
      return parseKubeconfig('applier.kubeconfig', stdout).access('east').user.token;
    };
    const tokens = [await token(), await token('--lifetime', '48h'), await token('--endless')];
    expect(tokens).toEqual(['of-a-week', 'of-two-days', 'token']);
  });

  it.each([
    [['east', 'aaa'], /^aaa gives the same UID of namespace kube-system as another of these contexts \(uid-of-east\)/],
    [['odd'], /^odd: namespace kube-system has no UID that is one/],
    [['broken'], /^$/],
  ])('writes nothing for %j', async (contexts, why) => {
    const { stdout, stderr } = await run(...contexts);
    expect([stdout, stderr]).toEqual(['', expect.stringMatching(why)]);
  });
});
