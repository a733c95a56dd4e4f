import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CERTIFICATE_DAYS } from '#core/classic/csv/certificates/serving-certificate';
import { CA_KEY } from '#core/classic/csv/certificates/serving-names';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { issueServingCertificate } from '#platform/keys/issue-serving-certificate';
import { ExtensionEnvironment, NAMESPACE } from '../extensions/extension-environment.fixture.js';
import type { ExtensionPass } from '../extensions/extension-pass.js';
import { webhookCertificates } from './webhook-certificates.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const HOST = `gear-service.${NAMESPACE}`;
const SERVICE = {
  deployment: 'gear',
  namespace: NAMESPACE,
  name: 'gear-service',
  secretName: 'gear-service-cert',
  selector: { app: 'gear' },
  ports: [{ port: 443, targetPort: 443 }],
  hosts: [HOST, `${HOST}.svc`, `${HOST}.svc.cluster.local`],
};
const SECRET = { apiVersion: 'v1', kind: 'Secret', name: SERVICE.secretName, namespace: NAMESPACE };

let env: ExtensionEnvironment;
let pass: ExtensionPass;
beforeAll(async () => {
  env = await ExtensionEnvironment.start();
  env.extension();
});
afterAll(() => env.stop());
beforeEach(async () => {
  pass = await env.round();
  await env.client.delete(SECRET);
});

const later = (days: number): ExtensionPass => ({ ...pass, now: new Date(pass.now.getTime() + days * DAY_MS) });
const textOf = (secret: KubernetesObject | undefined, key: string) =>
  Buffer.from(Object(secret?.['data'])[key] ?? '', 'base64').toString();
/** Stores what is asked for; answers the certificates of the Secrets. */
async function rollOut(at = pass): Promise<string[]> {
  const { secrets } = await webhookCertificates(at, [SERVICE]);
  for (const secret of secrets) {
    await env.client.delete(SECRET);
    env.add(secret);
  }
  return secrets.map((secret) => textOf(secret, 'tls.crt'));
}

describe('certificates for the webhooks of an extension', () => {
  it('are none where no Deployment has webhooks', async () => {
    expect(await webhookCertificates(pass, [])).toEqual({ secrets: [], authorities: new Map(), until: undefined });
  });

  it('are issued for the Service, by an authority that the webhooks get', async () => {
    const { secrets, authorities, until } = await webhookCertificates(pass, [SERVICE]);
    const [secret] = secrets;
    expect(secret).toMatchObject({ type: 'kubernetes.io/tls', metadata: { name: SECRET.name, namespace: NAMESPACE } });
    const certificate = new X509Certificate(textOf(secret, 'tls.crt'));
    expect(SERVICE.hosts.map((host) => certificate.checkHost(host))).toEqual(SERVICE.hosts);
    expect(authorities.get(SERVICE.secretName)).toBe(textOf(secret, CA_KEY));
    expect(certificate.verify(new X509Certificate(textOf(secret, CA_KEY)).publicKey)).toBe(true);
    const left = (until?.getTime() ?? 0) - pass.now.getTime();
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(CERTIFICATE_DAYS * DAY_MS);
  });

  it('are used again while they are valid', async () => {
    const first = await rollOut();
    expect(await rollOut(later(30))).toEqual(first);
  });

  it('are replaced before they expire, at the time that was announced', async () => {
    const { until } = await webhookCertificates(pass, [SERVICE]);
    const first = await rollOut();
    const days = ((until?.getTime() ?? 0) - pass.now.getTime()) / DAY_MS;
    expect(await rollOut(later(days - 1))).toEqual(first);
    expect(await rollOut(later(days + 1))).not.toEqual(first);
  });

  it.each<[what: string, data: () => Promise<Record<string, string>>]>([
    ['is no certificate', async () => ({ 'tls.crt': 'bm9uZQ==', 'tls.key': 'bm9uZQ==', [CA_KEY]: 'bm9uZQ==' })],
    ['lacks its authority', async () => ({ 'tls.crt': '', 'tls.key': '' })],
    [
      'is for other hosts',
      async () => {
        const { certPem, keyPem, caPem } = await issueServingCertificate(['another.host'], pass.now);
        const texts = { 'tls.crt': certPem, 'tls.key': keyPem, [CA_KEY]: caPem };
        return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)]));
      },
    ],
  ])('are issued anew where what the Secret holds %s', async (_, data) => {
    const { name, namespace } = SECRET;
    env.add({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name, namespace }, data: await data() });
    const { secrets } = await webhookCertificates(pass, [SERVICE]);
    expect(new X509Certificate(textOf(secrets[0], 'tls.crt')).checkHost(HOST)).toBe(HOST);
  });
});
