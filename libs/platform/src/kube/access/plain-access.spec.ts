import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterAccess } from './kubeconfig.js';
import { plainAccess } from './plain-access.js';

let folder = '';
const file = (name: string) => join(folder, name);
const base64 = (text: string) => Buffer.from(text).toString('base64');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'flotilla-access-'));
  for (const name of ['ca', 'cert', 'key']) await writeFile(file(name), `${name} of a file`);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

type Part = Readonly<Record<string, unknown>>;
const accessOf = (cluster: Part, user: Part): ClusterAccess => ({
  context: 'east',
  file: 'config',
  cluster: { server: 'https://east.example', ...cluster },
  user: { ...user },
});

describe('plainAccess gives the credentials that @kubernetes/client-node gives', () => {
  const cases: readonly (readonly [because: string, cluster: () => Part, user: () => Part])[] = [
    ['nobody', () => ({}), () => ({})],
    ['a token', () => ({ 'certificate-authority-data': base64('ca') }), () => ({ token: 'secret' })],
    ['a password', () => ({}), () => ({ username: 'captain', password: 'secret' })],
    [
      'a certificate',
      () => ({ 'certificate-authority-data': base64('ca') }),
      () => ({ 'client-certificate-data': base64('cert'), 'client-key-data': base64('key') }),
    ],
    [
      'a certificate in files, which go before data',
      () => ({ 'certificate-authority': file('ca'), 'certificate-authority-data': base64('other') }),
      () => ({ 'client-certificate': file('cert'), 'client-key': file('key'), 'client-key-data': base64('other') }),
    ],
    ['another server name', () => ({ 'tls-server-name': 'west.example' }), () => ({})],
    ['no verification', () => ({ 'insecure-skip-tls-verify': true }), () => ({ token: 'secret' })],
  ];

  it.each(cases)('%s', async (_because, cluster, user) => {
    const access = accessOf(cluster(), user());
    const library = new KubeConfig();
    library.loadFromString(
      JSON.stringify({
        'current-context': 'east',
        contexts: [{ name: 'east', context: { cluster: 'east', user: 'east' } }],
        clusters: [{ name: 'east', cluster: access.cluster }],
        users: [{ name: 'east', user: access.user }],
      }),
    );
    const applied: Record<string, unknown> = {};
    await library.applyToHTTPSOptions(applied);
    const { agent: _agent, ...expected } = applied;
    expect(await plainAccess(access)).toEqual(expected);
  });
});
