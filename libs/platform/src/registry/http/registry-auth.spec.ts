import { describe, expect, it } from 'vitest';
import type { Refuse } from '../client/image-manifest.js';
import { RegistryError } from '../client/registry-client.port.js';
import { tokenOf } from './registry-auth.js';

const refuse: Refuse = (failure, message) => new RegistryError(failure, 'r.test/a:v1', message);

describe('the answer of a token server', () => {
  it.each([
    { body: { token: 'a' }, value: 'a', seconds: 60 },
    { body: { access_token: 'b', expires_in: 300 }, value: 'b', seconds: 300 },
    { body: { token: 'x'.repeat(32_768) }, value: 'x'.repeat(32_768), seconds: 60 },
  ])('gives the token and its time', ({ body, value, seconds }) =>
    expect(tokenOf(body, refuse)).toEqual({ value, seconds }),
  );

  it('is refused if the token is longer than any server takes, since tokens are kept (R8)', () => {
    expect(() => tokenOf({ token: 'x'.repeat(32_769) }, refuse)).toThrow(
      expect.objectContaining({
        failure: 'NotARegistry',
        message: 'the token server gave a token of 32769 characters; the limit is 32768',
      }),
    );
  });
});
