import { RegistryError } from '../client/registry-client.port.js';

/**
 * A registry server's address that may be dialled. It never has a scheme, so that it cannot name a
 * socket file of this machine.
 */
export type GrpcAddress = Readonly<{ text: string; host: string; port: number; target: string }>;

const ADDRESS = /^(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?::([0-9]{1,5}))?$/;

/** Takes `HOST:PORT` apart; throws RegistryError InvalidReference. */
export function parseGrpcAddress(text: string): GrpcAddress {
  const match = ADDRESS.exec(text.slice(0, 300));
  const port = Number(match?.[2] ?? Number.NaN);
  const host = match?.[1];
  if (host === undefined || !(port >= 1 && port <= 65_535)) {
    const shown = text.slice(0, 300);
    throw new RegistryError('InvalidReference', shown, `invalid catalog address "${shown}": expected HOST:PORT`);
  }
  return { text, host, port, target: `dns:${host}:${port}` };
}

/** True if only a cluster's own DNS knows the name. */
export const isClusterLocal = (host: string) => /\.svc(?:\.|$)|\.cluster\.local$/.test(host);
