import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { isAddressAllowed, isRefusedLiteral, type OutboundPolicy } from './outbound-policy.js';

/** A connection that was not made, because the policy allows none of the addresses of the host. */
export class AddressNotAllowed extends Error {}

/** Resolves names for a socket that is about to connect; leaves out the addresses that may not be dialled. */
export const checkedLookup =
  (policy: OutboundPolicy, lookup: LookupFunction = systemLookup): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found, family) => {
      if (error !== null) return callback(error, []);
      const all = typeof found === 'string' ? [{ address: found, family: family ?? 4 }] : found;
      const allowed = all.filter(({ address }) => isAddressAllowed(address, policy));
      const [first] = allowed;
      if (first === undefined) return callback(new AddressNotAllowed(`no address of ${hostname} is allowed`), []);
      return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
    });
  };

/** True if a connection failed because of the policy: fetch hides the reason in causes. */
export function isAddressRefusal(error: unknown): boolean {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof AddressNotAllowed) && cause.cause instanceof Error) {
    cause = cause.cause;
  }
  return cause instanceof AddressNotAllowed;
}

/**
 * Time for resolving a name before a proxy gets it: many networks behind a proxy resolve only their own
 * names.
 */
const RESOLVED_WITHIN_MS = 2_000;

/**
 * Refuses a server that a proxy would be asked for: an address that is not allowed, or a name that has only
 * such addresses here. A name that is not known here is left to the proxy.
 *
 * @throws AddressNotAllowed
 */
export async function refuseTarget(hostname: string, policy: OutboundPolicy, lookup?: LookupFunction): Promise<void> {
  const bare = hostname.replace(/^\[|\]$/g, '');
  if (isRefusedLiteral(bare, policy)) throw new AddressNotAllowed(`${bare} is not allowed`);
  if (isIP(bare) !== 0) return;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, RESOLVED_WITHIN_MS);
  checkedLookup(policy, lookup)(bare, { all: true }, (error) => resolve(error));
  const failure = await promise;
  clearTimeout(timer);
  if (failure instanceof AddressNotAllowed) throw failure;
}
