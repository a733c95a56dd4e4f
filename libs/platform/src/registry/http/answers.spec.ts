import { describe, expect, it } from 'vitest';
import { networkReason, retryAfterMs, serviceReason } from './answers.js';

describe('retryAfterMs', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    { header: null, ms: undefined, because: 'nothing said' },
    { header: '3', ms: 3_000, because: 'seconds' },
    { header: ' 0 ', ms: 0, because: 'at once' },
    { header: '86400', ms: 30_000, because: 'no registry keeps us waiting a day' },
    { header: 'Thu, 01 Jan 2026 00:00:07 GMT', ms: 7_000, because: 'a date' },
    { header: 'Wed, 31 Dec 2025 00:00:00 GMT', ms: 0, because: 'a date that has passed' },
    { header: 'soon', ms: undefined, because: 'neither' },
  ])('$header: $because', ({ header, ms }) => {
    expect(retryAfterMs(header, now)).toBe(ms);
  });
});

describe('networkReason', () => {
  const failed = (code: string) =>
    new TypeError('fetch failed', { cause: Object.assign(new Error(`raw ${code}`), { code }) });
  it.each([
    { code: 'ECONNREFUSED', reason: 'connection refused', advice: 'the proxy' },
    { code: 'ENOTFOUND', reason: 'no such host', advice: 'the host name' },
    { code: 'CERT_HAS_EXPIRED', reason: 'its certificate has expired', advice: 'FLOTILLA_REGISTRY_CA' },
    {
      code: 'ERR_SSL_WRONG_VERSION_NUMBER',
      reason: 'it does not speak TLS',
      advice: 'FLOTILLA_REGISTRY_PLAIN_HTTP_HOSTS',
    },
    { code: 'EOTHER', reason: 'raw EOTHER', advice: 'the network' },
  ])('$code in words', ({ code, reason, advice }) => {
    expect(networkReason(failed(code))).toEqual({ reason, advice: expect.stringContaining(advice) });
  });

  it.each([
    {
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
      reason: 'its certificate is signed by an unknown authority',
      advice: 'NODE_EXTRA_CA_CERTS',
    },
    { code: 'ERR_SSL_WRONG_VERSION_NUMBER', reason: 'it does not speak TLS', advice: 'http in its address' },
    { code: 'EOTHER', reason: 'EOTHER', advice: 'the network' },
    { code: 'https://user:hush@host', reason: 'the connection failed', advice: 'the network' },
  ])('$code of a service that is no registry, without the text of the error', ({ code, reason, advice }) => {
    expect(serviceReason(failed(code))).toEqual({ reason, advice: expect.stringContaining(advice) });
  });

  it('says in words that fetch asks no port of another protocol', async () => {
    const error = await fetch('http://127.0.0.1:1').catch((reason: unknown) => reason);
    expect(networkReason(error).reason).toBe('this port is reserved for another protocol than HTTP');
  });
});
