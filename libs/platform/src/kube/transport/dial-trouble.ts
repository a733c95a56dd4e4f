import { textOf } from './transport.error.js';

/** Reasons TLS could not be agreed on, by the code of Node or the words of OpenSSL. */
const TROUBLES: readonly (readonly [error: RegExp, text: string])[] = [
  [/wrong version number|packet length too long/, 'the server does not use TLS'],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED/,
    'its certificate is not signed by the authority that the kubeconfig names (certificate-authority-data)',
  ],
];

/** Returns the reason a connection could not be opened, in one line for users. */
export function dialTrouble(error: unknown): string {
  const text = textOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TROUBLES.find(([pattern]) => pattern.test(`${code} ${text}`))?.[1] ?? text;
}
