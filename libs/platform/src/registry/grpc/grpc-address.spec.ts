import { describe, expect, it } from 'vitest';
import { RegistryError } from '../client/registry-client.port.js';
import { isClusterLocal, parseGrpcAddress } from './grpc-address.js';

describe('parseGrpcAddress', () => {
  it.each([
    { text: 'catalog.test:50051', host: 'catalog.test', port: 50_051 },
    { text: 'catalog:1', host: 'catalog', port: 1 },
    { text: '10.0.0.7:65535', host: '10.0.0.7', port: 65_535 },
    { text: '[fd00::7]:50051', host: '[fd00::7]', port: 50_051 },
    { text: '[::ffff:10.0.0.7]:50051', host: '[::ffff:10.0.0.7]', port: 50_051 },
    { text: 'my_catalog.olm.svc:50051', host: 'my_catalog.olm.svc', port: 50_051 },
    { text: 'c:00080', host: 'c', port: 80 },
  ])('$text', ({ text, host, port }) => {
    expect(parseGrpcAddress(text)).toEqual({ text, host, port, target: `dns:${host}:${port}` });
  });

  it.each([
    { text: '', because: 'nothing' },
    { text: 'catalog.test', because: 'no port' },
    { text: 'catalog.test:', because: 'an empty port' },
    { text: ':50051', because: 'no host' },
    { text: 'catalog.test:0', because: 'port 0' },
    { text: 'catalog.test:65536', because: 'a port that is too high' },
    { text: 'catalog.test:http', because: 'the name of a port' },
    { text: 'catalog.test:-1', because: 'a port below 0' },
    { text: 'unix:/run/containerd.sock', because: 'a socket file' },
    { text: 'unix:///run/x:1', because: 'a socket file as a URL' },
    { text: 'dns:catalog.test:50051', because: 'a scheme' },
    { text: 'https://catalog.test:50051', because: 'a URL' },
    { text: 'catalog.test:50051/path', because: 'a path' },
    { text: 'user@catalog.test:50051', because: 'a user' },
    { text: 'fd00::7:50051', because: 'IPv6 without brackets' },
    { text: '[catalog.test]:50051', because: 'a name in brackets' },
    { text: '-catalog.test:50051', because: 'a hyphen first' },
    { text: 'catalog.test.:50051', because: 'a dot last' },
    { text: 'catalog test:50051', because: 'white space' },
    { text: 'catalog.test:50051\n', because: 'a second line' },
    { text: `${'a'.repeat(300)}:50051`, because: 'more than is read' },
  ])('refuses $because', ({ text }) => {
    expect(() => parseGrpcAddress(text)).toThrow(
      expect.objectContaining({ failure: 'InvalidReference', message: expect.stringContaining('expected HOST:PORT') }),
    );
  });

  it('quotes no more than the beginning', () => {
    const long = 'x'.repeat(10_000);
    const error = (() => {
      try {
        return parseGrpcAddress(long);
      } catch (caught) {
        return caught;
      }
    })();
    expect(error).toBeInstanceOf(RegistryError);
    expect(error instanceof RegistryError && [error.message.length < 400, error.reference.length]).toEqual([true, 300]);
  });
});

describe('isClusterLocal', () => {
  it.each([
    { host: 'catalog.olm.svc', local: true },
    { host: 'catalog.olm.svc.cluster.local', local: true },
    { host: 'catalog.olm.svc.other.domain', local: true },
    { host: 'pod.cluster.local', local: true },
    { host: 'catalog.test', local: false },
    { host: 'svc.test', local: false },
    { host: 'catalog.svc-a.test', local: false },
    { host: 'cluster.local.test', local: false },
    { host: '10.0.0.7', local: false },
  ])('$host: $local', ({ host, local }) => {
    expect(isClusterLocal(host)).toBe(local);
  });
});
