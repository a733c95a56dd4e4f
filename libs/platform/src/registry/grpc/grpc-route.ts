import type { ChannelOptions } from '@grpc/grpc-js';
import { grpcProxyFor, type ProxyEnvironment } from '../http/proxy-environment.js';
import type { GrpcAddress } from './grpc-address.js';

/**
 * The address to dial: the address itself, or the proxy that GRPC_PROXY names for it. The
 * library's own reading of the environment is switched off: it would take the proxy of the web
 * too, and knows lower-case names only.
 */
export function routeTo(
  { host, port, target }: GrpcAddress,
  environment: ProxyEnvironment,
): ChannelOptions & Readonly<{ target: string }> {
  const proxy = grpcProxyFor({ hostname: host, port }, environment);
  if (proxy === undefined) return { target, 'grpc.enable_http_proxy': 0 };
  const login = [proxy.username, proxy.password].filter((part) => part !== '').map(decodeURIComponent);
  return {
    target: `dns:${proxy.hostname}:${proxy.port || 80}`,
    'grpc.enable_http_proxy': 0,
    'grpc.http_connect_target': target,
    'grpc.default_authority': `${host}:${port}`,
    ...(login.length === 0 ? {} : { 'grpc.http_connect_creds': login.join(':') }),
  };
}
