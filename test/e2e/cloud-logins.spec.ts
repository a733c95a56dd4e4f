import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { PATIENCE } from '#testing/patience';
import { needing } from '#testing/report/needs';
import { Namespaces, networkNamespaces, within } from './behind-nat-support/namespaces.js';

const run = promisify(execFile);
const possible = await networkNamespaces();
const PROGRAM = join(PROJECT_ROOT, 'dist', 'programs', 'flotilla.js');

/**
 * Answers as the metadata server of Google Cloud and the agent of EKS Pod Identity at their own addresses,
 * and as an API server. Each request is one line of its output.
 */
const NODE = `
import { createServer } from 'node:http';
const ends = new Date(Date.now() + 3600e3).toISOString();
createServer((request, response) => {
  const { host, authorization = '' } = request.headers;
  console.log(host + ' ' + request.url.split('?')[0] + ' ' + authorization.slice(0, 30));
  if (host === '169.254.169.254')
    return response.setHeader('metadata-flavor', 'Google').end('{"access_token":"ya29.of-the-node","expires_in":3600}');
  if (host === '169.254.170.23')
    return response.end(JSON.stringify({ AccessKeyId: 'ASIAPOD', SecretAccessKey: 's', Token: 't', Expiration: ends }));
  response.writeHead(401).end('{}');
}).listen(80, '0.0.0.0', () => console.log('ready'));
`;

describe('the addresses of a node that give a login', needing(possible), () => {
  const namespaces = new Namespaces();
  let folder: string;
  let network: string;
  let node: ChildProcess | undefined;
  let said = '';
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-node-'));
    network = await namespaces.add('node', ['169.254.169.254', '169.254.170.23']);
    await writeFile(join(folder, 'node.mjs'), NODE);
    await writeFile(join(folder, 'token'), 'pod.token.agent');
    const command = within(network, process.execPath, [join(folder, 'node.mjs')]);
    node = spawn(command.binary, command.args, { stdio: ['ignore', 'pipe', 'inherit'] });
    node.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    await vi.waitFor(() => expect(said).toContain('ready'), PATIENCE);
  });
  afterAll(async () => {
    node?.kill('SIGKILL');
    await namespaces.remove();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  const ask = async (exec: object, environment: Record<string, string> = {}): Promise<string> => {
    said = '';
    const kubeconfig = join(folder, 'kubeconfig');
    const config = {
      'current-context': 'harbour',
      contexts: [{ name: 'harbour', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1' } }],
      users: [{ name: 'u', user: { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', ...exec } } }],
    };
    await writeFile(kubeconfig, JSON.stringify(config));
    const args = [PROGRAM, 'get', 'csvs', '-A', '--kubeconfig', kubeconfig, '--request-timeout', '20s'];
    const command = within(network, process.execPath, args);
    const proxies = { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' };
    const env = { PATH: '/usr/sbin:/sbin', HOME: folder, ...proxies, ...environment };
    await run(command.binary, command.args, { env }).catch(() => undefined);
    return said;
  };

  it('are asked without the proxy of the environment: Google Cloud', async () => {
    const asked = await ask({ command: 'gke-gcloud-auth-plugin' });
    expect(asked).toContain('169.254.169.254 /computeMetadata/v1/instance/service-accounts/default/token');
    expect(asked).toContain('Bearer ya29.of-the-node');
  });

  it('are asked without the proxy of the environment: EKS Pod Identity', async () => {
    const args = ['--region', 'eu-central-1', 'eks', 'get-token', '--cluster-name', 'harbour'];
    const asked = await ask(
      { command: 'aws', args },
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'token'),
      },
    );
    expect(asked).toContain(`169.254.170.23 /v1/credentials ${(await readFile(join(folder, 'token'), 'utf8')).trim()}`);
    expect(asked).toContain('Bearer k8s-aws-v1.');
  });
});
