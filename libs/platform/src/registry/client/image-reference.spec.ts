import { describe, expect, it } from 'vitest';
import { parseImageReference } from './image-reference.js';

const digest = `sha256:${'a'.repeat(64)}`;

describe('parseImageReference', () => {
  it.each([
    { text: 'busybox', host: 'docker.io', repository: 'library/busybox', name: 'latest', because: 'all defaults' },
    { text: 'org/app:1', host: 'docker.io', repository: 'org/app', name: '1', because: 'no host: Docker Hub' },
    { text: 'quay.io/a/b', host: 'quay.io', repository: 'a/b', name: 'latest', because: 'a dot makes a host' },
    { text: 'localhost/a:x', host: 'localhost', repository: 'a', name: 'x', because: 'localhost is a host' },
    { text: '127.0.0.1:5000/a/b:v1', host: '127.0.0.1:5000', repository: 'a/b', name: 'v1', because: 'port and tag' },
    { text: '[::1]:5000/a', host: '[::1]:5000', repository: 'a', name: 'latest', because: 'IPv6 with port' },
    { text: `quay.io/a@${digest}`, host: 'quay.io', repository: 'a', name: digest, because: 'by digest: no tag' },
    { text: `quay.io/a:v1@${digest}`, host: 'quay.io', repository: 'a', name: digest, because: 'the digest wins' },
  ])('$text: $because', ({ text, host, repository, name }) => {
    const parsed = parseImageReference(text);
    expect({ host: parsed.host, repository: parsed.repository, name: parsed.digest ?? parsed.tag }).toEqual({
      host,
      repository,
      name,
    });
  });

  it.each([
    { text: '', because: 'it is empty' },
    { text: 'quay.io/Upper/case', because: '"Upper" is not a repository name' },
    { text: 'quay.io/a:', because: '"" is not a tag' },
    { text: 'quay.io/a@sha256:123', because: '"sha256:123" is not a sha256 digest' },
    { text: 'https://quay.io/a', because: 'is not a host name' },
    { text: 'quay.io:99999/a', because: '"quay.io:99999" is not a host name' },
    { text: '1.2.3.4.5/a', because: '"1.2.3.4.5" is not a host name' },
    { text: '[:::]/a', because: '"[:::]" is not a host name' },
    { text: 'quay.io/../a', because: '".." is not a repository name' },
    { text: `quay.io/${'a'.repeat(600)}`, because: 'longer than 512 characters' },
  ])('refuses $text: $because', ({ text, because }) => {
    expect(() => parseImageReference(text)).toThrow(because);
  });
});
