import { describe, expect, it } from 'vitest';
import { unsafeServer } from './server-url.js';

describe('the server of a kubeconfig in a Secret', () => {
  it.each([
    ...['http://store-01.example', 'http://10.0.0.1:6443', 'http://localhost.example', 'http://127.0.0.1.example'],
  ])('%s is refused: without TLS', (server) => {
    expect(unsafeServer(server)).toContain('without TLS');
  });

  it.each([
    ...['https://169.254.169.254', 'http://169.254.169.254', '169.254.1.1:6443', 'https://[fe80::1]:6443'],
    ...['https://2852039166', 'https://0xa9.0xfe.0xa9.0xfe', 'https://[::ffff:169.254.169.254]'],
    ...['https://100.100.100.200', 'https://168.63.129.16', 'https://[fd00:ec2::254]', 'https://0.0.0.0:6443'],
    ...['https://224.0.0.1', 'https://255.255.255.255', 'https://user:password@169.254.169.254/path'],
  ])('%s is refused: no cluster is there', (server) => {
    expect(unsafeServer(server)).toContain('link-local or metadata address');
  });

  it.each([
    ...['https://store-01.example', 'store-01.example:6443', 'https://10.0.0.1:6443', 'https://[fd12::1]:6443'],
    ...['https://127.0.0.1:6443', 'http://127.0.0.1:8080', 'http://localhost:8080', 'http://[::1]:8080', 'no url'],
  ])('%s may get the login', (server) => {
    expect(unsafeServer(server)).toBeUndefined();
  });
});
