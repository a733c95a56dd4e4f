import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { isAddressAllowed, type OutboundPolicy } from './outbound-policy.js';

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

/** Whether a connection failed because of the policy: fetch hides the reason in causes. */
export function isAddressRefusal(error: unknown): boolean {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof AddressNotAllowed) && cause.cause instanceof Error) {
    cause = cause.cause;
  }
  return cause instanceof AddressNotAllowed;
}
