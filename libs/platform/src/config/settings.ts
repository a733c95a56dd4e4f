import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { HTTP_AREAS, HTTP_AREAS_AUTO, HTTP_AREAS_NONE } from '#core/kernel/http-access/http-area';
import { SELECTABLE_KINDS } from '../outbound/address-kind.js';
import { consoleSettings } from './console-settings.js';
import { managedSettings } from './managed-settings.js';
import { redisSettings } from './redis-settings.js';
import {
  bytes,
  bytesOrAuto,
  count,
  duration,
  type Environment,
  flag,
  list,
  oneOf,
  ownPort,
  pairs,
  path,
  port,
  type Setting,
  someOf,
  text,
  url,
} from './setting.js';

/**
 * Every setting there is, in the order of the page about them. The names in the
 * environment are made from the keys.
 */
export const settingGroups = {
  'What is managed': managedSettings,
  'When things happen': {
    resyncInterval: duration(
      '10h',
      'Every namespace and extension is checked again this often, changed or not, each at a time of its own, evenly spread. A safety net: changes are noticed at once',
      { min: '1s' },
    ),
    fleetSilence: duration(
      '40s',
      'A cluster of the fleet that has not answered for so long counts as offline. It is asked three times within',
      { min: '1s' },
    ),
    installPlanRetryTimeout: duration(
      '1m',
      'How long a failing step of an InstallPlan is tried again before the plan fails (as in OLM)',
    ),
    bundleUnpackTimeout: duration(
      '10m',
      'How long the pull of a bundle may take before it fails; 0: as long as it takes (as in OLM)',
    ),
    extensionSecretInterval: duration(
      '1m',
      'How often Secrets that ClusterExtensions bring are compared with the cluster; there is no watch on them',
    ),
    catalogStrictHealth: flag(
      false,
      'A catalog whose refresh fails blocks resolution even though good content is held (as in OLM)',
    ),
    watchStaleAfter: duration('5m', 'A watch without a sign of life for so long makes the service not ready', {
      min: '1s',
    }),
    shutdownTimeout: duration('20s', 'How long a service that gets SIGTERM waits for the work it has begun'),
  },
  'Redis and queues': {
    ...redisSettings,
    hubKeyFile: path(
      '',
      'File with the key, 32 bytes or more, that authenticates the values of poller and applier in Redis: the same file for both, not for resolvers. If it is missing and the folder can be written, the service creates it. `flotilla up` needs none',
    ),
    observeConcurrency: count(8, 'Jobs of the queue `observe` that the poller takes at the same time', {
      min: 1,
      max: 1_000,
    }),
    resolveConcurrency: count(2, 'Problems that one resolver solves at the same time, each in a thread', {
      min: 1,
      max: 64,
    }),
    applyConcurrency: count(
      16,
      'Namespaces, ClusterExtensions and ClusterObjectSets together that one applier works on at the same time',
      { min: 1, max: 1_000 },
    ),
    solveFirstDeadline: duration(
      '2s',
      'A problem that is not solved after this time continues in the slow lane, one at a time, in turns over clusters and namespaces',
      { min: '100ms' },
    ),
    solveDeadline: duration(
      '60s',
      'A problem that is not solved after so long is given up with an explanation; poller and resolvers need the same, since a higher value solves such problems again',
      {
        min: '1s',
      },
    ),
    jobLockDuration: duration('10s', 'After this long without a heartbeat, another worker may take a job over', {
      min: '1s',
    }),
    shards: count(16, 'Parts of the fleet that pollers, or appliers, share; the same for all', { min: 1, max: 256 }),
    shardLease: duration('10s', 'Without a sign of life for so long, a process loses its clusters to others', {
      min: '2s',
    }),
    jobStalledInterval: duration('2s', 'Interval of the search for free jobs', { min: '1s' }),
    jobRetryFirst: duration('1s', 'Pause after the first failure of a job; doubles from failure to failure', {
      min: '10ms',
    }),
    jobRetryLongest: duration('5m', 'Longest pause between two tries of a job', { min: '10ms' }),
    recordCacheBytes: bytes('256Mi', 'Package records, as JSON, that one resolver keeps in memory in front of Redis'),
    storeTtl: duration(
      '24h',
      'Values that no service reads leave Redis after this time; longer than the resync interval',
      {
        min: '1m',
      },
    ),
  },
  'HTTP and logs': {
    bindAddress: text(
      '127.0.0.1',
      'Address that services listen on for health, metrics and content; `0.0.0.0` in a container',
      { pattern: /^[0-9A-Fa-f.:]+$/, wants: 'an IP address' },
    ),
    peerAddress: text(
      '',
      'Address at which other pollers reach this one for answers about its clusters. Empty: the address that it listens on; if that is `0.0.0.0`, the first of the machine that is not loopback',
      { pattern: /^[0-9A-Fa-f.:]*$/, wants: 'an IP address' },
    ),
    catalogPollerPort: port(8080, 'Port of the catalog poller; 0: any free one'),
    resolverWorkerPort: port(8081, 'Port of the resolver worker; 0: any free one'),
    applierPort: port(8082, 'Port of the applier; 0: any free one'),
    fleetControllerPort: port(8085, 'Port of the fleet controller; 0: any free one'),
    notifierPort: port(8086, 'Port of the notifier; 0: any free one'),
    metricsPort: ownPort(
      'Port for `/metrics` alone; every service of one machine needs another one. `same`: the port of the service. 0: any free one',
    ),
    httpAuthenticated: someOf(
      [...HTTP_AREAS, HTTP_AREAS_AUTO, HTTP_AREAS_NONE],
      [HTTP_AREAS_AUTO],
      'Parts that need authentication: `/content/…`, PackageManifests, content of ClusterCatalogs, `/metrics`, the details of `/readyz`, `/healthz` and `/version`. `auto`: nothing if the service listens on loopback only, otherwise all but `catalogs`',
    ),
    httpHosts: list(
      'Names by which clients reach services that listen on loopback, such as those of a proxy on the same machine, beside `localhost` and the host of the content URL. A request with another name in its Host header gets 421: a web page could have made its name lead here',
    ),
    httpTokensFile: path(
      '',
      'File with the tokens that are taken, one in each line: `NAME TOKEN PATH[,PATH…]`; a path may end with `*`. Read again when it changes',
    ),
    httpTokenReview: flag(
      false,
      'Tokens that the file does not have are reviewed by the API server of the cluster in which the hub runs (TokenReview, then SubjectAccessReview of `get` on the path)',
    ),
    httpTlsCertFile: path(
      '',
      'PEM file with the certificate chain for HTTPS of all services. Read again every ten seconds',
    ),
    httpTlsKeyFile: path('', 'PEM file with the key of that certificate'),
    hubTokenFile: path(
      '',
      'File with the token that the `flotilla` command sends to the hub; one of the tokens that the hub takes. Services do not read it',
    ),
    logLevel: oneOf(['debug', 'info', 'warn', 'error', 'silent'], 'info', 'Least important log lines that are written'),
    otlpEndpoint: url(
      'Collector to which traces are sent, by OTLP over HTTP with JSON, such as `http://collector:4318`. Empty: none are made',
      { aliases: ['OTEL_EXPORTER_OTLP_ENDPOINT'] },
    ),
    otlpHeaders: pairs('Headers of each request to the collector, such as `authorization=Bearer%20TOKEN`', {
      secret: true,
      aliases: ['OTEL_EXPORTER_OTLP_HEADERS'],
    }),
    otlpResourceAttributes: pairs(
      'Attributes of the resource of all traces, such as `deployment.environment.name=production`',
      { aliases: ['OTEL_RESOURCE_ATTRIBUTES'] },
    ),
    queuePage: flag(
      false,
      'Services show their queues at `/queues`, as HTML without scripts; who may read details of health may read it',
    ),
    metricsClusterLimit: count(50, 'Up to this number of clusters, metrics have one series per object; above it, sums'),
  },
  Content: {
    contentDir: path('~/.cache/flotilla/content', 'Folder of the content cache; losing it loses nothing'),
    contentMaxBytes: bytes(
      '4Gi',
      'Size of the content cache, images that are being unpacked included (at most half of it); the least recently used content goes first',
    ),
    pullConcurrency: count(
      8,
      'Catalog images that the poller downloads at the same time, and bundle images that an applier does, in turns over clusters and namespaces; half as many again for bundles that take long',
      {
        min: 1,
        max: 1_000,
      },
    ),
    pullsPerCluster: count(4, 'Of these, for one cluster', { min: 1, max: 1_000 }),
    pullsPerNamespace: count(2, 'Of these, for one namespace', { min: 1, max: 1_000 }),
    catalogReadConcurrency: count(
      3,
      'Catalogs that are read at the same time, each in a thread, in turns over clusters and namespaces; those of one cluster leave one thread to the others',
      { min: 1, max: 64 },
    ),
    catalogReadFirstDeadline: duration(
      '10s',
      'A catalog that is not read after this time continues in the slow lane, one at a time',
      { min: '100ms' },
    ),
    contentUrl: url(
      'Address of the content of the catalog poller, as others reach it: the applier reads missing content there, and CatalogSources name it. Empty: the applier reads from the registry only',
    ),
  },
  Registries: {
    registryMirrorsFile: path(
      '',
      'YAML file with ImageDigestMirrorSet and ImageTagMirrorSet objects, as OpenShift and `oc mirror` write them: mirrors are tried in order before the source, digests at the former, tags at the latter only. Read at the start',
    ),
    signaturePolicyFile: path(
      '',
      'YAML file with the signatures that images of catalogs and bundles need, per registry or repository (signatures.md). An unreadable part refuses all content that it may concern. Empty: no signatures are needed. Read at the start',
    ),
    registryCa: path(
      '',
      'PEM file, or folder of `*.crt` and `*.pem` files, with authorities to trust for every registry besides those of the system. Read again every minute',
    ),
    registryCertsDir: path(
      '/etc/containers/certs.d',
      'Folder with one folder for each registry, named `HOST` or `HOST:PORT` as in references: `*.crt` are authorities for it, `*.cert` and `*.key` of one name a client certificate (as in docker and podman). Read again every minute',
    ),
    registryPlainHttpHosts: list(
      'Registries, `HOST` or `HOST:PORT` as in references, that are reached with plain HTTP, `*`: all; registries on this machine always are',
    ),
    outboundAddresses: someOf(
      SELECTABLE_KINDS,
      ['public', 'private'],
      'Addresses at which the hub reaches hosts that clusters name: registries, their token servers and redirects, registry servers (gRPC); and hosts that the issuer of accounts names. Checked when a connection is made, after the name is resolved; proxies resolve names themselves. Link-local, metadata, unspecified and multicast addresses are refused always',
    ),
    registryHosts: list(
      'Registries, `HOST` or `HOST:PORT` as in references, `*.example.com` for all below, from which clusters may name images; empty: all. The targets of their redirects are not checked against it',
    ),
    grpcHosts: list(
      'Registry servers (gRPC), written in the same way, that CatalogSources may name as their address; empty: all',
    ),
    registryTransfersPerHost: count(
      4,
      'Layers that are pulled from one registry at the same time; others wait in line',
      {
        min: 1,
        max: 1_000,
      },
    ),
    registryRequestsPerHost: count(16, 'Small requests to one registry at the same time; others wait in line', {
      min: 1,
      max: 1_000,
    }),
  },
  Console: consoleSettings,
  'Bounds on outside input': {
    registryRequestTimeout: duration('30s', 'Until an answer of a registry begins', { min: '100ms' }),
    registryStallTimeout: duration(
      '30s',
      'Without a byte from a registry that is sending; the download then continues at the same place',
      { min: '100ms' },
    ),
    registryPullTimeout: duration('10m', 'For the pull of one image, at each of its mirrors', { min: '1s' }),
    registryAttempts: count(4, 'Tries of one request to a registry', { min: 1, max: 20 }),
    registryRetryDelay: duration(
      '250ms',
      'Pause before the second try of a request; doubles from try to try. A `Retry-After` of the registry counts more, up to 30s',
      { min: '1ms' },
    ),
    imageMaxCompressedBytes: bytes('1Gi', 'Layers of one image, as sent'),
    imageMaxUnpackedBytes: bytes('4Gi', 'Layers of one image, unpacked'),
    imageMaxExpansion: count(
      200,
      'How many times their size the layers of one image may grow when unpacked, beyond the first 64 MiB: images that are made to cost time are given up early',
      { min: 10, max: 100_000 },
    ),
    imageMaxFiles: count(
      300_000,
      'Entries of all layers of one image; their names and links may have 256 characters each, on average',
      { min: 1 },
    ),
    imageMaxFileBytes: bytes('256Mi', 'One file that is wanted from an image'),
    imageMaxWantedBytes: bytes('768Mi', 'All files that are wanted from one image'),
    imageMaxLayers: count(256, 'Layers of one image', { min: 1, max: 10_000 }),
    imageMaxDocumentBytes: bytes('4Mi', 'Manifest, index or configuration of one image'),
    grpcCallTimeout: duration('1m', 'For one call to a registry server (as in OLM)', { min: '100ms' }),
    grpcSilenceTimeout: duration(
      '30s',
      'Silence of a registry server during a call; then it is asked for a sign of life',
      { min: '100ms' },
    ),
    grpcMaxMessageBytes: bytes('64Mi', 'One message of a registry server, such as one bundle'),
    grpcMaxListBytes: bytes('512Mi', 'Everything that one listing of a registry server sends'),
    grpcMaxBundles: count(200_000, 'Items that one listing of a registry server sends', { min: 1 }),
    kubeRequestTimeout: duration('60s', 'For one request to the API server of a managed cluster', { min: '100ms' }),
    kubePluginTimeout: duration(
      '60s',
      'For one run of a login plugin (`exec` of a kubeconfig); a longer one is killed, with its children',
      { min: '100ms' },
    ),
    kubeMaxAnswerBytes: bytes(
      '32Mi',
      'One answer of an API server; so much of all answers of a cluster is read at a time',
    ),
    kubeMaxObjects: count(
      200_000,
      'Objects of one kind in one list of a cluster, and events of one watch in a minute',
      { min: 1 },
    ),
    kubeMaxListBytes: bytes('4Gi', 'All pages of one list of a cluster, and the events of one watch in a minute'),
    kubeMaxClusterBytes: bytes(
      '256Mi',
      'Memory (estimated) for the cached objects of one cluster in one process; as much again while lists are read',
    ),
    kubeMaxProcessBytes: bytesOrAuto(
      'Memory (estimated) for the cached objects of all clusters in one process, lists that are being read included. One half is divided equally among them, the other is for clusters that need more; a read without room is refused, and the cluster is named. `auto`: half of what Node allows its heap, 280 MiB in a container of 1 GiB',
    ),
    storeMaxValueBytes: bytes('64Mi', 'One problem, package record or solution in Redis'),
    contentMaxBlobBytes: bytes('512Mi', 'One blob that is read from the content URL'),
  },
} as const;

type Groups = typeof settingGroups;
type Flat<G> =
  G extends Readonly<Record<string, unknown>> ? { [K in keyof G]: { [N in keyof G[K]]: G[K][N] } }[keyof G] : never;
type All = UnionToIntersection<Flat<Groups>>;
type UnionToIntersection<U> = (U extends unknown ? (x: U) => void : never) extends (x: infer I) => void ? I : never;

/** All settings, read: durations in milliseconds, sizes in bytes. */
export type Settings = { readonly [K in keyof All]: All[K] extends Setting<infer T> ? T : never };

/**
 * Settings that cannot be used: all of them at once, each with values that would do. Never holds the text of
 * a secret.
 */
export class InvalidSettings extends FlotillaError {
  readonly code = 'InvalidSettings';
  readonly retry: Retry = 'when-input-changes';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

/** `installPlanRetryTimeout` → `FLOTILLA_INSTALL_PLAN_RETRY_TIMEOUT`. */
export const environmentName = (key: string): string =>
  `FLOTILLA_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** @throws InvalidSettings naming every bad value */
export function readSettings(env: Environment): Settings {
  const problems: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, setting] of allSettings()) {
    const name = [environmentName(key), ...(setting.aliases ?? [])].find((candidate) => env[candidate]);
    const given = (name === undefined ? setting.default : env[name]?.trim()) ?? '';
    const value = setting.parse(given, env);
    if (value === undefined) {
      const shown = setting.secret ? 'its value' : JSON.stringify(given);
      problems.push(`${name ?? key}: ${shown} is not ${setting.wants}`);
    }
    values[key] = value;
  }
  if (problems.length > 0) throw new InvalidSettings(problems);
  return values as Settings;
}

/** Variables with the prefix of settings that are no settings: most likely misspelt. Sorted. */
export function unknownSettings(env: Environment): string[] {
  const known = new Set(allSettings().map(([key]) => environmentName(key)));
  const ours = Object.keys(env).filter((name) => name.startsWith('FLOTILLA_') && !name.startsWith('FLOTILLA_TEST_'));
  return ours.filter((name) => !known.has(name)).toSorted();
}

export function allSettings(): [string, Setting<unknown>][] {
  return Object.values(settingGroups).flatMap((group) => Object.entries<Setting<unknown>>(group));
}
