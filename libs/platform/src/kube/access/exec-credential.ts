import { createPrivateKey, X509Certificate } from 'node:crypto';
import { CORE_SCHEMA, load } from 'js-yaml';
import { z } from 'zod';
import { DEFAULT_VERSION, EXEC_GROUP, short, VERSIONS } from './exec-config.js';
import type { ClusterAccess, KubeconfigUser } from './kubeconfig.js';
import { PluginError } from './plugin-process.js';

export type ExecConfig = NonNullable<KubeconfigUser['exec']>;

/** A login that a plugin gave. */
export type PluginLogin = Readonly<{
  token?: string;
  certificate?: Readonly<{ cert: string; key: string }>;
  /** Milliseconds since 1970. Absent: it ends when the server refuses it. */
  until?: number;
}>;

/** The extension of a cluster that is for its plugins. */
const EXTENSION = `${EXEC_GROUP}/exec`;

/**
 * Returns the value of KUBERNETES_EXEC_INFO, byte for byte as client-go makes it. `ca`: the authority as
 * PEM.
 */
export function execInfo(access: ClusterAccess, ca: Buffer | undefined, isInteractive: boolean): string {
  const exec = access.user.exec;
  const cluster = exec?.provideClusterInfo === true ? { cluster: clusterInfo(access, ca) } : {};
  const apiVersion = exec?.apiVersion || DEFAULT_VERSION;
  const info = { kind: 'ExecCredential', apiVersion, spec: { ...cluster, interactive: isInteractive } };
  return `${JSON.stringify(info)}\n`;
}

function clusterInfo({ cluster }: ClusterAccess, ca: Buffer | undefined): object {
  const name = cluster['tls-server-name'];
  const proxy = cluster['proxy-url'];
  return {
    server: withoutQuery(cluster.server),
    ...(name ? { 'tls-server-name': name } : {}),
    ...(cluster['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...(ca === undefined ? {} : { 'certificate-authority-data': ca.toString('base64') }),
    ...(proxy ? { 'proxy-url': proxy } : {}),
    ...(cluster['disable-compression'] === true ? { 'disable-compression': true } : {}),
    config: configOf(cluster['extensions']),
  };
}

/** As client-go: of an address with a path, query and fragment are left out. */
function withoutQuery(server: string): string {
  const url = URL.parse(server);
  if (url === null || url.pathname.length < 2) return server;
  return server.replace(/[?#].*$/, '');
}

const Extensions = z.array(z.object({ name: z.string(), extension: z.unknown() }).or(z.unknown()));

function configOf(extensions: unknown): unknown {
  const all = Extensions.safeParse(extensions);
  const found = (all.data ?? []).find((one) => isNamed(one, EXTENSION));
  return found?.extension ?? null;
}

const isNamed = (one: unknown, name: string): one is { name: string; extension?: unknown } =>
  typeof one === 'object' && one !== null && 'name' in one && one.name === name;

const optional = z.string().nullish();
const ExecCredential = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z
    .object({
      token: optional,
      clientCertificateData: optional,
      clientKeyData: optional,
      expirationTimestamp: optional,
    })
    .nullish(),
});

/**
 * Reads the output of a plugin. No part of it is in a message, since any part may be a secret.
 * @throws PluginError with the reason if the output is no login
 */
export function readExecCredential(text: string, exec: ExecConfig, nowMs: number): PluginLogin {
  const { apiVersion, status } = parse(text);
  refuseVersion(apiVersion, exec.apiVersion || undefined);
  if (status === undefined || status === null) throw refused('its answer has no status');
  const { token, expirationTimestamp } = status;
  const certificate = pairOf(status);
  if (!token && certificate === undefined)
    throw refused('its answer has neither a token nor a certificate with its key');
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw refused('its token has a character that is not allowed in a header');
  const ends = [untilOf(expirationTimestamp), certificate?.until].filter((end) => end !== undefined);
  const until = ends.length === 0 ? undefined : Math.min(...ends);
  if (until !== undefined && until <= nowMs) {
    const ended = new Date(until).toISOString();
    throw refused(`its login expired at ${ended}: log in again, and check the clock of this machine`);
  }
  return {
    ...(token ? { token } : {}),
    ...(certificate === undefined ? {} : { certificate: certificate.pair }),
    ...(until === undefined ? {} : { until }),
  };
}

function refuseVersion(version: string, wanted: string | undefined): void {
  if (VERSIONS.includes(version) && (wanted === undefined || version === wanted)) return;
  const expected = wanted ?? VERSIONS.join(' or ');
  throw refused(`it answered with apiVersion ${short(version)}, and the kubeconfig says ${expected}`);
}

const refused = (why: string): PluginError => new PluginError(`failed: ${why}`);

function parse(text: string): z.infer<typeof ExecCredential> {
  if (text.trim() === '') throw refused('it printed nothing');
  let value: unknown;
  try {
    value = text.trimStart().startsWith('{') ? JSON.parse(text) : load(text, { schema: CORE_SCHEMA });
  } catch {
    throw refused('its output is not JSON');
  }
  const credential = ExecCredential.safeParse(value);
  if (credential.success) return credential.data;
  const path = credential.error.issues[0]?.path.join('.') ?? '';
  const isOther = path === '' || path === 'kind' || path === 'apiVersion';
  if (isOther) throw refused('its output is not an ExecCredential');
  throw refused(path === 'status' ? 'its status is not an object' : `its ${path} is not text`);
}

function untilOf(timestamp: string | null | undefined): number | undefined {
  if (!timestamp) return undefined;
  const until = /^\d{4}-\d\d-\d\dT/.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (!Number.isNaN(until)) return until;
  throw refused('its expirationTimestamp is not a time such as 2026-01-02T15:04:05Z');
}

type Status = NonNullable<z.infer<typeof ExecCredential>['status']>;

/** Returns a certificate with the key that belongs to it, and its end: undefined without one. */
function pairOf({ clientCertificateData: cert, clientKeyData: key }: Status) {
  if (!cert && !key) return undefined;
  if (!cert) throw refused('its answer has a key without its certificate');
  if (!key) throw refused('its answer has a certificate without its key');
  let isPair = false;
  let until: Date;
  try {
    const certificate = new X509Certificate(cert);
    isPair = certificate.checkPrivateKey(createPrivateKey(key));
    until = certificate.validToDate;
  } catch {
    throw refused('its certificate or key cannot be read as PEM');
  }
  if (!isPair) throw refused('its key does not belong to its certificate');
  return { pair: { cert, key }, until: until.getTime() };
}
