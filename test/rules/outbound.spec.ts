import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';

/** Reading of the environment for proxies: one module does it (decision 0534). */
const PROXY_RULES = /\b(?:HTTPS?|NO|ALL|GRPC)_PROXY\b|\b(?:https?|no|all|grpc)_proxy\b/;
/** Going through a proxy. */
const PROXY_USE =
  /\b(?:EnvHttpProxyAgent|ProxyAgent|Socks5ProxyAgent|setGlobalDispatcher|SocksClient)\b|['"]CONNECT['"]|from 'socks'|grpc\.http_connect_target|socks-proxy-agent|https?-proxy-agent/;
/** Opening of connections. */
const CONNECTS =
  /(?<![\w.#])fetch\(|from 'node:(?:https?|http2|net|tls|dgram)'|\bnew (?:Agent|Pool|Client)\(|\bimport\('undici'\)/;

/** Files that name such a variable; the first reads them. */
const NAMES_A_VARIABLE = [
  'libs/platform/src/outbound/route.ts',
  // OLM gives the proxy of a cluster to its operators. The hub does not go through it.
  'libs/core/src/classic/csv/world/cluster-proxy.ts',
  // The text about a proxy that gRPC cannot use.
  'libs/platform/src/registry/grpc/grpc-route.ts',
];
const USES_A_PROXY = [
  'libs/platform/src/outbound/dispatcher.ts',
  'libs/platform/src/outbound/tunnel.ts',
  'libs/platform/src/registry/grpc/grpc-route.ts',
];

const OWN = {
  routed: 'takes the way that `routeTo` of outbound/route.ts gives',
  listens: 'listens, or has types of a server',
  hub: 'connects services of one hub with each other, or the command with its hub',
  addresses: 'reads addresses, and connects to nothing',
  redis: 'connects to Redis, which no proxy of the web leads to',
} as const;

/** Files that may open connections, each with the reason why it needs no rule of its own. */
const CONNECTIONS: Readonly<Record<string, string>> = {
  'apps/catalog-poller/src/content.controller.ts': OWN.listens,
  'apps/catalog-poller/src/metas.middleware.ts': OWN.listens,
  'apps/catalog-poller/src/package-manifests.middleware.ts': OWN.listens,
  'apps/cli/src/commands/catalog/serve/catalog-serve-http.ts': OWN.listens,
  'apps/cli/src/commands/demo/fleet/demo-receiver.ts': OWN.listens,
  'apps/cli/src/commands/demo/motion/service-sightings.ts': OWN.hub,
  'apps/cli/src/hub/ask-hub.ts': OWN.hub,
  'apps/cli/src/commands/catalog/read/hub-packages.ts': OWN.hub,
  'apps/cli/src/hub/probe-hub.ts': OWN.hub,
  'apps/cli/src/hub/usable-port.ts': OWN.listens,
  'apps/console/src/events/event-stream.ts': OWN.listens,
  'apps/console/src/serve/client-key.ts': OWN.addresses,
  'apps/console/src/serve/console-server.ts': OWN.listens,
  'libs/platform/src/config/setting.ts': OWN.addresses,
  'libs/platform/src/console/issuer-connections.ts': OWN.routed,
  'libs/platform/src/content/http-content-store.ts': OWN.hub,
  'libs/platform/src/fleet/http-gates.ts': OWN.routed,
  'libs/platform/src/fleet/receivers/message-sender.ts': OWN.routed,
  'libs/platform/src/http/serve-metrics.ts': OWN.listens,
  'libs/platform/src/http/serving-tls.ts': OWN.listens,
  'libs/platform/src/kube/cloud/outbound-cloud-http.ts': OWN.routed,
  'libs/platform/src/kube/transport/dial.ts': OWN.routed,
  'libs/platform/src/kube/transport/http1-wire.ts': OWN.routed,
  'libs/platform/src/kube/transport/http2-lane.ts': OWN.routed,
  'libs/platform/src/kube/transport/http2-wire.ts': OWN.routed,
  'libs/platform/src/metas/serve-metas.ts': OWN.listens,
  'libs/platform/src/outbound/address-kind.ts': OWN.addresses,
  'libs/platform/src/outbound/checked-lookup.ts': OWN.addresses,
  'libs/platform/src/outbound/dispatcher.ts': OWN.routed,
  'libs/platform/src/outbound/outbound-policy.ts': OWN.addresses,
  'libs/platform/src/outbound/route.ts': OWN.addresses,
  'libs/platform/src/outbound/tunnel.ts': OWN.routed,
  'libs/platform/src/peers/own-url.ts': OWN.addresses,
  'libs/platform/src/peers/pass-back.ts': OWN.listens,
  'libs/platform/src/peers/peer-requests.ts': OWN.hub,
  'libs/platform/src/peers/peers.ts': OWN.listens,
  'libs/platform/src/redis/local/local-redis.ts': OWN.redis,
  'libs/platform/src/redis/redis-access.ts': OWN.redis,
  'libs/platform/src/redis/redis-options.ts': OWN.redis,
  'libs/platform/src/redis/redis-refusal.ts': OWN.redis,
  'libs/platform/src/registry/grpc/grpc-catalog-client.ts': OWN.routed,
  'libs/platform/src/registry/http/connections.ts': OWN.routed,
  'libs/platform/src/registry/http/http-exchange.ts': OWN.routed,
  'libs/platform/src/telemetry/tracing/otlp-tracer.ts': OWN.routed,
};

const files = globSync('{libs/{core,platform,lifecycle}/src,apps/*/src}/**/*.ts', { cwd: PROJECT_ROOT })
  .filter((path) => !/\.(?:spec|fixture|d)\.ts$/.test(path))
  .sort();
const code = (path: string): string =>
  readFileSync(join(PROJECT_ROOT, path), 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line))
    .join('\n');

const filesWith = (pattern: RegExp): readonly string[] => files.filter((path) => pattern.test(code(path)));

it.each([
  ["const proxy = environment['HTTPS_PROXY'];", PROXY_RULES],
  ['read(process.env.no_proxy)', PROXY_RULES],
  ["new ProxyAgent({ uri: 'http://proxy.test' })", PROXY_USE],
  ["request({ method: 'CONNECT', path })", PROXY_USE],
  ['await fetch(url)', CONNECTS],
  ["import { connect } from 'node:net';", CONNECTS],
  ["const { request } = await import('undici');", CONNECTS],
])('finds a planted %s', (source, pattern) => {
  expect(source).toMatch(pattern);
});

it('reads the environment for proxies in one module', () => {
  expect(filesWith(PROXY_RULES)).toEqual(NAMES_A_VARIABLE.toSorted());
});

it('goes through proxies in one place for each kind of connection', () => {
  expect(filesWith(PROXY_USE)).toEqual(USES_A_PROXY);
});

it('opens connections in files that take the way of that module, or need none', () => {
  expect(filesWith(CONNECTS)).toEqual(Object.keys(CONNECTIONS).toSorted());
});
