import { describe, expect, it } from 'vitest';
import { isHostAnswered } from './host-rule.js';

describe('a request to a service that listens on loopback', () => {
  it.each([
    ...['127.0.0.1:8080', '[::1]:8080', 'localhost', 'LOCALHOST.:8080', 'hub.localhost:1', '10.0.0.1'].map((host) => ({
      host,
      answered: true,
    })),
    { host: undefined, answered: true },
    { host: 'hub.example.com:443', answered: true },
    ...['evil.example', '127.0.0.1.evil.example:8080', 'localhost.evil.example', '', 'hub.example.com.evil'].map(
      (host) => ({ host, answered: false }),
    ),
  ])('with host $host: $answered', ({ host, answered }) => {
    expect(isHostAnswered(host, '127.0.0.1', ['Hub.example.com'])).toBe(answered);
  });

  it('is answered whatever its host where the service listens on all addresses', () => {
    expect(isHostAnswered('flotilla.hub.svc:8080', '0.0.0.0', [])).toBe(true);
  });
});
