import net from 'node:net';
import tls from 'node:tls';
import { checkedLookup, isAddressRefusal } from '../../outbound/checked-lookup.js';
import { isRefusedLiteral, type OutboundPolicy } from '../../outbound/outbound-policy.js';
import { type Route, routeText } from '../../outbound/route.js';
import { openTunnel } from '../../outbound/tunnel.js';
import type { TlsIdentity } from './credentials.js';
import { dialTrouble } from './dial-trouble.js';
import type { DialRequest, DialTurns } from './dial-turns.js';
import { TransportError } from './transport.error.js';

export type DialTarget = Readonly<{
  server: URL;
  /** Default: directly. */
  route?: Route;
  proxyPolicy?: OutboundPolicy;
  serverPolicy?: OutboundPolicy;
  /** Counted from the turn on. */
  connectTimeoutMs: number;
  turns: DialTurns;
}> &
  DialRequest;

const KEEP_ALIVE_DELAY_MS = 30_000;

/**
 * Opens one connection to the API server when its turn comes, through the proxy if there is one, with TLS if
 * the URL says so.
 */
export const dial = (target: DialTarget, identity: TlsIdentity, protocols: string[]): Promise<net.Socket> =>
  target.turns.run(target, () =>
    open(target, identity, protocols).catch((error: unknown) => {
      throw withRoute(error, target.route);
    }),
  );

/** The failure of a connection with the way that it went. */
export function withRoute(error: unknown, route: Route | undefined): unknown {
  const text = route === undefined ? undefined : routeText(route);
  if (text === undefined || !(error instanceof TransportError)) return error;
  return new TransportError(error.failure, `${error.message} (${text})`);
}

async function open(target: DialTarget, identity: TlsIdentity, protocols: string[]): Promise<net.Socket> {
  const host = target.server.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.server.port || (target.server.protocol === 'https:' ? 443 : 80));
  const raw = await within(target.connectTimeoutMs, (signal) =>
    target.route?.proxy === undefined
      ? connectTcp({ host, port, signal, policy: target.serverPolicy })
      : openTunnel(target.route.proxy, { ...{ host, port, signal }, ...policiesOf(target) }),
  );
  raw.setKeepAlive(true, KEEP_ALIVE_DELAY_MS);
  raw.setNoDelay(true);
  if (target.server.protocol !== 'https:') return raw;
  return within(target.connectTimeoutMs, (signal) => secure(raw, host, identity, protocols, signal));
}

const policiesOf = ({ proxyPolicy, serverPolicy }: DialTarget) => ({ proxyPolicy, serverPolicy });

type TcpTarget = Readonly<{ host: string; port: number; signal: AbortSignal; policy: OutboundPolicy | undefined }>;

function connectTcp({ host, port, signal, policy }: TcpTarget): Promise<net.Socket> {
  if (policy !== undefined && isRefusedLiteral(host, policy)) throw refusedServer();
  return new Promise((resolve, reject) => {
    const socket = net.connect({
      ...{ host, port, autoSelectFamily: true },
      ...(policy && { lookup: checkedLookup(policy) }),
    });
    signal.addEventListener('abort', () => socket.destroy(new Error('no answer to the connection attempt')));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

const refusedServer = (): TransportError =>
  new TransportError('unreachable', 'its server has a link-local or metadata address, and the hub connects to none');

function secure(raw: net.Socket, host: string, identity: TlsIdentity, protocols: string[], signal: AbortSignal) {
  return new Promise<net.Socket>((resolve, reject) => {
    const name = identity.servername ?? host;
    const socket = tls.connect({
      ...identity,
      socket: raw,
      host,
      ALPNProtocols: protocols,
      servername: net.isIP(name) === 0 ? name : '',
      // An IP address is no SNI name, but the certificate must still be valid for it.
      checkServerIdentity: (_name, certificate) => tls.checkServerIdentity(name, certificate),
    });
    signal.addEventListener('abort', () => socket.destroy(new Error('no answer to the TLS handshake')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

async function within<T>(milliseconds: number, open: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), milliseconds);
  try {
    return await open(controller.signal);
  } catch (error) {
    if (isAddressRefusal(error)) throw refusedServer();
    throw error instanceof TransportError ? error : new TransportError('unreachable', dialTrouble(error));
  } finally {
    clearTimeout(timer);
  }
}
