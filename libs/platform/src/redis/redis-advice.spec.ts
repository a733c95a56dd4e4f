import { describe, expect, it } from 'vitest';
import { withAdvice } from './redis-advice.js';

const failure = (message: string, code?: string) =>
  Object.assign(new Error(message), code === undefined ? {} : { code });

describe('an error of the connection to Redis', () => {
  it.each([
    {
      error: failure('WRONGPASS invalid username-password pair or user is disabled.'),
      to: /disabled: check FLOTILLA_REDIS_USER and/,
    },
    { error: failure('NOAUTH Authentication required.'), to: /required: .*set FLOTILLA_REDIS_PASSWORD_FILE$/ },
    {
      error: failure('NOAUTH HELLO must be called with the client already authenticated'),
      to: /^NOAUTH Auth.*PASSWORD_FILE$/,
    },
    { error: failure('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED'), to: /:1: check that Redis runs there/ },
    { error: failure('getaddrinfo ENOTFOUND redis', 'ENOTFOUND'), to: /check the host in FLOTILLA_REDIS_URL$/ },
    {
      error: failure('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'),
      to: /set FLOTILLA_REDIS_CA_FILE to its authority$/,
    },
    {
      error: failure("Hostname/IP does not match certificate's altnames", 'ERR_TLS_CERT_ALTNAME_INVALID'),
      to: /use the name of its certificate in/,
    },
    {
      error: failure('SSL routines:tls_validate_record_header:wrong version number', 'ERR_SSL_X'),
      to: /write redis:\/\//,
    },
    {
      error: failure('SSL routines:tlsv13 alert certificate required', 'ERR_SSL_X'),
      to: /set FLOTILLA_REDIS_CERT_FILE/,
    },
    {
      error: failure('failed to connect to sentinel a:1 because WRONGPASS invalid password.'),
      to: /sentinel a:1 .*: check FLOTILLA_REDIS_SENTINEL_USER and/,
    },
    {
      error: failure('Unknown RESP type 72 "H". Please report this'),
      to: /^the server there is not Redis: set FLOTILLA_REDIS_URL to a Redis server$/,
    },
    { error: failure('Command timed out'), to: /^no answer in time: check that Redis runs there, / },
    {
      error: failure('connected to sentinel a:1 successfully, but got an invalid reply: null'),
      to: /^the Sentinel at a:1 knows no master of this name: check the name in FLOTILLA_REDIS_URL$/,
    },
  ])('comes with what to do: $error.message', ({ error, to }) => {
    expect(withAdvice(error)).toMatch(to);
  });

  it('that is not known stays as it is', () => {
    expect(withAdvice(new Error('something else'))).toBe('something else');
  });
});
