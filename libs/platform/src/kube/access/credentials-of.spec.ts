import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clientCertificate } from '#testing/control-plane/client-certificate';
import { type ScriptedRequest, type ScriptedServer, startScriptedServer } from '#testing/control-plane/scripted-server';
import type { KubeClient } from '../client/kube-client.port.js';
import { loadClusters } from './load-clusters.js';

let folder = '';
let server: ScriptedServer;
let certificate: Awaited<ReturnType<typeof clientCertificate>>;
let asked: ScriptedRequest[] = [];
let accepted = (_request: ScriptedRequest) => true;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-credentials-'));
  certificate = await clientCertificate('captain');
  const answer = (request: ScriptedRequest) => {
    asked.push(request);
    return accepted(request) ? { body: '{"gitVersion":"v1.34.4"}' } : { status: 401, body: '{}' };
  };
  server = await startScriptedServer({ protocol: 'h2', answer, clientAuthority: certificate.caPem });
  await writeFile(join(folder, 'ca.crt'), server.ca);
  await writeFile(join(folder, 'user.crt'), certificate.certPem);
  await writeFile(join(folder, 'user.key'), certificate.keyPem);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(() => {
  asked = [];
  accepted = () => true;
});

const base64 = (text: string) => Buffer.from(text).toString('base64');

async function asUser<T>(user: object, work: (client: KubeClient) => Promise<T>, cluster: object = {}): Promise<T> {
  const file = join(folder, 'config');
  const config = {
    contexts: [{ name: 'harbour', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: server.url.href, 'certificate-authority': 'ca.crt', ...cluster } }],
    users: [{ name: 'u', user }],
  };
  await writeFile(file, JSON.stringify(config));
  const [client] = await loadClusters({ kubeconfigs: [file], fieldManager: 'test' });
  if (client === undefined) throw new Error('no client');
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const version = (client: KubeClient) => client.serverVersion();

/** A plugin that hands out `token-1`, `token-2` … and records its input. */
async function plugin(expiration: string): Promise<string> {
  const path = join(folder, 'plugin.sh');
  const script = `#!/bin/sh
count=$(($(cat "${folder}/count" 2>/dev/null || echo 0) + 1)); echo $count > "${folder}/count"
printf '%s' "$KUBERNETES_EXEC_INFO" > "${folder}/info"
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"token-%s","expirationTimestamp":"%s"}}' $count "${expiration}"
`;
  await writeFile(path, script);
  await chmod(path, 0o755);
  await rm(join(folder, 'count'), { force: true });
  return path;
}

describe('users of a kubeconfig', () => {
  it.each([
    { user: { token: 'abc' }, sends: 'Bearer abc', because: 'a token' },
    { user: { username: 'u', password: 'p:w' }, sends: `Basic ${base64('u:p:w')}`, because: 'a name and a password' },
    { user: {}, sends: undefined, because: 'nobody' },
  ])('$because', async ({ user, sends }) => {
    await expect(asUser(user, version)).resolves.toBe('v1.34.4');
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([sends]);
  });

  it.each([
    {
      user: () => ({ 'client-certificate': 'user.crt', 'client-key': 'user.key' }),
      because: 'files beside the kubeconfig',
    },
    {
      user: () => ({
        'client-certificate-data': base64(certificate.certPem),
        'client-key-data': base64(certificate.keyPem),
      }),
      because: 'data in it',
    },
  ])('a client certificate: $because', async ({ user }) => {
    await asUser(user(), version);
    expect(asked.map(({ client }) => client)).toEqual(['captain']);
  });

  it('a client certificate that has expired is named with its date where the server ends the connection', async () => {
    const until = new Date('2020-01-02T03:04:05Z');
    const { certPem, keyPem } = await clientCertificate('captain', until);
    const user = { 'client-certificate-data': base64(certPem), 'client-key-data': base64(keyPem) };
    const message = expect.stringMatching(
      /\(the client certificate in its kubeconfig expired at 2020-01-02T03:04:05.000Z\); /,
    );
    await expect(asUser(user, version)).rejects.toMatchObject({ message });
  });

  it('a client certificate that is valid is no reason why a login is not accepted', async () => {
    accepted = () => false;
    const user = { 'client-certificate': 'user.crt', 'client-key': 'user.key' };
    const message = expect.not.stringMatching(/expired/);
    await expect(asUser(user, version)).rejects.toMatchObject({ status: 401, message });
  });

  it('impersonation: user, uid, groups and extra', async () => {
    const user = { token: 'abc', as: 'bob', 'as-uid': '7', 'as-groups': ['a', 'b'], 'as-user-extra': { 'x/y': ['z'] } };
    await asUser(user, version);
    expect(asked[0]?.headers).toMatchObject({
      'impersonate-user': 'bob',
      'impersonate-uid': '7',
      'impersonate-group': 'a, b',
      'impersonate-extra-x%2fy': 'z',
    });
  });

  it('a token file, read again when its token is no longer taken', async () => {
    await writeFile(join(folder, 'token'), 'old\n');
    accepted = ({ headers }) => headers.authorization !== 'Bearer old' || asked.length === 1;
    await asUser({ tokenFile: 'token' }, async (client) => {
      await client.serverVersion();
      await writeFile(join(folder, 'token'), 'new\n');
      await client.serverVersion();
    });
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer old', 'Bearer new']);
  });

  it('a plugin is run once for many requests, with the input that the protocol names', async () => {
    const command = await plugin('2999-01-01T00:00:00Z');
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command, provideClusterInfo: true };
    await asUser({ exec }, (client) => Promise.all([version(client), version(client), version(client)]));
    expect(asked.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-1',
      'Bearer token-1',
    ]);
    expect(JSON.parse(await readFile(join(folder, 'info'), 'utf8'))).toMatchObject({
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      spec: { interactive: false, cluster: { server: server.url.href } },
    });
  });

  it('a plugin is run again when the server takes its credentials no longer', async () => {
    accepted = () => asked.length !== 2;
    const command = await plugin('2999-01-01T00:00:00Z');
    await asUser({ exec: { command } }, async (client) => {
      await client.serverVersion();
      await client.serverVersion();
    });
    expect(asked.at(-1)?.headers.authorization).toBe('Bearer token-2');
  });

  it('a plugin is not run beside another way to log in, as in client-go', async () => {
    const command = await plugin('2999-01-01T00:00:00Z');
    await asUser({ exec: { command }, token: 'abc' }, version);
    expect(asked.at(-1)?.headers.authorization).toBe('Bearer abc');
  });

  it('a plugin that fails is named, with its words but without its secrets', async () => {
    const command = join(folder, 'failing.sh');
    const secret = 'eyJhbGciOiJSUzI1NiIsImtpZCI6IjEyMzQ1Njc4OTAifQ.eyJpc3MiOiJrdWJlcm5ldGVzIn0';
    await writeFile(command, `#!/bin/sh\necho "please log in first: ${secret}" >&2\nexit 1\n`);
    await chmod(command, 0o755);
    const message = expect.stringMatching(
      /cluster "harbour".*credential plugin ".*failing\.sh" failed: please log in first: …;/,
    );
    await expect(asUser({ exec: { command } }, version)).rejects.toMatchObject({
      status: 0,
      reason: 'Unreachable',
      message,
    });
  });

  it('a plugin that is not installed gives its hint', async () => {
    const exec = { command: 'no-such-plugin-anywhere', installHint: 'Get it from the port authority.' };
    const message = expect.stringMatching(/"no-such-plugin-anywhere" failed: .*ENOENT.*Get it from the port authority/);
    await expect(asUser({ exec }, version)).rejects.toMatchObject({ message });
  });
});

describe('clusters of a kubeconfig', () => {
  it.each([
    {
      cluster: () => ({ 'certificate-authority': undefined, 'certificate-authority-data': base64(server.ca) }),
      because: 'its authority as data',
    },
    {
      cluster: () => ({ 'certificate-authority': undefined, 'insecure-skip-tls-verify': true }),
      because: 'trusted blindly',
    },
    { cluster: () => ({ 'tls-server-name': 'localhost' }), because: 'under another TLS name' },
  ])('$because', async ({ cluster }) => {
    await expect(asUser({ token: 'abc' }, version, cluster())).resolves.toBe('v1.34.4');
  });

  it('an authority that is not its own is refused, with what to check', async () => {
    const cluster = { 'certificate-authority': 'user.crt' };
    await expect(asUser({ token: 'hush' }, version, cluster)).rejects.toMatchObject({
      status: 0,
      reason: 'Unreachable',
      message: expect.stringMatching(/^cluster "harbour" at https:\/\/127.0.0.1:\d+: .*certificate.*check .*CA/),
    });
  });

  it('an authority file that is not there is named, not a stack trace', async () => {
    const message = expect.stringMatching(/cluster "harbour".*open \S*missing\.crt: no such file or directory/);
    await expect(asUser({}, version, { 'certificate-authority': 'missing.crt' })).rejects.toMatchObject({ message });
  });
});
