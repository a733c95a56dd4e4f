import { ADVICE, type Advice } from '../advice/advice.js';

const REFUSED = /(?:address of|host) (\S+) is not allowed by the hub \((FLOTILLA_[A-Z_]+)\)/;
const NOT_ADMITTED = /\bsignature policy (\S+) refuses \S+: (it cannot be read\b)?/;
const NOT_READ_AGAIN = /; this digest is not read again: /;
const AWAY = /cannot reach registry (\S+) \(|registry (\S+) answered (?:429|5\d\d)\b/;
const LATE = /\bnot done after \d+ ms: /;
const SERVER_AWAY = /catalog at (\S+) \((?:UNAVAILABLE|DEADLINE_EXCEEDED): /;

/** True if a message says that the signature policy of the hub refuses content. */
export const isNotAdmitted = (message: string): boolean => NOT_ADMITTED.test(message);

/** True if a message says that an image ended the thread that read it, and is remembered for that. */
export const isNotReadAgain = (message: string): boolean => NOT_READ_AGAIN.test(message);

/** Returns advice if the image of a catalog is remembered so. */
export const endedAdvice = (message: string, name: string, namespace?: string): readonly Advice[] | undefined =>
  isNotReadAgain(message) ? [ADVICE.retryCatalog(name, namespace)] : undefined;

/**
 * Returns advice if content could not be fetched and is not at fault. Either the hub's own policies refuse
 * the host or the signer, or the registry does not answer. Returns undefined for every other message. If
 * several places were tried, the last one counts: the registry of the reference.
 */
export function pullAdvice(message: string): readonly Advice[] | undefined {
  const [notAdmitted, scope = '', unread] = NOT_ADMITTED.exec(message) ?? [];
  if (notAdmitted !== undefined) return [unread ? ADVICE.correctSignaturePolicy() : ADVICE.signContent(scope)];
  const last = message.slice(Math.max(0, message.lastIndexOf('image ')));
  const [, refused, setting] = REFUSED.exec(last) ?? REFUSED.exec(message) ?? [];
  if (refused !== undefined && setting !== undefined) {
    return [
      setting === 'FLOTILLA_OUTBOUND_ADDRESSES' ? ADVICE.allowAddress(refused) : ADVICE.allowHost(setting, refused),
    ];
  }
  const [, unreached, failing] = AWAY.exec(last) ?? [];
  const server = SERVER_AWAY.exec(message)?.[1];
  if (server !== undefined) return [ADVICE.startRegistryServer(server)];
  const host = unreached ?? failing ?? (LATE.test(last) ? 'that it names' : undefined);
  return host === undefined ? undefined : [ADVICE.reachRegistry(host)];
}
