import { describe, expect, it } from 'vitest';
import { clientCertificate } from '#testing/control-plane/client-certificate';
import { execInfo, readExecCredential } from './exec-credential.js';
import type { ClusterAccess } from './kubeconfig.js';

const V1 = 'client.authentication.k8s.io/v1';
const NOW = Date.parse('2026-01-02T15:04:05Z');
const EXEC = { apiVersion: V1, command: 'plugin' };
const accessOf = (cluster: object, exec: object): ClusterAccess =>
  ({ context: 'c', file: 'f', cluster, user: { exec: { ...EXEC, ...exec } } }) as ClusterAccess;

/** The expected texts were recorded with kubectl 1.32. */
describe('execInfo', () => {
  it('is what client-go gives for a cluster with everything', () => {
    const cluster = {
      server: 'https://127.0.0.1:18299/a/b?x=1',
      'certificate-authority': 'ca.pem',
      'tls-server-name': 'foo.example',
      'proxy-url': 'http://127.0.0.1:1',
      'disable-compression': true,
      extensions: [
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'a', deep: { b: [1, 2] } } },
        { name: 'other', extension: { x: 1 } },
      ],
    };
    expect(execInfo(accessOf(cluster, { provideClusterInfo: true }), Buffer.from('CA'), false)).toBe(
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://127.0.0.1:18299/a/b","tls-server-name":"foo.example","certificate-authority-data":"Q0E=","proxy-url":"http://127.0.0.1:1","disable-compression":true,"config":{"audience":"a","deep":{"b":[1,2]}}},"interactive":false}}\n',
    );
  });

  it('is what client-go gives for a cluster with little', () => {
    const cluster = { server: 'https://127.0.0.1:18299', 'insecure-skip-tls-verify': true, extensions: [null, 'x'] };
    expect(execInfo(accessOf(cluster, { provideClusterInfo: true }), undefined, false)).toBe(
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"cluster":{"server":"https://127.0.0.1:18299","insecure-skip-tls-verify":true,"config":null},"interactive":false}}\n',
    );
  });

  it('says nothing of the cluster unless the plugin is to know it', () => {
    const apiVersion = 'client.authentication.k8s.io/v1beta1';
    expect(execInfo(accessOf({ server: 'https://x' }, { apiVersion }), Buffer.from('CA'), true)).toBe(
      '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","spec":{"interactive":true}}\n',
    );
  });
});

describe('readExecCredential', () => {
  const read = (value: unknown, exec = EXEC) =>
    readExecCredential(typeof value === 'string' ? value : JSON.stringify(value), exec, NOW);
  const credential = (status: unknown, more: object = {}) => ({
    apiVersion: V1,
    kind: 'ExecCredential',
    ...(status === undefined ? {} : { status }),
    ...more,
  });

  it('takes a token with its end, as JSON or YAML', () => {
    const until = Date.parse('2026-01-02T16:00:00Z');
    expect(read(credential({ token: 'abc', expirationTimestamp: '2026-01-02T16:00:00Z' }))).toEqual({
      token: 'abc',
      until,
    });
    const yaml = `apiVersion: ${V1}\nkind: ExecCredential\nstatus:\n  token: abc\n  expirationTimestamp: 2026-01-02T16:00:00Z\n`;
    expect(read(yaml)).toEqual({ token: 'abc', until });
  });

  it('takes a certificate with its key until it ends', async () => {
    const until = new Date('2030-01-02T03:04:05Z');
    const { certPem, keyPem } = await clientCertificate('captain', until);
    const login = read(credential({ clientCertificateData: certPem, clientKeyData: keyPem }));
    expect(login).toEqual({ certificate: { cert: certPem, key: keyPem }, until: until.getTime() });
    const other = (await clientCertificate('mate', until)).keyPem;
    expect(() => read(credential({ clientCertificateData: certPem, clientKeyData: other }))).toThrow(
      'failed: its key does not belong to its certificate',
    );
  });

  it.each([
    ['', 'it printed nothing'],
    [' \n', 'it printed nothing'],
    ['hush', 'its output is not an ExecCredential'],
    ['{"token": "hush"', 'its output is not JSON'],
    ['[]', 'its output is not an ExecCredential'],
    [{ kind: 'Status', apiVersion: 'v1' }, 'its output is not an ExecCredential'],
    [{ kind: 'ExecCredential' }, 'its output is not an ExecCredential'],
    [
      credential({ token: 'hush' }, { apiVersion: 'client.authentication.k8s.io/v1beta1' }),
      `it answered with apiVersion "client.authentication.k8s.io/v1beta1", and the kubeconfig says ${V1}`,
    ],
    [credential(undefined), 'its answer has no status'],
    [credential(null), 'its answer has no status'],
    [credential({}), 'its answer has neither a token nor a certificate with its key'],
    [credential({ token: '' }), 'its answer has neither a token nor a certificate with its key'],
    [credential({ token: null }), 'its answer has neither a token nor a certificate with its key'],
    [credential({ token: 5 }), 'its status.token is not text'],
    [credential('hush'), 'its status is not an object'],
    [credential({ token: 'hush\r\nx: y' }), 'its token has a character that is not allowed in a header'],
    [credential({ clientCertificateData: 'hush' }), 'its answer has a certificate without its key'],
    [credential({ clientKeyData: 'hush' }), 'its answer has a key without its certificate'],
    [
      credential({ clientCertificateData: 'hush', clientKeyData: 'hush' }),
      'its certificate or key cannot be read as PEM',
    ],
    [
      credential({ token: 'hush', expirationTimestamp: 'tomorrow' }),
      'its expirationTimestamp is not a time such as 2026-01-02T15:04:05Z',
    ],
    [
      credential({ token: 'hush', expirationTimestamp: '2026-01-02T15:04:05Z' }),
      'its login expired at 2026-01-02T15:04:05.000Z: log in again, and check the clock of this machine',
    ],
  ])('%j is no login', (value, why) => {
    expect(() => read(value)).toThrow(`failed: ${why}`);
    expect(() => read(value)).toThrow(expect.objectContaining({ message: expect.not.stringMatching(/hush|\n/) }));
  });
});
