import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseImageReference } from '../client/image-reference.js';
import { localCredentials } from './local-credentials.js';
import { loginFor } from './registry-credentials.js';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'flotilla-home-'));
});
afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

const write = async (path: string, content: string) => {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), content);
};
const config = (logins: Record<string, string>, more = {}) =>
  JSON.stringify({
    auths: Object.fromEntries(
      Object.entries(logins).map(([host, user]) => [host, user === '' ? {} : { username: user, password: 'p' }]),
    ),
    ...more,
  });
const environment = (more: Record<string, string> = {}) => ({
  HOME: home,
  PATH: `${home}/bin:${process.env['PATH']}`,
  ...more,
});
const userAt = async (image: string, more: Record<string, string> = {}) => {
  const login = loginFor(parseImageReference(image), await localCredentials(image, environment(more)));
  return login !== undefined && 'username' in login ? login.username : login;
};
/** A credential helper that knows one host. */
const helper = async (name: string, script: string) => {
  await write(`bin/docker-credential-${name}`, `#!/bin/sh\n${script}\n`);
  await chmod(join(home, `bin/docker-credential-${name}`), 0o755);
};

describe('localCredentials', () => {
  it('come from all the usual files, Docker before podman', async () => {
    await write('.docker/config.json', config({ 'a.test': 'docker', 'b.test': 'docker' }));
    await write('run/containers/auth.json', config({ 'b.test': 'podman', 'c.test': 'podman' }));
    await write('.config/containers/auth.json', config({ 'c.test': 'old', 'd.test': 'old' }));
    const run = { XDG_RUNTIME_DIR: join(home, 'run') };
    const users = ['a', 'b', 'c', 'd', 'e'].map((host) => userAt(`${host}.test/x`, run));
    expect(await Promise.all(users)).toEqual(['docker', 'docker', 'podman', 'old', undefined]);
  });

  it('come from REGISTRY_AUTH_FILE alone where it is set', async () => {
    await write('.docker/config.json', config({ 'a.test': 'docker' }));
    await write('mine.json', config({ 'b.test': 'mine' }));
    const mine = { REGISTRY_AUTH_FILE: join(home, 'mine.json') };
    expect([await userAt('a.test/x', mine), await userAt('b.test/x', mine)]).toEqual([undefined, 'mine']);
    await expect(userAt('a.test/x', { REGISTRY_AUTH_FILE: join(home, 'gone') })).rejects.toThrow(
      /REGISTRY_AUTH_FILE: open .*: no such file or directory/,
    );
  });

  it('a Docker config without logins is passed over', async () => {
    await write('.docker/config.json', '{"HttpHeaders": {}}');
    expect(await userAt('a.test/x')).toBeUndefined();
  });

  it('are asked of the helpers that a config names, for the image in hand only', async () => {
    await write(
      '.docker/config.json',
      config({ 'a.test': '' }, { credsStore: 'all', credHelpers: { 'b.test': 'one' } }),
    );
    await helper('all', `read host; echo "{\\"Username\\": \\"all-$host\\", \\"Secret\\": \\"s\\"}"`);
    await helper('one', `echo '{"Username": "<token>", "Secret": "t"}'`);
    expect(await userAt('a.test/x')).toBe('all-a.test');
    expect(await userAt('b.test/x')).toEqual({ identityToken: 't' });
    await helper('one', 'exit 1');
    expect(await userAt('b.test/x')).toBeUndefined();
  });

  it.each([
    { because: 'not installed', script: undefined, says: /docker-credential-one failed: ENOENT/ },
    { because: 'gives no JSON', script: 'echo secret-text', says: /docker-credential-one gave no login for "b.test"/ },
  ])('a helper that is of no use is named: $because', async ({ script, says }) => {
    await write('.docker/config.json', JSON.stringify({ credHelpers: { 'b.test': 'one' } }));
    if (script !== undefined) await helper('one', script);
    const error = await localCredentials('b.test/x', environment()).catch(String);
    expect(error).toMatch(says);
    expect(error).not.toContain('secret-text');
    expect(await userAt('a.test/x')).toBeUndefined();
  });

  it('no program but a credential helper is ever run', async () => {
    await write('.docker/config.json', JSON.stringify({ credHelpers: { 'b.test': '../../bin/sh' } }));
    await expect(userAt('b.test/x')).rejects.toThrow('is not the name of a credential helper');
  });
});
