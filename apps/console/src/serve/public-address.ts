import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { isLoopback } from '#core/kernel/http-access/loopback';

/** The console's address for browsers, and the hosts that they may name. */
export type PublicAddress = Readonly<{
  isHttps: boolean;
  /** Empty: that of the port. */
  origin: string;
  answers: (host: string | undefined) => boolean;
}>;

/** The console would be reached from elsewhere without protection. */
class ConsoleUnprotected extends FlotillaError {
  readonly code = 'ConsoleUnprotected';
  readonly retry: Retry = 'when-input-changes';
  constructor(bindAddress: string) {
    super(
      `the console does not listen on ${bindAddress} without protection: set FLOTILLA_CONSOLE_EXTERNAL_URL to an https address, or FLOTILLA_CONSOLE_TLS_CERT_FILE and FLOTILLA_CONSOLE_TLS_KEY_FILE, or listen on 127.0.0.1`,
    );
  }
}

type Asked = Readonly<{ bindAddress: string; externalUrl: string; hasTls: boolean }>;

const bareHost = (host: string): string => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

const isLoopbackName = (host: string): boolean => {
  const bare = bareHost(host);
  return bare === 'localhost' || bare.endsWith('.localhost') || isLoopback(bare.replace(/^\[|\]$/g, ''));
};

/**
 * Returns the public address. A page of another site may resolve its own name to the console's address, so
 * requests must name the console's own host. An external address with a loopback name counts as loopback: a
 * container with its port published only on its host's loopback (decision 0290).
 *
 * @throws ConsoleUnprotected if other machines could read the traffic
 */
export function publicAddress({ bindAddress, externalUrl, hasTls }: Asked): PublicAddress {
  if (externalUrl !== '') {
    const { protocol, host, origin } = new URL(externalUrl);
    const isHttps = protocol === 'https:';
    if (!isHttps && !isLoopbackName(host)) throw new ConsoleUnprotected(externalUrl);
    const local = isLoopbackName(host);
    const answers = (asked = '') => (local ? isLoopbackName(asked) : asked.toLowerCase() === host.toLowerCase());
    return { isHttps, origin, answers };
  }
  if (isLoopback(bindAddress)) return { isHttps: hasTls, origin: '', answers: (asked = '') => isLoopbackName(asked) };
  if (hasTls) return { isHttps: true, origin: '', answers: (asked) => asked !== undefined };
  throw new ConsoleUnprotected(bindAddress);
}
