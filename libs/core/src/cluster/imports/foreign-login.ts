import { z } from 'zod';
import type { LoginFormat } from '../../kernel/api/fleet/fleet-cluster-source.js';
import type { KubernetesObject } from '../../kernel/api/kubernetes-object.js';
import { isRecord } from '../../kernel/json/json-access.js';

/** A kubeconfig as text, or the reason why a Secret of another tool gives none. A reason quotes no Secret. */
type ForeignLogin = Readonly<{ kubeconfig: string } | { refused: string }>;

/** Bytes of one value of a Secret: a login with its certificates is far smaller. */
const MOST_BYTES = 256 * 1024;
/** The API server of Argo CD's own cluster (argo-cd, common.go, `KubernetesInternalAPIServerAddr`). */
const OWN_CLUSTER = 'https://kubernetes.default.svc';

/**
 * Reads the login in a Secret of another tool.
 *
 * - Argo CD: keys `name`, `server` and `config`
 *   (https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#clusters).
 * - Cluster API: a kubeconfig in key `value`
 *   (https://main.cluster-api.sigs.k8s.io/developer/core/controllers/cluster, "Kubeconfig Secrets").
 * - Rancher: the same key (https://github.com/rancher/rancher,
 *   pkg/provisioningv2/kubeconfig/manager.go).
 */
export function foreignLogin(format: LoginFormat, secret: KubernetesObject): ForeignLogin {
  if (format === 'ArgoCD') return argoLogin(secret);
  const value = secretText(secret, 'value');
  return 'refused' in value ? value : { kubeconfig: value.text };
}

type SecretText = Readonly<{ text: string } | { refused: string }>;

/** Reads one value of a Secret as text. */
export function secretText(secret: KubernetesObject, key: string): SecretText {
  const data = secret['data'];
  const encoded = isRecord(data) ? data[key] : undefined;
  if (typeof encoded !== 'string' || encoded === '') return { refused: `key "${key}" is missing` };
  if (encoded.length > (MOST_BYTES * 4) / 3) return { refused: `key "${key}" is larger than 256 KiB` };
  if (!isBase64(encoded)) return { refused: `key "${key}" is not base64` };
  return { text: Buffer.from(encoded, 'base64').toString('utf8') };
}

/** Base64 as Go's decoder takes it: padded, line breaks are skipped. */
function isBase64(text: string): boolean {
  const plain = text.replaceAll(/[\r\n]/g, '');
  return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
}

const text = z.string().nullish();
/** The fields of `config` that a login is made of, and those that run a program. */
const ArgoConfig = z.looseObject({
  username: text,
  password: text,
  bearerToken: text,
  proxyUrl: text,
  awsAuthConfig: z.unknown().optional(),
  execProviderConfig: z.unknown().optional(),
  tlsClientConfig: z
    .looseObject({ insecure: z.boolean().nullish(), serverName: text, caData: text, certData: text, keyData: text })
    .nullish(),
});
type ArgoConfig = z.infer<typeof ArgoConfig>;

function argoLogin(secret: KubernetesObject): ForeignLogin {
  const server = secretText(secret, 'server');
  if ('refused' in server) return server;
  const source = secretText(secret, 'config');
  if ('refused' in source) return source;
  const read = argoConfig(source.text);
  if (read.config === undefined) return { refused: read.refused };
  const { config } = read;
  const address = server.text.trim();
  const refused = argoRefusal(address, config);
  return refused === undefined ? { kubeconfig: argoKubeconfig(address, config) } : { refused };
}

type ReadConfig = Readonly<{ config: ArgoConfig } | { config?: undefined; refused: string }>;

function argoConfig(source: string): ReadConfig {
  let value: unknown;
  try {
    value = JSON.parse(source);
  } catch {
    // The parser's own words quote the text.
    return { refused: 'key "config" is not JSON' };
  }
  const { data, error } = ArgoConfig.safeParse(value);
  if (data !== undefined) return { config: data };
  const [issue] = error.issues;
  return { refused: `key "config": ${issue?.path.join('.') || 'the document'}: ${issue?.message ?? 'cannot be read'}` };
}

function argoRefusal(server: string, config: ArgoConfig): string | undefined {
  const { awsAuthConfig, execProviderConfig, bearerToken, username } = config;
  const { caData, certData, keyData } = config.tlsClientConfig ?? {};
  if (server === '') return 'key "server" is empty';
  if (execProviderConfig) return 'execProviderConfig would run a program in the hub: give the cluster a token';
  if (awsAuthConfig) return 'awsAuthConfig needs a program of Argo CD (argocd-k8s-auth): give the cluster a token';
  if (bearerToken && username) return 'it has bearerToken and username: Kubernetes clients take one of the two';
  if (Boolean(certData) !== Boolean(keyData)) return 'certData and keyData of tlsClientConfig go together';
  const broken = Object.entries({ caData, certData, keyData }).find(([, data]) => !isBase64(data ?? ''));
  if (broken !== undefined) return `tlsClientConfig.${broken[0]} is not base64`;
  if (bearerToken || username || certData) return undefined;
  return server === OWN_CLUSTER
    ? 'it is the cluster of Argo CD itself, which uses its own account there: add this cluster with a login of its own'
    : 'config has no login: neither bearerToken, username nor certData';
}

/** Returns the kubeconfig that stands for a `config`: client-go makes the same client of both. */
function argoKubeconfig(server: string, { username, password, bearerToken, proxyUrl, tlsClientConfig }: ArgoConfig) {
  const { insecure, serverName, caData, certData, keyData } = tlsClientConfig ?? {};
  const cluster = {
    server,
    ...(caData ? { 'certificate-authority-data': caData } : {}),
    ...(insecure === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(serverName ? { 'tls-server-name': serverName } : {}),
    ...(proxyUrl ? { 'proxy-url': proxyUrl } : {}),
  };
  const user = {
    ...(bearerToken ? { token: bearerToken } : {}),
    ...(username ? { username, password: password ?? '' } : {}),
    ...(certData ? { 'client-certificate-data': certData, 'client-key-data': keyData } : {}),
  };
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', clusters: [{ name: 'cluster', cluster }], users: [{ name: 'user', user }] },
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: 'user' } }],
  });
}
