import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { type IssuedCertificate, issueCertificate } from '#testing/signatures/issue-certificates';
import { putReferrer } from '#testing/signatures/sign-content';
import { JWS_TYPE, NOTATION_TYPE, notationEnvelope } from '#testing/signatures/sign-notation';
import { HttpRegistryClient } from '../http-registry-client.js';
import { buildImage } from '../image-builder.js';
import { ContentAdmission } from './content-admission.js';
import { readSignaturePolicy } from './policy-file.js';

const SUBJECT = 'CN=release, O=Mill\\, Ltd, C=CH';
type Chain = readonly [IssuedCertificate, ...IssuedCertificate[]];

let registry: InMemoryRegistry;
let folder: string;
let root: IssuedCertificate;
let middle: IssuedCertificate;
let leaf: IssuedCertificate;
let last = 0;
beforeAll(async () => {
  registry = await startRegistry({ referrers: true });
  folder = await mkdtemp(join(tmpdir(), 'flotilla-notation-'));
  root = await issueCertificate({ subject: 'CN=root', isAuthority: true });
  middle = await issueCertificate({ subject: 'CN=middle', isAuthority: true, pathLength: 0, by: root });
  leaf = await issueCertificate({ subject: SUBJECT, by: middle });
  await writeFile(join(folder, 'ca.crt'), root.certificate.toString('pem'));
});
afterAll(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function pushed() {
  last += 1;
  const repository = `mill/catalog${last}`;
  const image = await buildImage({ files: [{ path: 'a', bytes: Buffer.from(repository) }], labels: {} });
  const digest = registry.put(`${repository}:1`, image);
  return { repository, digest, reference: `${registry.host}/${repository}:1` };
}

type Pushed = Awaited<ReturnType<typeof pushed>>;
const put = ({ repository, digest }: Pushed, content: Buffer, layerType: string = JWS_TYPE) =>
  putReferrer(registry, repository, digest, { type: NOTATION_TYPE, content, layerType });

async function clientWith(subject?: string, now?: Date) {
  const file = join(folder, 'policy.yaml');
  const notation = { certificates: { file: 'ca.crt' }, ...(subject && { subject }) };
  await writeFile(file, JSON.stringify({ rules: [{ scope: '*', accept: [{ notation }] }] }));
  const read = await readSignaturePolicy(file);
  const judge = (transport: ConstructorParameters<typeof ContentAdmission>[1]) =>
    new ContentAdmission(read, transport, now && (() => now));
  return new HttpRegistryClient({ limits: { attempts: 1 }, judge });
}

/** What is said of an image that was signed so. */
async function judged(chain: Chain, head = {}, subject?: string): Promise<string> {
  const image = await pushed();
  put(image, await notationEnvelope(image.digest, chain, head));
  const client = await clientWith(subject);
  return client.resolve(image.reference).then(
    () => 'admitted',
    (error: Error) => error.message,
  );
}

describe('a signature of notation', () => {
  it.each<[what: string, chain: () => Chain, subject?: string]>([
    ['its whole chain', () => [leaf, middle, root]],
    ['its chain without the root', () => [leaf, middle]],
    ['the subject that is asked for', () => [leaf, middle], 'O=Mill\\, Ltd, CN=release'],
  ])('admits its content with %s', async (_, chain, subject) => {
    expect(await judged(chain(), {}, subject)).toBe('admitted');
  });

  it.each<[what: string, chain: () => Promise<Chain>, because: RegExp]>([
    [
      'another subject',
      async () => [await issueCertificate({ subject: 'CN=mallory', by: root })],
      /by certificate "CN=mallory"/,
    ],
    ['another authority', async () => [await issueCertificate({ subject: SUBJECT })], /of no accepted authority/],
    ['a chain with a gap', async () => [leaf], /of no accepted authority/],
    [
      'an authority that is only named like the accepted one',
      async () => {
        const false_ = await issueCertificate({ subject: 'CN=root', isAuthority: true });
        return [await issueCertificate({ subject: SUBJECT, by: false_ }), false_];
      },
      /of no accepted authority/,
    ],
    [
      'a certificate that a leaf issued',
      async () => [await issueCertificate({ subject: SUBJECT, by: leaf }), leaf, middle, root],
      /of no accepted authority/,
    ],
    [
      'an authority beyond the length of the path',
      async () => {
        const below = await issueCertificate({ subject: 'CN=below', isAuthority: true, by: middle });
        return [await issueCertificate({ subject: SUBJECT, by: below }), below, middle, root];
      },
      /of no accepted authority/,
    ],
    [
      'a certificate that has expired',
      async () => [await issueCertificate({ subject: SUBJECT, by: root, from: -3, to: -1 })],
      /its certificate "CN=release.*is not valid now/,
    ],
    [
      'a certificate for servers',
      async () => [await issueCertificate({ subject: SUBJECT, by: root, purposes: ['1.3.6.1.5.5.7.3.1'] })],
      /its certificate is not for signing code/,
    ],
  ])('is refused: %s', async (_, chain, because) => {
    expect(await judged(await chain(), {}, 'CN=release')).toMatch(because);
  });

  it.each<[what: string, head: Readonly<Record<string, unknown>>, because: RegExp]>([
    [
      'of another scheme',
      { 'io.cncf.notary.signingScheme': 'notary.x509.signingAuthority' },
      /its signing scheme is not supported/,
    ],
    ['of another payload', { cty: 'application/json' }, /its signing scheme is not supported/],
    ['that has expired', { 'io.cncf.notary.expiry': '2026-01-01T00:00:00Z' }, /it expired on 2026-01-01/],
    [
      'that insists on a plugin',
      { crit: ['io.cncf.notary.verificationPlugin'], 'io.cncf.notary.verificationPlugin': 'x' },
      /cannot be verified: .*verificationPlugin/,
    ],
  ])('is refused %s', async (_, head, because) => {
    expect(await judged([leaf, middle], head)).toMatch(because);
  });

  it('is refused if it was changed, is of other content, in COSE, or no envelope', async () => {
    const [image, other] = [await pushed(), await pushed()];
    const client = await clientWith();
    const refused = async (content: Buffer, type?: string) => {
      put(image, content, type);
      const error = await client.resolve(image.reference).catch((found: Error) => found.message);
      return String(error);
    };
    const whole = await notationEnvelope(image.digest, [leaf, middle]);
    const ofOther = await notationEnvelope(other.digest, [leaf, middle]);
    const { payload } = JSON.parse(whole.toString());
    const changed = Buffer.from(JSON.stringify({ ...JSON.parse(ofOther.toString()), payload }));
    for (const content of [changed, ofOther, Buffer.from('<html>'), Buffer.from('{}')]) {
      expect(await refused(content)).toMatch(/ refuses sha256:[0-9a-f]{64}: no valid signature: /);
    }
    expect(await refused(whole, 'application/cose')).toMatch(/no valid signature: /);
  });
});
