import { describe, expect, it } from 'vitest';
import { grpcRouteTo, type ProxyEnvironment } from '../../outbound/route.js';
import { parseGrpcAddress } from './grpc-address.js';
import { channelTo, unusableProxy } from './grpc-route.js';

const ADDRESS = parseGrpcAddress('catalog.test:50051');
const routeTo = (address: typeof ADDRESS, environment: ProxyEnvironment) =>
  channelTo(address, grpcRouteTo({ hostname: address.host, port: address.port }, environment));
const direct = { target: 'dns:catalog.test:50051', 'grpc.enable_http_proxy': 0 };

describe('channelTo', () => {
  it.each([
    { because: 'nothing is set', environment: {} },
    {
      because: 'the proxy is that of the web',
      environment: { HTTPS_PROXY: 'http://p.test', HTTP_PROXY: 'http://p.test' },
    },
    { because: 'NO_PROXY names the host', environment: { GRPC_PROXY: 'http://p.test:3128', NO_PROXY: '.test' } },
    {
      because: 'NO_PROXY names host and port',
      environment: { GRPC_PROXY: 'http://p.test', NO_PROXY: 'catalog.test:50051' },
    },
  ])('is direct where $because', ({ environment }) => {
    expect(routeTo(ADDRESS, environment)).toEqual(direct);
  });

  it.each([
    { because: 'by its name', environment: { GRPC_PROXY: 'http://p.test:3128' }, target: 'dns:p.test:3128' },
    { because: 'in small letters', environment: { grpc_proxy: 'http://p.test:3128' }, target: 'dns:p.test:3128' },
    { because: 'without a scheme', environment: { GRPC_PROXY: 'p.test:3128' }, target: 'dns:p.test:3128' },
    { because: 'at the port of HTTP', environment: { GRPC_PROXY: 'http://p.test' }, target: 'dns:p.test:80' },
    {
      because: 'with another port exempt',
      environment: { GRPC_PROXY: 'http://p.test:3128', NO_PROXY: 'catalog.test:443' },
      target: 'dns:p.test:3128',
    },
  ])('is that of GRPC_PROXY $because', ({ environment, target }) => {
    expect(routeTo(ADDRESS, environment)).toEqual({
      target,
      'grpc.enable_http_proxy': 0,
      'grpc.http_connect_target': 'dns:catalog.test:50051',
      'grpc.default_authority': 'catalog.test:50051',
    });
  });

  it.each([
    { proxy: 'http://user:pass@p.test', login: 'user:pass' },
    { proxy: 'http://user@p.test', login: 'user' },
    { proxy: 'http://us%40er:p%3Ass@p.test', login: 'us@er:p:ss' },
    { proxy: 'http://user:100%@p.test', login: 'user:100%' },
  ])('logs in at the proxy as $login', ({ proxy, login }) => {
    const route = routeTo(ADDRESS, { GRPC_PROXY: proxy });
    expect(route['grpc.http_connect_creds']).toBe(login);
    expect(route.target).toBe('dns:p.test:80');
  });
});

const WAY_OUT = 'and gRPC goes through http:// alone: name one with http://, or the server in NO_PROXY';

describe('unusableProxy', () => {
  it.each([
    { proxy: 'http://p.test', says: undefined },
    { proxy: 'p.test:3128', says: undefined },
    { proxy: 'socks5://p.test', says: `GRPC_PROXY has a proxy of socks5, ${WAY_OUT}` },
    { proxy: 'https://p.test', says: `GRPC_PROXY has a proxy of https, ${WAY_OUT}` },
  ])('$proxy: $says', ({ proxy, says }) => {
    const route = grpcRouteTo({ hostname: ADDRESS.host, port: ADDRESS.port }, { GRPC_PROXY: proxy });
    expect(unusableProxy(route)).toBe(says);
  });
});
