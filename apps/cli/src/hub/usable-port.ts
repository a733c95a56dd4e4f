import { once } from 'node:events';
import { createServer } from 'node:net';
import { UsageError } from '../terminal/io.js';

/**
 * Returns the port itself, or a free one for 0. The port is tried before anything is started. It is known
 * before anything listens, because the statuses of catalogs name the address of their content.
 * @throws UsageError if the port cannot be had
 */
export async function usablePort(port: number, address: string): Promise<number> {
  const probe = createServer();
  probe.listen(port, address);
  try {
    await once(probe, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    const why = WHY[code] ?? `cannot be listened at (${code})`;
    throw new UsageError(`${address}:${port} ${why}: choose another port with --port, 0 for any free one`);
  }
  const taken = probe.address();
  await once(probe.close(), 'close');
  return typeof taken === 'object' && taken !== null ? taken.port : port;
}

const WHY: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is used by another program',
  EACCES: 'can be used only by root',
  EADDRNOTAVAIL: 'is not an address of this machine (setting FLOTILLA_BIND_ADDRESS)',
};
