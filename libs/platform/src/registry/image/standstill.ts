import { RegistryError } from '../client/registry-client.port.js';

/** The bytes of a layer stopped, or its files could not be written any more. */
export class PullStandstill extends RegistryError {
  constructor(reference: string, message: string) {
    super('Unreachable', reference, message);
  }
}

/** The bytes of a layer, and the time without a byte after which its pull ends. */
type Watched<T> = Readonly<{
  bytes: AsyncIterable<Uint8Array>;
  read: (bytes: AsyncIterable<Uint8Array>) => Promise<T>;
  limitMs: number;
  error: () => PullStandstill;
}>;

/**
 * Reads a layer. Rejects if nothing of it arrives, and nothing is asked for, for `limitMs`: the source, the
 * disk or the reader itself is stuck. Every chunk begins the time anew, so a slow layer is read to its end.
 */
export async function unlessItStandsStill<T>({ bytes, read, limitMs, error }: Watched<T>): Promise<T> {
  const { promise: stuck, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(error()), limitMs);
  try {
    return await Promise.race([read(noted(bytes, () => timer.refresh())), stuck]);
  } finally {
    clearTimeout(timer);
    stuck.catch(() => undefined);
  }
}

async function* noted(bytes: AsyncIterable<Uint8Array>, note: () => void): AsyncGenerator<Uint8Array> {
  for await (const chunk of bytes) {
    note();
    yield chunk;
    note();
  }
  note();
}
