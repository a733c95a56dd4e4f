/** Errors of connections and logins, by code or text, and what to do about them. */
const ADVICE: readonly (readonly [error: RegExp, advice: string])[] = [
  [/SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_UNTRUSTED/, 'set FLOTILLA_REDIS_CA_FILE to its authority'],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, 'use the name of its certificate in FLOTILLA_REDIS_URL'],
  [/CERT_HAS_EXPIRED/, 'renew the certificate of Redis'],
  [
    /certificate required/i,
    'Redis asks for a client certificate: set FLOTILLA_REDIS_CERT_FILE and FLOTILLA_REDIS_KEY_FILE',
  ],
  [
    /wrong version number|packet length too long/i,
    'the server does not use TLS: write redis:// instead of rediss:// in FLOTILLA_REDIS_URL',
  ],
  [
    /sentinel.*(WRONGPASS|NOAUTH|no password is set)/s,
    'check FLOTILLA_REDIS_SENTINEL_USER and FLOTILLA_REDIS_SENTINEL_PASSWORD_FILE',
  ],
  [
    /WRONGPASS/,
    'check FLOTILLA_REDIS_USER and FLOTILLA_REDIS_PASSWORD_FILE, or the user and the password in FLOTILLA_REDIS_URL',
  ],
  [/NOAUTH/, 'Redis asks for a password: set FLOTILLA_REDIS_PASSWORD_FILE'],
  [/Unknown RESP type/, 'set FLOTILLA_REDIS_URL to a Redis server'],
  [
    /Command timed out|ETIMEDOUT/,
    'check that Redis runs there, and FLOTILLA_REDIS_URL: rediss:// if Redis uses TLS, otherwise redis://',
  ],
  [/ENOTFOUND|EAI_AGAIN/, 'check the host in FLOTILLA_REDIS_URL'],
  [/ECONNREFUSED/, 'check that Redis runs there, and FLOTILLA_REDIS_URL'],
];

/** Returns the text of a connection's error, with advice if any is known. */
export function withAdvice(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  const about = `${code} ${error.message}`;
  const advice = ADVICE.find(([pattern]) => pattern.test(about))?.[1];
  const text = plainText(error.message).trimEnd().replace(/\.$/, '');
  return advice === undefined ? text : `${text}: ${advice}`;
}

const NO_MASTER = /^connected to sentinel (\S+) successfully, but got an invalid reply: null$/;
/** Errors of HELLO and of other commands; the rest of the text is about the protocol. */
const NO_LOGIN = /NOAUTH (HELLO must|Authentication required)[\s\S]*/;

/** Replaces words of client and server that are long, or not meant for users. */
const plainText = (message: string): string =>
  message
    .replace(NO_MASTER, 'the Sentinel at $1 knows no master of this name: check the name in FLOTILLA_REDIS_URL')
    .replace(NO_LOGIN, 'NOAUTH Authentication required')
    .replace(/^Unknown RESP type.*/s, 'the server there is not Redis')
    .replace(/^(Command timed out|connect ETIMEDOUT)$/, 'no answer in time');
