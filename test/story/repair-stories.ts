import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { CERTIFICATE_DAYS } from '#core/classic/csv/certificates/serving-certificate';
import { PATIENCE } from '#testing/patience';
import { type ExtensionFixture, type Puts, packageBlobs } from './extension-fixture.js';

const DAY_MS = 24 * 60 * 60 * 1_000;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Repairs without a request: Secrets of bundles, certificates of webhooks. `passLater`: the applier makes a
 * pass over an extension as at that time.
 */
export function describeRepairs(
  fixture: () => ExtensionFixture,
  { bundle, putCatalog }: Puts,
  passLater: (extension: string, at: Date) => Promise<void>,
): void {
  async function install(name: string, contents: Omit<Parameters<Puts['bundle']>[0], 'name' | 'version'>) {
    const image = await bundle({ name, version: '1.0.0', ...contents });
    await fixture().catalog(`${name}-shelf`, await putCatalog(name, packageBlobs(name, [{ version: '1.0.0', image }])));
    await fixture().namespace(`${name}-home`);
    await fixture().extension(name, `${name}-home`, { packageName: name });
    await expect.poll(() => fixture().installState(name), PATIENCE).toBe('1.0.0 True Succeeded');
  }

  it.each([
    { name: 'key', form: { data: { password: base64('right') } } },
    { name: 'lock', form: { stringData: { password: 'right' } } },
  ])('puts right what a user changes in a Secret of a bundle: $form', async ({ name, form }) => {
    await install(name, { more: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: `${name}-made` }, ...form }] });
    const secret = { apiVersion: 'v1', kind: 'Secret', name: `${name}-made`, namespace: `${name}-home` };
    const data = async () => Object((await fixture().client.get(secret))?.['data']);
    expect(await data()).toEqual({ password: base64('right') });
    await fixture().client.patch(secret, { data: { password: base64('wrong'), other: base64('stays') } });
    await expect.poll(data, PATIENCE).toEqual({ password: base64('right'), other: base64('stays') });
    await fixture().client.delete(secret);
    await expect.poll(data, PATIENCE).toEqual({ password: base64('right') });
    expect(await fixture().lifecycles(name)).toEqual(['1 Active']);
  });

  it('replaces the certificate of a webhook before it ends, in a new revision', async () => {
    await install('watch', { webhook: true });
    const secret = { apiVersion: 'v1', kind: 'Secret', name: 'watch-operator-service-cert', namespace: 'watch-home' };
    const served = async () => {
      const data = Object((await fixture().client.get(secret))?.['data']);
      return Buffer.from(String(data['tls.crt']), 'base64').toString();
    };
    const first = new X509Certificate(await served());
    await passLater('watch', new Date());
    expect(await fixture().lifecycles('watch')).toEqual(['1 Active']);
    const late = new Date(Date.now() + (CERTIFICATE_DAYS - 0.5) * DAY_MS);
    // A pass that is held up at its questions leaves the rest to the next one.
    const passed = async () => {
      if ((await fixture().lifecycles('watch')).length === 1) await passLater('watch', late);
      return fixture().lifecycles('watch');
    };
    await expect.poll(passed, PATIENCE).toEqual(['1 Archived', '2 Active']);
    await expect.poll(() => fixture().installState('watch'), PATIENCE).toBe('1.0.0 True Succeeded');
    const fresh = new X509Certificate(await served());
    expect(fresh.fingerprint256).not.toBe(first.fingerprint256);
    expect([fresh.validFromDate <= late, fresh.subjectAltName]).toEqual([true, first.subjectAltName]);
    expect(fresh.validToDate.getTime()).toBeGreaterThan(late.getTime() + (CERTIFICATE_DAYS - 1) * DAY_MS);
    const kind = 'ValidatingWebhookConfiguration';
    const called = await fixture().get('admissionregistration.k8s.io/v1', kind, 'vwatch.lamps.example.com');
    const [webhook] = Object(called?.['webhooks']);
    const authority = new X509Certificate(Buffer.from(String(webhook?.clientConfig.caBundle), 'base64'));
    expect(fresh.verify(authority.publicKey)).toBe(true);
  });
}
