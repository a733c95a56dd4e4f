import { describe, expect, it } from 'vitest';
import { parseSentinelUrl, speaksTls, userOf, withLogin, withoutCredentials, withSentinelLogin } from './redis-url.js';

const NOBODY = { user: '', password: '' };

describe('a Redis URL', () => {
  it('names Sentinels with commas between them, the master and the database', () => {
    expect(parseSentinelUrl('redis+sentinel://me:a%40b%3A@one:1,[::1],three.example/mymaster/2')).toEqual({
      tls: false,
      hosts: [
        { host: 'one', port: 1 },
        { host: '::1', port: 26_379 },
        { host: 'three.example', port: 26_379 },
      ],
      master: 'mymaster',
      db: 2,
      redis: { user: 'me', password: 'a@b:' },
      sentinel: NOBODY,
    });
  });

  it('names the login of the Sentinels in its options', () => {
    expect(parseSentinelUrl('rediss+sentinel://a/m?sentinel_username=s&sentinel_password=p%26q')).toMatchObject({
      tls: true,
      db: 0,
      redis: NOBODY,
      sentinel: { user: 's', password: 'p&q' },
    });
  });

  it.each([
    { url: 'redis+sentinel://one:1', because: /name of the master is missing/ },
    { url: 'redis+sentinel:///mymaster', because: /not HOST:PORT/ },
    { url: 'redis+sentinel://one:99999/mymaster', because: /not HOST:PORT/ },
    { url: 'redis+sentinel://one,,two/mymaster', because: /not HOST:PORT/ },
    { url: 'redis+sentinel://one/mymaster/first', because: /database is not a number/ },
    { url: 'redis+sentinel://one/mymaster?password=SECRET', because: /options only sentinel_username/ },
    { url: 'redis+sentinel://me:SECRET%@one/mymaster', because: /write % as %25/ },
    { url: 'http://me:SECRET@redis', because: /must look like/ },
    { url: 'redis://', because: /must look like/ },
  ])('is refused without a word of it: $url', ({ url, because }) => {
    expect(() => withoutCredentials(url)).toThrow(because);
    expect(() => withoutCredentials(url)).not.toThrow(/SECRET/);
  });

  it.each([
    { url: 'redis://me:own@redis:1/2', shown: 'redis://redis:1/2', user: 'me', tls: false },
    { url: 'rediss://redis', shown: 'rediss://redis', user: 'default', tls: true },
    {
      url: 'rediss+sentinel://me:own@a:1,[::2]/m/3?sentinel_username=s&sentinel_password=p',
      shown: 'rediss+sentinel://a:1,[::2]:26379/m/3',
      user: 'me',
      tls: true,
    },
  ])('is shown without logins: $shown', ({ url, shown, user, tls }) => {
    expect(withoutCredentials(url)).toBe(shown);
    expect(userOf(url)).toBe(user);
    expect(speaksTls(url)).toBe(tls);
  });

  it('takes another login for Redis, and one for the Sentinels, which stay apart', () => {
    const url = withSentinelLogin(withLogin('redis+sentinel://me:old@a/m', { password: 'n/w @' }), {
      user: 's',
      password: 'p +',
    });
    expect(parseSentinelUrl(url)).toMatchObject({
      redis: { user: 'me', password: 'n/w @' },
      sentinel: { user: 's', password: 'p +' },
    });
  });
});
