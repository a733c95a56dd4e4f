import { isLoopback } from '#core/kernel/http-access/loopback';
import type { Log } from '#platform/telemetry/log.port';

type Seen = Readonly<{
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Address of the client, as far as it is known. */
  ip: string;
  socket: Readonly<{ remoteAddress?: string }>;
}>;

/** Says once that limits count all clients of a proxy that is not known as one. */
export function unknownProxyWarning(log: Log): (request: Seen) => void {
  let hasWarned = false;
  return ({ headers, ip, socket }) => {
    if (hasWarned || headers['x-forwarded-for'] === undefined) return;
    if (ip !== socket.remoteAddress || isLoopback(ip)) return;
    hasWarned = true;
    log.warn(
      { proxy: ip },
      'requests come through a proxy that is missing from FLOTILLA_CONSOLE_TRUSTED_PROXIES: limits of sign-in count all its clients as one',
    );
  };
}
