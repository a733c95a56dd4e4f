import { describe, expect, it } from 'vitest';
import { parseImageReference } from '../client/image-reference.js';
import { RegistryError } from '../client/registry-client.port.js';
import { parseChallenge, tokenRequest } from '../http/registry-auth.js';
import { credentialsOf } from './docker-config.js';
import { loginFor } from './registry-credentials.js';

const login = (username: string) => ({ username, password: 'p' });

describe('loginFor', () => {
  it.each([
    { keys: ['quay.io'], image: 'quay.io/a/b', chosen: 'quay.io', because: 'the host matches' },
    { keys: ['quay.io', 'quay.io/a'], image: 'quay.io/a/b', chosen: 'quay.io/a', because: 'the longer path wins' },
    { keys: ['quay.io/a'], image: 'quay.io/ab/c', chosen: undefined, because: 'a path ends at a slash' },
    {
      keys: ['*.example.test', 'r.example.test'],
      image: 'r.example.test/a',
      chosen: 'r.example.test',
      because: 'exact before *',
    },
    { keys: ['*.example.test'], image: 'a.b.example.test/a', chosen: undefined, because: '* is one part of the host' },
    {
      keys: ['https://index.docker.io/v1/'],
      image: 'busybox',
      chosen: 'https://index.docker.io/v1/',
      because: "Docker Hub's own key",
    },
    {
      keys: ['https://quay.io/v2/'],
      image: 'quay.io/a',
      chosen: 'https://quay.io/v2/',
      because: 'a URL counts by its host',
    },
    { keys: ['quay.io'], image: 'quay.io:5000/a', chosen: undefined, because: 'the port belongs to the host' },
  ])('$image with $keys: $because', ({ keys, image, chosen }) => {
    const credentials = Object.fromEntries(keys.map((key) => [key, login(key)]));
    expect(loginFor(parseImageReference(image), credentials)).toEqual(chosen === undefined ? undefined : login(chosen));
  });
});

describe('credentialsOf', () => {
  const auth = Buffer.from('me:pass:word').toString('base64');
  const me = { username: 'me', password: 'pass:word' };
  const token = Buffer.from('<token>:t').toString('base64');
  it.each([
    { because: '.dockerconfigjson', text: { auths: { h: { auth } } }, login: me },
    { because: '.dockercfg', text: { h: { auth } }, login: me },
    { because: 'user and password apart', text: { auths: { h: { ...me } } }, login: me },
    { because: 'an entry without login', text: { auths: { h: {} } }, login: undefined },
    {
      because: 'an identity token before the user beside it',
      text: { auths: { h: { auth, identitytoken: 't' } } },
      login: { identityToken: 't' },
    },
    {
      because: 'a registry token before all',
      text: { auths: { h: { auth, registrytoken: 't' } } },
      login: { registryToken: 't' },
    },
    { because: 'the user <token> means one', text: { auths: { h: { auth: token } } }, login: { identityToken: 't' } },
    {
      because: 'a helper that is not needed does no harm',
      text: { auths: { h: { auth } }, credsStore: 'desktop', credHelpers: { h: 'ecr-login' } },
      login: me,
    },
  ])('$because', ({ text, login }) => {
    expect(credentialsOf(JSON.stringify(text))['h']).toEqual(login);
  });

  it.each([
    { because: 'for all hosts', text: { auths: { h: {} }, credsStore: 'desktop' }, says: '"h".*"desktop"' },
    { because: 'for one host', text: { auths: {}, credHelpers: { h: 'ecr-login' } }, says: '"h".*"ecr-login"' },
    { because: 'without auths', text: { credHelpers: { h: 'gcloud' } }, says: '"h".*"gcloud"' },
  ])('refuses a secret that needs a program of another machine: $because', ({ text, says }) => {
    expect(() => credentialsOf(JSON.stringify(text))).toThrow(new RegExp(`${says}.*kubectl create secret`));
  });

  it.each([
    { because: 'no JSON', text: 'hunter2' },
    { because: 'another shape', text: '["hunter2"]' },
    {
      because: 'an auth without colon',
      text: JSON.stringify({ auths: { h: { auth: Buffer.from('hunter2').toString('base64') } } }),
    },
  ])('refuses without quoting the secret: $because', ({ text }) => {
    expect(() => credentialsOf(text)).toThrow(/^the pull secret(?!.*(hunter2|aHVudGVyMg)).*$/);
  });
});

describe('the login of a registry', () => {
  const refuse = (failure: RegistryError['failure'], message: string) => new RegistryError(failure, 'image', message);

  it.each([
    {
      header: 'Bearer realm="https://auth.test/token",service="r.test",scope="a:b,c"',
      challenge: { scheme: 'bearer', realm: 'https://auth.test/token', service: 'r.test', scope: 'a:b,c' },
    },
    { header: 'bearer realm="https://a.test"', challenge: { scheme: 'bearer', realm: 'https://a.test' } },
    {
      header: 'Basic realm="r", Bearer realm="https://a.test"',
      challenge: { scheme: 'bearer', realm: 'https://a.test' },
    },
    { header: 'Basic realm="r"', challenge: { scheme: 'basic' } },
    { header: 'Negotiate', challenge: { scheme: 'unknown' } },
    { header: '', challenge: { scheme: 'unknown' } },
  ])('reads the challenge $header', ({ header, challenge }) => {
    expect(parseChallenge(header)).toEqual(challenge);
  });

  it.each([
    {
      realm: 'http://auth.test/token',
      says: 'not HTTPS: credentials are not sent there',
      because: 'plain HTTP elsewhere',
    },
    { realm: 'file:///etc/passwd', says: 'not HTTP', because: 'another scheme' },
    { realm: 'auth.test', says: 'not a URL', because: 'no URL' },
  ])('sends no password to $realm: $because', ({ realm, says }) => {
    const query = {
      challenge: { scheme: 'bearer', realm } as const,
      scope: 's',
      login: login('me'),
      asked: new URL('http://r.test'),
    };
    expect(() => tokenRequest(query, refuse)).toThrow(says);
  });

  it.each(['http://auth.test/token', 'http://127.0.0.1:9/token'])(
    'asks no token server without TLS for a registry that has it, with a login or without: %s',
    (realm) => {
      const query = { challenge: { scheme: 'bearer', realm } as const, scope: 's', asked: new URL('https://r.test') };
      for (const one of [undefined, login('me')]) {
        expect(() => tokenRequest({ ...query, login: one }, refuse)).toThrow('not HTTPS');
      }
    },
  );
});
