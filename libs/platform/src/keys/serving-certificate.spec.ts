import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { rotateAt, type ServingCertificate } from '#core/classic/csv/certificates/serving-certificate';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { issueServingCertificate } from './issue-serving-certificate.js';
import { readServingCertificate } from './read-serving-certificate.js';

const NOW = new Date('2026-03-01T10:00:00.700Z');
const HOSTS = ['gear-service.mill', 'gear-service.mill.svc', 'gear-service.mill.svc.cluster.local'];

const secretOf = ({ caPem, certPem, keyPem }: ServingCertificate): KubernetesObject => {
  const data = { 'tls.crt': certPem, 'tls.key': keyPem, olmCAKey: caPem };
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'cert' }, data: Object.fromEntries(encoded) };
};

describe('serving certificates', () => {
  it('are good for 730 days from now, and are replaced a day before they end', async () => {
    const made = await issueServingCertificate(HOSTS, NOW);
    const read = new X509Certificate(made.certPem);
    expect([read.validFromDate.toISOString(), read.validToDate.toISOString()]).toEqual([
      '2026-03-01T10:00:00.000Z',
      '2028-02-29T10:00:00.000Z',
    ]);
    expect(rotateAt(made).toISOString()).toBe('2028-02-28T10:00:00.000Z');
    expect(new X509Certificate(made.caPem).subject).toMatch(/^CN=olm-selfsigned-[0-9a-f]{16}$/);
    expect(made.caHash).toBe(createHash('sha256').update(made.caPem).digest('hex'));
  });

  it('read back as they were made', async () => {
    const made = await issueServingCertificate(HOSTS, NOW);
    expect(readServingCertificate(secretOf(made))).toEqual(made);
  });

  it('let a client that trusts the authority call the service by its name', async () => {
    const made = await issueServingCertificate(HOSTS, new Date());
    const server = createServer({ key: made.keyPem, cert: made.certPem }, (socket) => socket.end('here')).listen(0);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const called = connect({ port, ca: made.caPem, servername: HOSTS[1] ?? '' });
    const [said] = await once(called, 'data');
    expect([called.authorized, String(said)]).toEqual([true, 'here']);
    called.destroy();
    server.close();
  });

  it('of another authority vouch for no host; what is none is not read', async () => {
    const [one, other] = await Promise.all([issueServingCertificate(HOSTS, NOW), issueServingCertificate(HOSTS, NOW)]);
    expect(readServingCertificate(secretOf({ ...one, caPem: other.caPem }))?.hosts).toEqual([]);
    expect(readServingCertificate(secretOf({ ...one, keyPem: other.keyPem }))).toBeUndefined();
    expect(readServingCertificate(secretOf({ ...one, certPem: 'garbage' }))).toBeUndefined();
    expect(readServingCertificate({ apiVersion: 'v1', kind: 'Secret', metadata: {} })).toBeUndefined();
    expect(readServingCertificate(undefined)).toBeUndefined();
  });
});
