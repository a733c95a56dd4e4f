import { textOf } from './transport.error.js';

/** What keeps TLS from being agreed on, by the code of Node or the words of OpenSSL. */
const TROUBLES: readonly (readonly [error: RegExp, text: string])[] = [
  [/wrong version number|packet length too long/, 'what answers there speaks no TLS'],
  [
    /SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED/,
    'its certificate is not signed by the authority that the kubeconfig names (certificate-authority-data)',
  ],
];

/** Why a connection could not be made, in one line for users. */
export function dialTrouble(error: unknown): string {
  const text = textOf(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return TROUBLES.find(([pattern]) => pattern.test(`${code} ${text}`))?.[1] ?? text;
}
