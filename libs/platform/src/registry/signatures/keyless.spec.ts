import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { OwnSigstore, type SigstoreFault } from '#testing/signatures/own-sigstore';
import {
  BUNDLE_TYPE,
  cosignPayload,
  cosignStatement,
  json,
  putReferrer,
  putTagged,
} from '#testing/signatures/sign-content';
import { HttpRegistryClient } from '../http-registry-client.js';
import { buildImage } from '../image-builder.js';
import { ContentAdmission } from './content-admission.js';
import { readSignaturePolicy } from './policy-file.js';

const RELEASE = {
  issuer: 'https://token.ci.example',
  uri: 'https://ci.example/team/op/.ci/release.yml@refs/tags/v1.0.0',
};
const ACCEPTED = 'https://ci.example/team/op/.ci/release.yml@refs/tags/*';

let sigstore: OwnSigstore;
let registry: InMemoryRegistry;
let folder: string;
let last = 0;
beforeAll(async () => {
  [sigstore, registry] = await Promise.all([OwnSigstore.start(), startRegistry({ referrers: true })]);
  folder = await mkdtemp(join(tmpdir(), 'flotilla-keyless-'));
  await writeFile(join(folder, 'trusted_root.json'), JSON.stringify(sigstore.trustedRoot));
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

async function clientWith(root = '{file: trusted_root.json}') {
  const file = join(folder, 'policy.yaml');
  const keyless = `{issuer: "${RELEASE.issuer}", identity: "${ACCEPTED}", trustRoot: ${root}}`;
  await writeFile(file, `rules: [{scope: "*", accept: [{keyless: ${keyless}}]}]`);
  const read = await readSignaturePolicy(file);
  return new HttpRegistryClient({
    limits: { attempts: 1 },
    judge: (transport) => new ContentAdmission(read, transport),
  });
}

type Pushed = Awaited<ReturnType<typeof pushed>>;
type Sign = (to: Pushed, identity?: typeof RELEASE, fault?: SigstoreFault) => Promise<void>;
const FORMS: Readonly<Record<string, Sign>> = {
  bundle: async ({ repository, digest }, identity = RELEASE, fault) => {
    const content = json(await sigstore.bundle(cosignStatement(digest), identity, fault));
    putReferrer(registry, repository, digest, { type: BUNDLE_TYPE, content });
  },
  'tag of cosign': async ({ repository, digest }, identity = RELEASE, fault) => {
    putTagged(registry, repository, digest, [await sigstore.payload(cosignPayload(digest), identity, fault)]);
  },
};
const sign = (form: string): Sign => FORMS[form] ?? (async () => undefined);

describe.each(Object.keys(FORMS))('an identity that signed with a certificate of Fulcio: %s', (form) => {
  it('admits its content, without a network', async () => {
    const image = await pushed();
    await sign(form)(image);
    expect(await (await clientWith()).resolve(image.reference)).toBe(image.digest);
  });

  it.each([
    ['another identity', { ...RELEASE, uri: 'https://ci.example/mallory/op/.ci/release.yml@refs/tags/v1.0.0' }],
    ['another branch', { ...RELEASE, uri: RELEASE.uri.replace('tags/v1.0.0', 'heads/main') }],
    ['another issuer', { ...RELEASE, issuer: 'https://token.evil.example' }],
  ])('refuses and names %s', async (_, identity) => {
    const image = await pushed();
    await sign(form)(image, identity);
    await expect((await clientWith()).resolve(image.reference)).rejects.toThrow(
      `: signed by "${identity.uri}" of "${identity.issuer}"; an accepted identity must sign it`,
    );
  });

  it.each<[SigstoreFault, RegExp]>([
    ['not logged', /no valid signature: expected 1 timestamps, got 0;/],
    ['other log', /no valid signature: inclusion promise could not be verified;/],
    ['other authority', /no valid signature: Failed to verify certificate chain;/],
    ['logged late', /no valid signature: Failed to verify certificate chain;/],
  ])('refuses what is %s', async (fault, because) => {
    const image = await pushed();
    await sign(form)(image, RELEASE, fault);
    await expect((await clientWith()).resolve(image.reference)).rejects.toThrow(because);
  });
});

describe('a bundle', () => {
  const putBundle = async (image: Pushed, change: (bundle: Record<string, never>) => unknown) => {
    const bundle = await sigstore.bundle(cosignStatement(image.digest), RELEASE);
    const content = json(change(JSON.parse(JSON.stringify(bundle))));
    putReferrer(registry, image.repository, image.digest, { type: BUNDLE_TYPE, content });
  };

  it('is refused if its proof of inclusion is of another entry', async () => {
    const image = await pushed();
    await sign('bundle')(image, RELEASE, 'other proof');
    await expect((await clientWith()).resolve(image.reference)).rejects.toThrow(/no valid signature: /);
  });

  it.each<[what: string, change: (bundle: Record<string, never>) => unknown, because: RegExp]>([
    ['a statement of another digest', (bundle) => bundle, /it is of other content/],
    ['no certificate', (bundle) => ({ ...bundle, verificationMaterial: {} }), /no valid signature: /],
    [
      'eleven entries of the log',
      (bundle) => {
        const material = Object(bundle['verificationMaterial']);
        const tlogEntries = Array.from({ length: 11 }, () => material.tlogEntries[0]);
        return { ...bundle, verificationMaterial: { ...material, tlogEntries } };
      },
      /its bundle cannot be read/,
    ],
    [
      'a certificate that is none',
      (bundle) => ({
        ...bundle,
        verificationMaterial: { ...Object(bundle['verificationMaterial']), certificate: { rawBytes: 'AAAA' } },
      }),
      /no valid signature: /,
    ],
  ])('is refused with %s', async (what, change, because) => {
    const image = await pushed();
    const other = what.startsWith('a statement') ? await pushed() : image;
    const bundle = await sigstore.bundle(cosignStatement(other.digest), RELEASE);
    const content = json(change(JSON.parse(JSON.stringify(bundle))));
    putReferrer(registry, image.repository, image.digest, { type: BUNDLE_TYPE, content });
    await expect((await clientWith()).resolve(image.reference)).rejects.toThrow(because);
  });

  it('is given if it has both proofs, and refused if only a proof without time is left', async () => {
    const image = await pushed();
    await putBundle(image, (bundle) => {
      const material = Object(bundle['verificationMaterial']);
      const [{ inclusionPromise: _, ...entry }] = material.tlogEntries;
      return { ...bundle, verificationMaterial: { ...material, tlogEntries: [entry] } };
    });
    await expect((await clientWith()).resolve(image.reference)).rejects.toThrow(/expected 1 timestamps, got 0/);
  });
});

describe('a trust root', () => {
  it.each([
    ['no JSON', '<html>', /is not a trust root of sigstore \(trusted_root\.json\)/],
    ['another document', '{"mediaType":"application/json"}', /is not a trust root of sigstore/],
    ['no authority', '{"mediaType":"a.trustedroot+json","tlogs":[{}]}', /names no certificate authority/],
    ['no log', '{"mediaType":"a.trustedroot+json","certificateAuthorities":[{}]}', /names neither a transparency log/],
  ])('that cannot be used refuses its scope: %s', async (_, text, because) => {
    await writeFile(join(folder, 'bad.json'), text);
    const image = await pushed();
    await sign('bundle')(image);
    const client = await clientWith('{file: bad.json}');
    await expect(client.resolve(image.reference)).rejects.toThrow(/it cannot be read \(rules\[0\]\): /);
    const { policy } = await readSignaturePolicy(join(folder, 'policy.yaml'));
    expect(policy.rules[0]?.problem?.text).toMatch(because);
  });

  it('whose parts are broken admits nothing', async () => {
    const broken = { mediaType: 'a.trustedroot+json', certificateAuthorities: [{}], tlogs: [{}] };
    await writeFile(join(folder, 'bad.json'), JSON.stringify(broken));
    const image = await pushed();
    await sign('bundle')(image);
    await expect((await clientWith('{file: bad.json}')).resolve(image.reference)).rejects.toMatchObject({
      failure: 'NotAdmitted',
    });
  });
});
