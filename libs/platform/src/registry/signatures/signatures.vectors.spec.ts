import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { PROJECT_ROOT } from '#platform/files/project-root';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { putReferrer, signingKeys } from '#testing/signatures/sign-content';
import { JWS_TYPE, NOTATION_TYPE } from '#testing/signatures/sign-notation';
import { HttpRegistryClient } from '../http-registry-client.js';
import { ContentAdmission } from './content-admission.js';
import { readSignaturePolicy } from './policy-file.js';

let registry: InMemoryRegistry;
let folder: string;
beforeEach(async () => {
  registry = await startRegistry();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-vectors-'));
});
afterEach(async () => {
  await registry.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

type Recorded = Readonly<{
  madeBy: string;
  publicKey: string;
  digest: string;
  manifests: readonly Readonly<{ name: string; mediaType: string; body: string }>[];
  blobs: readonly string[];
}>;
type Notation = Readonly<{ signedAt: string; certificates: string; digest: string; envelope: string }>;

const vector = <T>(name: string): T =>
  JSON.parse(readFileSync(join(PROJECT_ROOT, 'test/vectors/signatures', name), 'utf8'));

/** Puts what the real programs left in a registry. */
function replay({ manifests, blobs }: Recorded): void {
  for (const text of blobs) registry.putBlob(Buffer.from(text));
  for (const { name, mediaType, body } of manifests) {
    const separator = name.startsWith('sha256:') ? '@' : ':';
    registry.putManifest(`mill/catalog${separator}${name}`, mediaType, Buffer.from(body));
  }
}

async function clientWith(accept: unknown, now = new Date()) {
  const file = join(folder, 'policy.yaml');
  await writeFile(file, JSON.stringify({ rules: [{ scope: '*', accept: [accept] }] }));
  const read = await readSignaturePolicy(file);
  const options = { attempts: 1 };
  return new HttpRegistryClient({ limits: options, judge: (to) => new ContentAdmission(read, to, () => now) });
}

it.each(['cosign-tag.json', 'cosign-bundle.json'])(
  '%s: what cosign signed is admitted by its key alone',
  async (name) => {
    const recorded = vector<Recorded>(name);
    replay(recorded);
    const reference = `${registry.host}/mill/catalog:1`;
    expect(await (await clientWith({ key: { data: recorded.publicKey } })).resolve(reference)).toBe(recorded.digest);
    const other = await clientWith({ key: { data: signingKeys().pem } });
    await expect(other.resolve(reference)).rejects.toThrow(': signed by another key;');
  },
);

it('notation.json: what the library of notation signed is admitted while its certificate is valid', async () => {
  const { digest, envelope, certificates, signedAt } = vector<Notation>('notation.json');
  replay(vector<Recorded>('cosign-tag.json'));
  const content = Buffer.from(envelope);
  putReferrer(registry, 'mill/catalog', digest, { type: NOTATION_TYPE, content, layerType: JWS_TYPE });
  const accept = {
    notation: { certificates: { data: certificates }, subject: 'O=Notary, CN=Notation Test RSA Leaf Cert' },
  };
  const reference = `${registry.host}/mill/catalog:1`;
  expect(await (await clientWith(accept, new Date(signedAt))).resolve(reference)).toBe(digest);
  const late = await clientWith(accept, new Date('2026-12-25T00:00:00Z'));
  await expect(late.resolve(reference)).rejects.toThrow(/its certificate .* is not valid now/);
});
