import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import {
  BUNDLE_TYPE,
  cosignPayload,
  cosignStatement,
  json,
  keyBundle,
  putReferrer,
  putTagged,
  signedPayload,
  signingKeys,
} from '#testing/signatures/sign-content';
import { digestOf } from '../../content/digest.js';
import { HttpRegistryClient } from '../http-registry-client.js';
import { buildImage } from '../image-builder.js';
import type { MirrorRule } from '../mirrors/mirror-sets.js';
import { ContentAdmission } from './content-admission.js';
import { readSignaturePolicy } from './policy-file.js';

const KEYS = signingKeys();
const OTHER = signingKeys();

let registry: InMemoryRegistry;
let modern: InMemoryRegistry;
let folder: string;
let last = 0;
beforeAll(async () => {
  [registry, modern] = await Promise.all([startRegistry(), startRegistry({ referrers: true })]);
  folder = await mkdtemp(join(tmpdir(), 'flotilla-signatures-'));
  await writeFile(join(folder, 'cosign.pub'), KEYS.pem);
});
afterAll(async () => {
  await Promise.all([registry.stop(), modern.stop()]);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const image = (text: string) => buildImage({ files: [{ path: 'a', bytes: Buffer.from(text) }], labels: {} });

/** An image of a repository of its own. */
async function pushed(at = registry) {
  last += 1;
  const repository = `mill/catalog${last}`;
  const digest = at.put(`${repository}:1`, await image(repository));
  return { repository, digest, reference: `${at.host}/${repository}:1` };
}

async function clientWith(policy: string, mirrors: readonly MirrorRule[] = []) {
  const file = join(folder, 'policy.yaml');
  await writeFile(file, policy);
  const read = await readSignaturePolicy(file);
  return new HttpRegistryClient({
    limits: { attempts: 1 },
    mirrors,
    judge: (transport) => new ContentAdmission(read, transport),
  });
}

const withKey = (scope: string) => `rules: [{scope: "${scope}", accept: [{key: {file: cosign.pub}}]}]\n`;
const all = () => [''];

describe('content that a policy asks a key for', () => {
  it.each([
    ['cosign tag', () => registry],
    ['cosign tag, of a registry with referrers', () => modern],
  ])('is given if it is signed: %s', async (_, at) => {
    const { repository, digest, reference } = await pushed(at());
    putTagged(at(), repository, digest, [signedPayload(cosignPayload(digest), KEYS)]);
    const client = await clientWith(withKey(at().host));
    expect(await client.resolve(reference)).toBe(digest);
    expect((await client.pull(reference, all)).files).toHaveLength(1);
  });

  it.each([
    ['by the API of referrers', () => modern],
    ['by the tag that stands for it', () => registry],
  ])('is given if a bundle of cosign 3 refers to it: %s', async (_, at) => {
    const { repository, digest, reference } = await pushed(at());
    putReferrer(at(), repository, digest, {
      type: BUNDLE_TYPE,
      content: json(keyBundle(cosignStatement(digest), KEYS)),
    });
    expect(await (await clientWith(withKey(at().host))).resolve(reference)).toBe(digest);
  });

  it('is refused without signature, before a layer is read, and says what to do', async () => {
    const { digest, reference } = await pushed();
    const client = await clientWith(withKey(registry.host));
    const blobs = registry.requests.blobs;
    const attempts = [
      () => client.resolve(reference),
      () => client.pull(reference, all),
      () => client.pullTo(reference, join(folder, 'x'), () => ''),
    ];
    for (const attempt of attempts) {
      await expect(attempt()).rejects.toMatchObject({
        failure: 'NotAdmitted',
        retry: 'backoff',
        message: `image ${reference}: signature policy ${registry.host} refuses ${digest}: no signature; an accepted key must sign it, or change the policy`,
      });
    }
    expect(registry.requests.blobs).toBe(blobs);
  });

  it.each<[what: string, sign: (repository: string, digest: string) => void, because: RegExp]>([
    [
      'another key',
      (repository, digest) => putTagged(registry, repository, digest, [signedPayload(cosignPayload(digest), OTHER)]),
      /: signed by another key;/,
    ],
    [
      'another key, as a bundle',
      (repository, digest) =>
        putReferrer(registry, repository, digest, {
          ...{ type: BUNDLE_TYPE, content: json(keyBundle(cosignStatement(digest), OTHER)) },
        }),
      /: signed by another key;/,
    ],
    [
      'the key, for other content',
      (repository, digest) =>
        putTagged(registry, repository, digest, [signedPayload(cosignPayload(digestOf(Buffer.from('x'))), KEYS)]),
      /: no valid signature: it is of other content \(sha256:[0-9a-f]{64}\);/,
    ],
    [
      'the key, as an attestation',
      (repository, digest) =>
        putReferrer(registry, repository, digest, {
          type: BUNDLE_TYPE,
          content: json(keyBundle(cosignStatement(digest, 'https://slsa.dev/provenance/v1'), KEYS)),
        }),
      /: no valid signature: it is an attestation, and no signature;/,
    ],
    [
      'the key, as a payload of another kind',
      (repository, digest) =>
        putTagged(registry, repository, digest, [signedPayload(cosignPayload(digest, 'a receipt'), KEYS)]),
      /: no valid signature: its payload is none of cosign;/,
    ],
    [
      'the key, and the payload was changed since',
      (repository, digest) => {
        const { annotations } = signedPayload(cosignPayload(digestOf(Buffer.from('x'))), KEYS);
        putTagged(registry, repository, digest, [{ payload: cosignPayload(digest), annotations }]);
      },
      /: signed by another key;/,
    ],
    [
      'nobody: the signature is missing',
      (repository, digest) =>
        putTagged(registry, repository, digest, [{ payload: cosignPayload(digest), annotations: {} }]),
      /: no valid signature: layer sha256:[0-9a-f]{64} names no signature;/,
    ],
    [
      'nobody: the bundle is no JSON',
      (repository, digest) =>
        putReferrer(registry, repository, digest, { type: BUNDLE_TYPE, content: Buffer.from('<html>') }),
      /: no valid signature: its bundle holds no statement;/,
    ],
    [
      'nobody: the bundle is too large',
      (repository, digest) =>
        putReferrer(registry, repository, digest, { type: BUNDLE_TYPE, content: Buffer.alloc(600_000, 32) }),
      /no valid signature: .* has 600000 bytes; the limit is 524288;/,
    ],
  ])('is refused if it is signed by %s', async (_, signed, because) => {
    const { repository, digest, reference } = await pushed();
    signed(repository, digest);
    await expect((await clientWith(withKey(registry.host))).resolve(reference)).rejects.toThrow(because);
  });

  it('is given if one of many signatures is of the key, and at most 50 are read', async () => {
    const others = Array.from({ length: 60 }, (_, at) => signedPayload(cosignPayload(`${at}`), OTHER));
    const client = await clientWith(withKey(registry.host));
    const near = await pushed();
    const own = (digest: string) => signedPayload(cosignPayload(digest), KEYS);
    putTagged(registry, near.repository, near.digest, [...others.slice(0, 49), own(near.digest)]);
    expect(await client.resolve(near.reference)).toBe(near.digest);
    const far = await pushed();
    putTagged(registry, far.repository, far.digest, [...others, own(far.digest)]);
    const blobs = registry.requests.blobs;
    await expect(client.resolve(far.reference)).rejects.toThrow('no valid signature');
    expect(registry.requests.blobs - blobs).toBeLessThanOrEqual(50);
  });

  it('is not taken for unsigned if its registry does not answer', async () => {
    const { reference } = await pushed();
    const client = await clientWith(withKey(registry.host));
    registry.failNext({ status: 503, path: /\.sig$/ });
    await expect(client.resolve(reference)).rejects.toMatchObject({ failure: 'Unreachable' });
  });

  it('is refused for a list of signatures that never ends', async () => {
    const { reference } = await pushed();
    const client = await clientWith(withKey(registry.host));
    registry.failNext({ hostile: 'endless', path: /\.sig$/ });
    await expect(client.resolve(reference)).rejects.toThrow(/its list is larger than 1048576 bytes/);
  });

  it('is judged again after a refusal, and costs no further request once it was admitted', async () => {
    const { repository, digest, reference } = await pushed();
    const client = await clientWith(withKey(registry.host));
    await expect(client.resolve(reference)).rejects.toThrow('no signature');
    putTagged(registry, repository, digest, [signedPayload(cosignPayload(digest), KEYS)]);
    expect(await client.resolve(reference)).toBe(digest);
    const before = registry.requests.total;
    expect(await client.resolve(reference)).toBe(digest);
    expect(registry.requests.total - before).toBe(1);
  });

  it.each(['P-384', 'P-521', 'ed25519', 'rsa'])('may have a key of the kind %s', async (kind) => {
    const pair =
      kind === 'rsa'
        ? generateKeyPairSync('rsa', { modulusLength: 2048 })
        : kind === 'ed25519'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('ec', { namedCurve: kind });
    await writeFile(join(folder, 'cosign.pub.other'), pair.publicKey.export({ type: 'spki', format: 'pem' }));
    const { repository, digest, reference } = await pushed();
    const payload = cosignPayload(digest);
    const signature = sign(kind === 'ed25519' ? null : 'sha256', payload, pair.privateKey).toString('base64');
    const annotations = { 'dev.cosignproject.cosign/signature': signature };
    putTagged(registry, repository, digest, [{ payload, annotations }]);
    const client = await clientWith(withKey(registry.host).replace('cosign.pub', 'cosign.pub.other'));
    expect(await client.resolve(reference)).toBe(digest);
  });
});

describe('an image of several platforms', () => {
  const INDEX = 'application/vnd.oci.image.index.v1+json';

  async function indexed() {
    const { repository, digest } = await pushed();
    const mediaType = 'application/vnd.oci.image.manifest.v1+json';
    const manifests = [{ mediaType, digest, size: 1, platform: { os: 'linux', architecture: 'amd64' } }];
    const index = registry.putManifest(
      `${repository}:all`,
      INDEX,
      json({ schemaVersion: 2, mediaType: INDEX, manifests }),
    );
    return { repository, digest, index, reference: `${registry.host}/${repository}:all` };
  }

  it.each(['index', 'digest'] as const)('is given if its %s is signed', async (which) => {
    const found = await indexed();
    putTagged(registry, found.repository, found[which], [signedPayload(cosignPayload(found[which]), KEYS)]);
    const client = await clientWith(withKey(registry.host));
    expect(await client.resolve(found.reference)).toBe(found.index);
    expect(await client.pull(found.reference, all)).toMatchObject({ digest: found.digest, resolved: found.index });
  });

  it('is refused if neither is', async () => {
    const { reference, index } = await indexed();
    await expect((await clientWith(withKey(registry.host))).pull(reference, all)).rejects.toThrow(
      `${index}: no signature`,
    );
  });
});

describe('a mirror', () => {
  const mirrored = (): MirrorRule[] => [
    { source: 'r.example', digestMirrors: [registry.host], tagMirrors: [registry.host], contactsSource: false },
  ];

  it('is asked for the signature, by the policy for the name that the user wrote', async () => {
    const { repository, digest } = await pushed();
    const client = await clientWith(withKey('r.example'), mirrored());
    const refused = client.resolve(`r.example/${repository}:1`);
    await expect(refused).rejects.toThrow(/\(at mirror .*signature policy r\.example refuses /);
    putTagged(registry, repository, digest, [signedPayload(cosignPayload(digest), KEYS)]);
    expect(await client.resolve(`r.example/${repository}:1`)).toBe(digest);
  });

  it('has no rule of its own for images of other names', async () => {
    const { repository, digest } = await pushed();
    const client = await clientWith(withKey(registry.host), mirrored());
    expect(await client.resolve(`r.example/${repository}:1`)).toBe(digest);
  });
});

describe('without a rule', () => {
  it('nothing is asked of the registry for it', async () => {
    const { reference, digest } = await pushed();
    const client = await clientWith(withKey('r.example'));
    const before = registry.requests.total;
    expect(await client.resolve(reference)).toBe(digest);
    expect(registry.requests.total - before).toBe(1);
    expect(client.asksForSignature(reference)).toBe(false);
    expect(client.asksForSignature('r.example/a:1')).toBe(true);
  });
});

describe('a policy that cannot be read', () => {
  it.each<[what: string, policy: string, place: '' | ' (rules[0])' | ' (rules[1])', because: RegExp]>([
    ['no YAML', 'rules: [', '', /policy\.yaml is not YAML/],
    ['no rules', 'rule: []', '', /expected rules, a list/],
    ['a rule without scope', 'rules: [{accept: []}]', ' (rules[0])', /rules\[0\]: scope must be/],
    [
      'a scope that is none',
      'rules: [{scope: "*", admitUnsigned: true}, {scope: "https://r.example", admitUnsigned: true}]',
      ' (rules[1])',
      /rules\[1\]: scope must be/,
    ],
    [
      'a rule that asks for nothing',
      'rules: [{scope: "*", accept: []}]',
      ' (rules[0])',
      /: expected scope, and either/,
    ],
    ['a word that is unknown', withKey('*').replace('key:', 'keys:'), ' (rules[0])', /expected scope, and/],
    ['a key that is not there', withKey('*').replace('cosign', 'none'), ' (rules[0])', /rules\[0\]: .*none\.pub/],
    [
      'a key that is none',
      'rules: [{scope: "*", accept: [{key: {data: x}}]}]',
      ' (rules[0])',
      /data is not a public key in PEM/,
    ],
    [
      'a second rule for a scope',
      'rules: [{scope: "*", admitUnsigned: true}, {scope: "*", admitUnsigned: true}]',
      ' (rules[1])',
      /a second rule for \*/,
    ],
  ])('refuses, and names no file of the hub to who names the image: %s', async (_, policy, place, because) => {
    const { reference, digest } = await pushed();
    const client = await clientWith(policy);
    await expect(client.resolve(reference)).rejects.toThrow(
      `image ${reference}: signature policy * refuses ${digest}: it cannot be read${place}: the hub's administrator must correct FLOTILLA_SIGNATURE_POLICY_FILE`,
    );
    await expect(client.resolve(reference)).rejects.not.toThrow(/policy\.yaml|\.pub|PEM/);
    const read = await readSignaturePolicy(join(folder, 'policy.yaml'));
    const problems = [read.policy, ...read.policy.rules].flatMap(({ problem }) => problem?.text ?? []);
    expect(problems).toEqual([expect.stringMatching(because)]);
  });

  it('refuses if the file is not there, or holds a private key, and does not show it', async () => {
    const { reference } = await pushed();
    const none = await readSignaturePolicy(join(folder, 'none.yaml'));
    expect(none.policy.problem?.text).toContain(join(folder, 'none.yaml'));
    const client = new HttpRegistryClient({ judge: (transport) => new ContentAdmission(none, transport) });
    await expect(client.resolve(reference)).rejects.toThrow(/it cannot be read: the hub's administrator/);
    const pem = KEYS.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const secret = await clientWith(`rules: [{scope: "*", accept: [{key: {data: ${JSON.stringify(pem)}}}]}]`);
    const [rule] = (await readSignaturePolicy(join(folder, 'policy.yaml'))).policy.rules;
    expect(rule?.problem?.text).toMatch(/data holds a private key: give the public one/);
    expect(rule?.problem?.text).not.toContain('BEGIN');
    await expect(secret.resolve(reference)).rejects.not.toThrow(/BEGIN/);
  });

  it('refuses only the scope of a rule that cannot be used', async () => {
    const { reference, digest } = await pushed();
    const client = await clientWith('rules: [{scope: "r.example", accept: [{key: {file: none.pub}}]}]');
    expect(await client.resolve(reference)).toBe(digest);
  });
});
