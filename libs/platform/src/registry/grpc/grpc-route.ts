import type { ChannelOptions } from '@grpc/grpc-js';
import { proxyLogin } from '../../outbound/proxy-login.js';
import type { Route } from '../../outbound/route.js';
import type { GrpcAddress } from './grpc-address.js';

/**
 * Returns the address to dial: the address itself, or the proxy of its route. The library's own reading of
 * the environment is switched off: it would take the proxy of the web too, and knows lower-case names only.
 */
export function channelTo(
  { host, port, target }: GrpcAddress,
  { proxy }: Route,
): ChannelOptions & Readonly<{ target: string }> {
  if (proxy === undefined) return { target, 'grpc.enable_http_proxy': 0 };
  const { user, password } = proxyLogin(proxy);
  const login = [user, password].filter((part) => part !== '');
  return {
    target: `dns:${proxy.hostname}:${proxy.port || 80}`,
    'grpc.enable_http_proxy': 0,
    'grpc.http_connect_target': target,
    'grpc.default_authority': `${host}:${port}`,
    ...(login.length === 0 ? {} : { 'grpc.http_connect_creds': login.join(':') }),
  };
}

/** Returns the reason if the library cannot go through a proxy: it knows HTTP CONNECT without TLS alone. */
export const unusableProxy = ({ proxy }: Route): string | undefined =>
  proxy === undefined || proxy.protocol === 'http:'
    ? undefined
    : `GRPC_PROXY has a proxy of ${proxy.protocol.slice(0, -1)}, and gRPC goes through http:// alone: name one with http://, or the server in NO_PROXY`;
