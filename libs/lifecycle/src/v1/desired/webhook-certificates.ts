import { isDue, rotateAt, type ServingCertificate } from '#core/classic/csv/certificates/serving-certificate';
import { CA_KEY } from '#core/classic/csv/certificates/serving-names';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import type { WebhookService } from '#core/v1/bundle-render/bundle/webhook-service';
import { issueServingCertificate } from '#platform/keys/issue-serving-certificate';
import { readServingCertificate } from '#platform/keys/read-serving-certificate';
import type { ExtensionPass } from '../extensions/extension-pass.js';

/** Certificates of Flotilla's own for the webhooks of an extension. */
type WebhookCertificates = Readonly<{
  /** Secrets with them, to be applied with the rest of the revision. */
  secrets: readonly KubernetesObject[];
  /** PEM of each one's authority, by the name of the Secret. */
  authorities: ReadonlyMap<string, string>;
  /** Time at which the first of them must be replaced. */
  until: Date | undefined;
}>;

/**
 * Returns certificates for webhooks. Those in the cluster are used again while they are valid; others are
 * issued again.
 */
export async function webhookCertificates(
  pass: ExtensionPass,
  services: readonly WebhookService[],
): Promise<WebhookCertificates> {
  const made = await Promise.all(
    services.map(async (service) => ({ service, certificate: await certificateOf(pass, service) })),
  );
  const times = made.map(({ certificate }) => rotateAt(certificate).getTime());
  return {
    secrets: made.map(({ service, certificate }) => secretOf(service, certificate)),
    authorities: new Map(made.map(({ service, certificate }) => [service.secretName, certificate.caPem])),
    until: times.length === 0 ? undefined : new Date(Math.min(...times)),
  };
}

async function certificateOf({ client, now }: ExtensionPass, service: WebhookService): Promise<ServingCertificate> {
  const { secretName: name, namespace } = service;
  const held = readServingCertificate(await client.get({ ...KIND.Secret, name, namespace }));
  return held === undefined || isDue(held, service, now) ? issueServingCertificate(service.hosts, now) : held;
}

function secretOf(
  { secretName: name, namespace }: WebhookService,
  { certPem, keyPem, caPem }: ServingCertificate,
): KubernetesObject {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  return {
    ...KIND.Secret,
    metadata: { name, namespace },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(certPem), 'tls.key': base64(keyPem), [CA_KEY]: base64(caPem) },
  };
}
