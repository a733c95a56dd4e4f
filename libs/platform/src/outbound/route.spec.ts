import { describe, expect, it } from 'vitest';
import { grpcRouteTo, proxyAddress, routeText, routeThrough, routeTo } from './route.js';

const PROXY = 'http://proxy.test:3128';

describe('routeTo', () => {
  it.each([
    { because: 'no environment', url: 'https://r.test', env: {}, proxy: undefined },
    { because: 'by scheme: HTTPS', url: 'https://r.test', env: { HTTPS_PROXY: PROXY }, proxy: `${PROXY}/` },
    { because: 'by scheme: HTTP', url: 'http://r.test', env: { HTTPS_PROXY: PROXY }, proxy: undefined },
    { because: 'small letters', url: 'https://r.test', env: { https_proxy: PROXY }, proxy: `${PROXY}/` },
    {
      because: 'capitals first',
      url: 'http://r.test',
      env: { http_proxy: 'http://other.test', HTTP_PROXY: PROXY },
      proxy: `${PROXY}/`,
    },
    { because: 'without a scheme', url: 'https://r.test', env: { HTTPS_PROXY: 'proxy.test:3128' }, proxy: `${PROXY}/` },
    { because: 'not for this machine', url: 'http://127.0.0.1:5000', env: { HTTP_PROXY: PROXY }, proxy: undefined },
    { because: 'nor its name', url: 'http://localhost:5000', env: { HTTP_PROXY: PROXY }, proxy: undefined },
    { because: 'nor its IPv6 address', url: 'http://[::1]:5000', env: { HTTP_PROXY: PROXY }, proxy: undefined },
    { because: 'what is no URL is passed over', url: 'https://r.test', env: { HTTPS_PROXY: ':::' }, proxy: undefined },
  ])('$because', ({ url, env, proxy }) => {
    expect(routeTo(new URL(url), env).proxy?.href).toBe(proxy);
  });

  it.each([
    { noProxy: '*', host: 'r.test', exempt: true, because: 'a star is everything' },
    { noProxy: 'r.test', host: 'r.test', exempt: true, because: 'the name' },
    { noProxy: 'R.TEST', host: 'r.test', exempt: true, because: 'case means nothing' },
    { noProxy: 'r.test', host: 'a.r.test', exempt: true, because: 'names below it' },
    { noProxy: 'r.test', host: 'ar.test', exempt: false, because: 'parts of a name are whole' },
    { noProxy: '.r.test', host: 'a.r.test', exempt: true, because: 'a dot: below' },
    { noProxy: '.r.test', host: 'r.test', exempt: false, because: 'a dot: not itself' },
    { noProxy: '*.r.test', host: 'a.r.test', exempt: true, because: 'a star and a dot are as a dot' },
    { noProxy: 'r.test:5000', host: 'r.test:5000', exempt: true, because: 'the port named' },
    { noProxy: 'r.test:5000', host: 'r.test', exempt: false, because: 'another port' },
    { noProxy: 'r.test:443', host: 'r.test', exempt: true, because: 'the port of the scheme' },
    { noProxy: 'a.test, ,r.test ', host: 'r.test', exempt: true, because: 'spaces and empty parts' },
    {
      noProxy: '10.0.0.0/16',
      host: '10.0.3.4',
      exempt: true,
      because: 'an address in a range, as OpenShift writes them',
    },
    { noProxy: '10.0.0.0/16', host: '10.1.3.4', exempt: false, because: 'an address out of it' },
    { noProxy: '10.0.0.0/99', host: '10.0.3.4', exempt: false, because: 'a range that is none' },
    { noProxy: 'fd00::/8', host: '[fd00::1]', exempt: true, because: 'IPv6 ranges' },
    { noProxy: '10.0.0.1', host: '10.0.0.1:5000', exempt: true, because: 'an address' },
    { noProxy: '10.0.0.1', host: '10.0.0.11', exempt: false, because: 'another address' },
    { noProxy: '10.9.8.7/08', host: '10.0.3.4', exempt: true, because: 'a range of any of its addresses' },
    { noProxy: 'fe80::1%eth0', host: '[fe80::1]', exempt: false, because: 'no address with a zone' },
    { noProxy: 'http://10.0.0.1,;r.test', host: '10.0.0.1', exempt: false, because: 'no URL' },
  ])('NO_PROXY=$noProxy and $host: $because', ({ noProxy, host, exempt }) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const found = routeTo(new URL(`https://${host}`), { HTTPS_PROXY: PROXY, [name]: noProxy }).proxy;
      expect(found === undefined).toBe(exempt);
    }
  });
});

describe('grpcRouteTo', () => {
  const target = { hostname: 'catalog.test', port: 50051 };
  it.each([
    { because: 'capitals', env: { GRPC_PROXY: PROXY }, proxy: `${PROXY}/` },
    { because: 'small letters', env: { grpc_proxy: PROXY }, proxy: `${PROXY}/` },
    {
      because: 'the proxy of the web does not count',
      env: { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY },
      proxy: undefined,
    },
    { because: 'unless exempt', env: { GRPC_PROXY: PROXY, NO_PROXY: '.test' }, proxy: undefined },
  ])('$because', ({ env, proxy }) => {
    expect(grpcRouteTo(target, env).proxy?.href).toBe(proxy);
  });
});

describe('routeText', () => {
  const server = new URL('https://10.1.2.3:6443');
  it.each([
    { env: {}, says: 'directly: HTTPS_PROXY is not set' },
    { env: { https_proxy: PROXY, NO_PROXY: 'x,10.0.0.0/8 ' }, says: 'directly: NO_PROXY has 10.0.0.0/8' },
    { env: { HTTPS_PROXY: 'http://user:hush@[' }, says: 'directly: HTTPS_PROXY is not a URL' },
    {
      env: { HTTPS_PROXY: '', https_proxy: 'http://user:hush@proxy.test:3128' },
      says: 'through the proxy proxy.test:3128: https_proxy is set, and NO_PROXY is not set',
    },
    {
      env: { HTTPS_PROXY: PROXY, NO_PROXY: '', no_proxy: '10.2.0.0/16' },
      says: 'through the proxy proxy.test:3128: HTTPS_PROXY is set, and no_proxy does not have 10.1.2.3',
    },
  ])('says $says', ({ env, says }) => {
    expect(routeText(routeTo(server, env))).toBe(says);
  });

  it('says nothing of this machine itself, which no proxy is asked for', () => {
    expect(routeText(routeTo(new URL('https://localhost:6443'), { HTTPS_PROXY: PROXY }))).toBeUndefined();
  });

  it('names what names the proxy', () => {
    const route = routeThrough(new URL('socks5://u:hush@proxy.test:1080'), 'proxy-url of its kubeconfig');
    expect(routeText(route)).toBe('through the proxy proxy.test:1080: proxy-url of its kubeconfig');
  });
});

describe('proxyAddress', () => {
  it.each([
    { text: 'proxy:3128', is: 'http://proxy:3128/' },
    { text: 'socks5://p:1', is: 'socks5://p:1' },
    { text: 'http://[', is: undefined },
    { text: 'socks5://', is: undefined },
  ])('$text', ({ text, is }) => {
    expect(proxyAddress(text)?.href).toBe(is);
  });
});
