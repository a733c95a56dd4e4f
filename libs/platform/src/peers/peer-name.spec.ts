import { describe, expect, it } from 'vitest';
import { HubKey } from '../keys/hub-key.js';
import { ownUrl } from './own-url.js';
import { peerName, peerUrl } from './peer-name.js';

const key = HubKey.random();

describe('the name of a poller', () => {
  it('says where others reach it', () => {
    expect(peerUrl(peerName('host 12 4f1c', 'http://10.0.0.7:8080', key), key)).toBe('http://10.0.0.7:8080');
  });

  it.each([
    { name: 'another URL with the code of a name', of: (name: string) => name.replace('10.0.0.7', '10.6.6.6') },
    { name: 'the URL of another process', of: (name: string) => name.replace('host 12', 'host 13') },
    { name: 'a URL without a code', of: () => 'host 12 4f1c http://10.0.0.7:8080' },
    { name: 'no URL', of: () => 'host 12 4f1c' },
    { name: 'another scheme', of: () => peerName('host 12 4f1c', 'file:///etc', key) },
  ])('$name is not used', ({ of }) => {
    expect(peerUrl(of(peerName('host 12 4f1c', 'http://10.0.0.7:8080', key)), key)).toBeUndefined();
  });

  it('made with another key is not used', () => {
    expect(peerUrl(peerName('host 12', 'http://10.0.0.7:8080', HubKey.random()), key)).toBeUndefined();
  });
});

describe('where other pollers reach this one', () => {
  const settings = { peerAddress: '', bindAddress: '0.0.0.0', catalogPollerPort: 8080, httpTlsCertFile: '' };
  const interfaces = {
    lo: [{ address: '127.0.0.1', internal: true }],
    eth0: [
      { address: 'fe80::1', internal: false },
      { address: 'fd00::7', internal: false },
      { address: '10.0.0.7', internal: false },
    ],
    eth1: [{ address: '10.9.9.9', internal: false }],
  };

  it.each([
    { because: 'all addresses', set: {}, url: 'http://10.0.0.7:8080' },
    { because: 'HTTPS', set: { httpTlsCertFile: 'tls.crt' }, url: 'https://10.0.0.7:8080' },
    { because: 'one address', set: { bindAddress: '127.0.0.1' }, url: 'http://127.0.0.1:8080' },
    { because: 'the setting', set: { peerAddress: 'fd00::9' }, url: 'http://[fd00::9]:8080' },
    { because: 'any free port', set: { catalogPollerPort: 0 }, url: undefined },
  ])('$because: $url', ({ set, url }) => {
    expect(ownUrl({ ...settings, ...set }, interfaces)).toBe(url);
  });

  it('is IPv6 where there is nothing else, and nothing where there is only loopback', () => {
    const [local, other] = interfaces.eth0;
    expect(ownUrl(settings, { eth0: local && other && [local, other] })).toBe('http://[fd00::7]:8080');
    expect(ownUrl(settings, { lo: interfaces.lo })).toBeUndefined();
  });
});
