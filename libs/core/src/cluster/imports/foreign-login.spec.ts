import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignLogin } from './foreign-login.js';
import { ARGO_TOKEN, argoSecret, CA, capiKubeconfig, capiSecret } from './foreign-objects.fixture.js';

type Kubeconfig = Readonly<{
  clusters: readonly Readonly<{ cluster: object }>[];
  users: readonly Readonly<{ user: object }>[];
  contexts: readonly object[];
}>;

const argo = (config: object | string, more: Parameters<typeof argoSecret>[1] = {}) => {
  const found = foreignLogin('ArgoCD', argoSecret(config, more));
  if ('refused' in found) return found.refused;
  const { clusters, users, contexts } = JSON.parse(found.kubeconfig) as Kubeconfig;
  expect(contexts).toHaveLength(1);
  return { cluster: clusters[0]?.cluster, user: users[0]?.user };
};
const SERVER = 'https://mycluster.example.com';
const TLS = { tlsClientConfig: { insecure: false, caData: CA } };

describe('the login in a cluster Secret of Argo CD', () => {
  it.each([
    {
      has: 'a token',
      config: ARGO_TOKEN,
      login: { cluster: { server: SERVER, 'certificate-authority-data': CA }, user: { token: 'authentication-token' } },
    },
    {
      has: 'a user name and a password',
      config: { username: 'admin', password: 'pass', ...TLS },
      login: {
        cluster: { server: SERVER, 'certificate-authority-data': CA },
        user: { username: 'admin', password: 'pass' },
      },
    },
    {
      has: 'a certificate, a name of the server and a proxy',
      config: {
        tlsClientConfig: { insecure: false, caData: CA, certData: CA, keyData: CA, serverName: 'api.internal' },
        proxyUrl: 'http://proxy.example:3128',
      },
      login: {
        cluster: {
          ...{ server: SERVER, 'certificate-authority-data': CA, 'tls-server-name': 'api.internal' },
          'proxy-url': 'http://proxy.example:3128',
        },
        user: { 'client-certificate-data': CA, 'client-key-data': CA },
      },
    },
    {
      has: 'no check of the server, which the hub then refuses',
      config: { bearerToken: 't', tlsClientConfig: { insecure: true } },
      login: { cluster: { server: SERVER, 'insecure-skip-tls-verify': true }, user: { token: 't' } },
    },
    {
      has: 'fields that clients do not need',
      config: { ...ARGO_TOKEN, disableCompression: true, awsAuthConfig: null, execProviderConfig: null },
      login: { cluster: { server: SERVER, 'certificate-authority-data': CA }, user: { token: 'authentication-token' } },
    },
  ])('has $has', ({ config, login }) => {
    expect(argo(config)).toEqual(login);
  });

  it.each([
    {
      config: { execProviderConfig: { command: 'argocd-k8s-auth', args: ['gcp'] }, ...TLS },
      says: /^execProviderConfig would/,
    },
    {
      config: { awsAuthConfig: { clusterName: 'c', roleARN: 'arn:aws:iam::1:role/r' }, ...TLS },
      says: /^awsAuthConfig needs/,
    },
    { config: TLS, says: 'config has no login: neither bearerToken, username nor certData' },
    { config: { bearerToken: 't', username: 'u', password: 'p' }, says: /bearerToken and username/ },
    { config: { tlsClientConfig: { certData: CA } }, says: /go together/ },
    {
      config: { bearerToken: 't', tlsClientConfig: { caData: 'hush!' } },
      says: 'tlsClientConfig.caData is not base64',
    },
    { config: { bearerToken: 7 }, says: /^key "config": bearerToken: / },
    { config: '{"bearerToken": "hush"', says: 'key "config" is not JSON' },
    { config: '"hush"', says: /^key "config": the document: / },
    { config: '['.repeat(200_000), says: 'key "config" is not JSON' },
    { config: `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, says: /^config has no login/ },
    { config: JSON.stringify({ bearerToken: 'hush'.repeat(100_000) }), says: 'key "config" is larger than 256 KiB' },
  ])('is refused: $says', ({ config, says }) => {
    const found = argo(config);
    expect(found).toEqual(says instanceof RegExp ? expect.stringMatching(says) : says);
    expect(JSON.stringify(found)).not.toContain('hush');
  });

  it('is that of the pods of Argo CD for its own cluster', () => {
    const own = { name: 'in-cluster', server: 'https://kubernetes.default.svc' };
    expect(argo({ tlsClientConfig: { insecure: false } }, own)).toMatch(/the cluster of Argo CD itself/);
    expect(argo(ARGO_TOKEN, own)).toMatchObject({ user: { token: 'authentication-token' } });
  });

  it.each([
    [{ config: 'e30=' }, 'key "server" is missing'],
    [{ server: 'aHR0cHM6Ly9h' }, 'key "config" is missing'],
    [{ server: 'hush!', config: 'e30=' }, 'key "server" is not base64'],
    [{ server: 'IA==', config: 'e30=' }, 'key "server" is empty'],
    [{ server: 7, config: 'e30=' }, 'key "server" is missing'],
    [undefined, 'key "server" is missing'],
    ['hush', 'key "server" is missing'],
  ])('is refused if data is %j', (data, refused) => {
    expect(foreignLogin('ArgoCD', { ...argoSecret({}), data })).toEqual({ refused });
  });
});

describe('the login in a kubeconfig Secret', () => {
  it.each(['ClusterAPI', 'Rancher'] as const)('of %s is its key "value"', (format) => {
    const kubeconfig = capiKubeconfig('east');
    expect(foreignLogin(format, capiSecret('east', kubeconfig))).toEqual({ kubeconfig: JSON.stringify(kubeconfig) });
    expect(foreignLogin(format, { ...capiSecret('east', ''), data: { kubeconfig: 'YQ==' } })).toEqual({
      refused: 'key "value" is missing',
    });
  });
});

it('reads any config to the same login, or to the same refusal, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string()), fc.string(), (config, server) => {
      const secret = argoSecret(config, { server });
      expect(foreignLogin('ArgoCD', secret)).toEqual(foreignLogin('ArgoCD', structuredClone(secret)));
    }),
  );
});
