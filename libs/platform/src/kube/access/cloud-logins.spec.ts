import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ScriptedRequest, type ScriptedServer, startScriptedServer } from '#testing/control-plane/scripted-server';
import type { KubeClient } from '../client/kube-client.port.js';
import { NOW, OTHER_ROLE, ROLE, type StandIns, startStandIns } from '../cloud/stand-ins.fixture.js';
import { loadClusters } from './load-clusters.js';

let folder = '';
let server: ScriptedServer;
let clouds: StandIns;
let asked: ScriptedRequest[] = [];
let accepted = (_request: ScriptedRequest) => true;
let now = NOW;
const clients: KubeClient[] = [];
beforeAll(async () => {
  const answer = (request: ScriptedRequest) => {
    asked.push(request);
    return accepted(request) ? { body: '{"gitVersion":"v1.34.4"}' } : { status: 401, body: '{}' };
  };
  server = await startScriptedServer({ protocol: 'h2', answer });
  folder = await mkdtemp(join(tmpdir(), 'flotilla-cloud-'));
  await writeFile(join(folder, 'ca.crt'), server.ca);
  for (const cloud of ['eks', 'agent', 'google', 'azure'])
    await writeFile(join(folder, `${cloud}-token`), `pod.token.${cloud}\n`);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});
beforeEach(async () => {
  clouds = await startStandIns();
  asked = [];
  accepted = () => true;
  now = NOW;
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await clouds.stop();
});

type Login = Readonly<{ exec: object; environment?: Record<string, string>; timeoutMs?: number }>;

async function clientOf({ exec, environment = {}, timeoutMs = 10_000 }: Login): Promise<KubeClient> {
  const file = join(folder, 'config');
  const cluster = { server: server.url.href, 'certificate-authority': 'ca.crt' };
  const config = {
    contexts: [{ name: 'harbour', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', ...exec } } }],
  };
  await writeFile(file, JSON.stringify(config));
  const [client] = await loadClusters({
    kubeconfigs: [file],
    fieldManager: 'test',
    transport: { requestTimeoutMs: 10_000 },
    // No plugin of this machine counts.
    environment: { PATH: folder, ...environment },
    plugins: { timeoutMs, cloud: clouds.http, now: () => now },
  });
  if (client === undefined) throw new Error('no client');
  clients.push(client);
  return client;
}

const said = (asking: Promise<unknown>): Promise<string> =>
  asking.then(String, (error: unknown) => (error instanceof Error ? error.message : String(error)));
const tokens = () => asked.map(({ headers }) => headers.authorization);
/** The URL that a token of EKS is. */
const signedUrl = (authorization: string | undefined): URL =>
  new URL(Buffer.from(authorization?.replace('Bearer k8s-aws-v1.', '') ?? '', 'base64url').toString('utf8'));

const AWS = {
  command: 'aws',
  args: ['--region', 'eu-central-1', 'eks', 'get-token', '--cluster-name', 'harbour', '--output', 'json'],
};
const KEYS = { AWS_ACCESS_KEY_ID: 'AKIAHUB', AWS_SECRET_ACCESS_KEY: 'hidden-secret' };
const GKE = { command: 'gke-gcloud-auth-plugin', provideClusterInfo: true, installHint: 'Install it' };
const AKS = {
  command: 'kubelogin',
  args: ['get-token', '--login', 'workloadidentity', '--server-id', '6dae42f8-4368-4678-94ff-3960e28e3630'],
};
const irsa = () => ({ AWS_ROLE_ARN: ROLE, AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'eks-token') });
const agent = () => ({
  AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
  AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'agent-token'),
});
const azure = () => ({
  AZURE_CLIENT_ID: 'client-1',
  AZURE_TENANT_ID: 'tenant-1',
  AZURE_FEDERATED_TOKEN_FILE: join(folder, 'azure-token'),
});

describe('EKS', () => {
  it('signs a question about the caller with keys, and asks nothing for it', async () => {
    await (await clientOf({ exec: AWS, environment: KEYS })).serverVersion();
    const url = signedUrl(tokens()[0]);
    expect(url.origin).toBe('https://sts.eu-central-1.amazonaws.com');
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      Action: 'GetCallerIdentity',
      'X-Amz-Credential': 'AKIAHUB/20261130/eu-central-1/sts/aws4_request',
      'X-Amz-SignedHeaders': 'host;x-k8s-aws-id',
    });
    expect(clouds.asked).toEqual([]);
  });

  it.each([
    { by: 'IRSA', environment: irsa, id: 'ASIAWEB', hosts: ['sts.eu-central-1.amazonaws.com'] },
    { by: 'pod identity', environment: agent, id: 'ASIAPOD', hosts: ['169.254.170.23'] },
  ])('signs with the keys of $by', async ({ environment, id, hosts }) => {
    await (await clientOf({ exec: AWS, environment: environment() })).serverVersion();
    expect(signedUrl(tokens()[0]).searchParams.get('X-Amz-Credential')).toMatch(id);
    expect(signedUrl(tokens()[0]).searchParams.get('X-Amz-Security-Token')).toMatch(/^session/);
    expect(clouds.asked.map(({ host }) => host)).toEqual(hosts);
  });

  it('assumes the role of the arguments first', async () => {
    const exec = { ...AWS, args: [...AWS.args, '--role', OTHER_ROLE] };
    await (await clientOf({ exec, environment: agent() })).serverVersion();
    expect(signedUrl(tokens()[0]).searchParams.get('X-Amz-Credential')).toMatch('ASIAROLE');
    expect(clouds.asked.map(({ form }) => form['RoleArn'])).toEqual([undefined, OTHER_ROLE]);
  });

  it('takes the environment of the kubeconfig before that of the hub', async () => {
    const env = [{ name: 'AWS_ACCESS_KEY_ID', value: 'AKIAOTHER' }];
    await (await clientOf({ exec: { ...AWS, env }, environment: KEYS })).serverVersion();
    expect(signedUrl(tokens()[0]).searchParams.get('X-Amz-Credential')).toMatch('AKIAOTHER');
  });

  it('signs anew a minute before the 14 minutes of a token are over', async () => {
    const client = await clientOf({ exec: AWS, environment: KEYS });
    await client.serverVersion();
    now += 12 * 60_000;
    await client.serverVersion();
    now += 70_000;
    await client.serverVersion();
    await client.serverVersion();
    const dates = tokens().map((token) => signedUrl(token).searchParams.get('X-Amz-Date'));
    expect(dates).toEqual(['20261130T120000Z', '20261130T120000Z', '20261130T120000Z', '20261130T121310Z']);
  });
});

describe('GKE', () => {
  it('takes the token of the metadata server', async () => {
    await (await clientOf({ exec: GKE })).serverVersion();
    expect(tokens()).toEqual(['Bearer ya29.of-the-node']);
    expect(clouds.asked[0]?.headers['metadata-flavor']).toBe('Google');
  });

  it.each([
    { name: 'itself', more: {}, token: 'ya29.federated' },
    {
      name: 'a service account',
      more: {
        service_account_impersonation_url:
          'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/hub@p.iam.gserviceaccount.com:generateAccessToken',
      },
      token: 'ya29.impersonated',
    },
  ])('exchanges the token of a file for one of $name', async ({ more, token }) => {
    const file = join(folder, 'federation.json');
    const federation = {
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/hub/providers/cluster',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: 'https://sts.googleapis.com/v1/token',
      credential_source: { file: join(folder, 'google-token') },
    };
    await writeFile(file, JSON.stringify({ ...federation, ...more }));
    await (await clientOf({ exec: GKE, environment: { GOOGLE_APPLICATION_CREDENTIALS: file } })).serverVersion();
    expect(tokens()).toEqual([`Bearer ${token}`]);
  });

  it('takes nothing from another server at the address of the metadata server', async () => {
    clouds.failing({ body: '{"access_token":"ya29.of-another","expires_in":3600}' });
    const client = await clientOf({ exec: GKE });
    expect(await said(client.serverVersion())).toContain('the metadata server of Google Cloud has no login');
  });
});

it('exchanges the token of a Pod for one of AKS', async () => {
  await (await clientOf({ exec: AKS, environment: azure() })).serverVersion();
  expect(tokens()).toEqual(['Bearer entra.token.1']);
});

describe('the login of a cloud', () => {
  it('is asked once for many requests, and again after a 401', async () => {
    const client = await clientOf({ exec: AKS, environment: azure() });
    await Promise.all(Array.from({ length: 20 }, () => client.serverVersion()));
    expect(clouds.asked).toHaveLength(1);
    let refusals = 1;
    accepted = () => refusals-- <= 0;
    await expect(client.serverVersion()).resolves.toBe('v1.34.4');
    expect(clouds.asked).toHaveLength(2);
  });

  it('is renewed before its end, while requests go on', async () => {
    const client = await clientOf({ exec: GKE });
    await client.serverVersion();
    now += 3_560_000;
    await client.serverVersion();
    await expect.poll(() => clouds.asked.length).toBe(2);
  });

  it('is not asked if the plugin is installed', async () => {
    const plugin = join(folder, 'gke-gcloud-auth-plugin');
    const status = { token: 'of-the-plugin' };
    const answer = { apiVersion: 'client.authentication.k8s.io/v1beta1', kind: 'ExecCredential', status };
    await writeFile(plugin, `#!/bin/sh\necho '${JSON.stringify(answer)}'\n`);
    await chmod(plugin, 0o755);
    await (await clientOf({ exec: GKE })).serverVersion();
    await rm(plugin);
    expect(tokens()).toEqual(['Bearer of-the-plugin']);
    expect(clouds.asked).toEqual([]);
  });

  it('works again with the next request after the cloud was away', async () => {
    const client = await clientOf({ exec: AKS, environment: azure() });
    clouds.failing({ status: 503, body: 'busy' });
    expect(await said(client.serverVersion())).toContain('failed: Entra ID answered 503');
    clouds.failing(undefined);
    await expect(client.serverVersion()).resolves.toBe('v1.34.4');
  });

  it('has a time limit', async () => {
    clouds.failing('hang');
    const client = await clientOf({ exec: GKE, timeoutMs: 300 });
    const text = await said(client.serverVersion());
    expect(text).toContain('no login within 0.3 s');
  });
});

describe('a login that fails', () => {
  const missing = () => ({ ...irsa(), AWS_WEB_IDENTITY_TOKEN_FILE: '/no/such/token' });
  it.each([
    {
      named: 'a role that STS refuses',
      exec: AWS,
      environment: () => ({ ...irsa(), AWS_ROLE_ARN: OTHER_ROLE }),
      text: 'own login to EKS failed: AWS STS answered 403: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity',
    },
    {
      named: 'a token file that is not there',
      exec: AWS,
      environment: missing,
      text: 'own login to EKS failed: /no/such/token cannot be read (no such file or directory)',
    },
    {
      named: 'a token file that is a pipe',
      exec: AWS,
      environment: () => ({ ...irsa(), AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'pipe') }),
      text: '/pipe is not a regular file',
    },
    {
      named: 'no credentials',
      exec: AWS,
      environment: () => ({}),
      text: 'the hub cannot stand in for it: there are no credentials of AWS',
    },
    {
      named: 'an argument that is not known',
      exec: { ...AWS, args: [...AWS.args, '--debug'] },
      environment: () => KEYS,
      text: '"--debug" is not known to the hub',
    },
    {
      named: 'a tenant without a federated identity',
      exec: AKS,
      environment: () => ({ ...azure(), AZURE_FEDERATED_TOKEN_FILE: join(folder, 'eks-token') }),
      text: 'own login to AKS failed: Entra ID answered 401: invalid_client: AADSTS700211',
    },
    {
      named: 'a program of no cloud',
      exec: { command: 'vault' },
      environment: () => ({}),
      text: 'the credential plugin "vault" failed: there is no such program here (ENOENT)',
    },
  ])('says in one line without secrets: $named', async ({ exec, environment, text }) => {
    const client = await clientOf({ exec, environment: environment() });
    const line = await said(client.serverVersion());
    expect(line).toContain(text);
    expect(line).not.toMatch(/\n|hidden-secret|pod\.token/);
    expect(asked).toEqual([]);
  });
});
