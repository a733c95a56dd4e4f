import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Settings } from '../config/settings.js';

type Interfaces = Readonly<Record<string, readonly Readonly<{ address: string; internal: boolean }>[] | undefined>>;
type OwnSettings = Pick<Settings, 'peerAddress' | 'bindAddress' | 'catalogPollerPort' | 'httpTlsCertFile'>;

const ALL_ADDRESSES = ['0.0.0.0', '::'];

/**
 * Returns the URL at which the other pollers of the hub reach the poller of these settings. Returns undefined
 * if that cannot be known before it listens (port 0), or the machine has no address but loopback.
 */
export function ownUrl(settings: OwnSettings, interfaces: Interfaces = networkInterfaces()): string | undefined {
  const { catalogPollerPort: port, httpTlsCertFile } = settings;
  const address = settings.peerAddress || reachedAddress(settings, interfaces);
  if (address === undefined || port === 0) return undefined;
  const host = isIPv6(address) ? `[${address}]` : address;
  return `${httpTlsCertFile === '' ? 'http' : 'https'}://${host}:${port}`;
}

/** The address that is listened on; of all addresses the first that leads to this machine from outside. */
function reachedAddress({ bindAddress }: OwnSettings, interfaces: Interfaces): string | undefined {
  if (!ALL_ADDRESSES.includes(bindAddress)) return bindAddress;
  const outside = Object.values(interfaces)
    .flatMap((addresses = []) => addresses)
    .filter(({ address, internal }) => !internal && !address.startsWith('fe80:'))
    .map(({ address }) => address);
  return outside.find((address) => !isIPv6(address)) ?? outside[0];
}
