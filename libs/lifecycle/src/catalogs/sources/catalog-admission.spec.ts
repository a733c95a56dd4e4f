import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DiskContentStore } from '#platform/content/disk-content-store';
import { CATALOG_LABEL } from '#platform/registry/catalog-image';
import { HttpRegistryClient } from '#platform/registry/http-registry-client';
import { buildImage } from '#platform/registry/image-builder';
import { ContentAdmission } from '#platform/registry/signatures/content-admission';
import { readSignaturePolicy } from '#platform/registry/signatures/policy-file';
import { type InMemoryRegistry, startRegistry } from '#testing/registry/in-memory-registry';
import { cosignPayload, putTagged, signedPayload, signingKeys } from '#testing/signatures/sign-content';
import { loadImageJsonl } from '../cluster-catalogs/image-jsonl.js';
import { CatalogContents } from '../contents/catalog-contents.js';
import { readCatalog } from '../contents/read-catalog.js';

const CATALOG = `schema: olm.package
name: ant
defaultChannel: stable
---
schema: olm.channel
package: ant
name: stable
entries: [{name: ant.v1.0.0}]
---
schema: olm.bundle
package: ant
name: ant.v1.0.0
image: registry.example/ant:v1
properties: [{type: olm.package, value: {packageName: ant, version: 1.0.0}}]
`;
const KEYS = signingKeys();

let registry: InMemoryRegistry;
let directory: string;
let reference: string;
let digest: string;
beforeEach(async () => {
  registry = await startRegistry();
  directory = await mkdtemp(join(tmpdir(), 'flotilla-admission-'));
  const files = [{ path: 'configs/a.yaml', bytes: Buffer.from(CATALOG) }];
  digest = registry.put('team/catalog:1', await buildImage({ files, labels: { [CATALOG_LABEL]: '/configs' } }));
  reference = `${registry.host}/team/catalog:1`;
});
afterEach(async () => {
  await registry.stop();
  await rm(directory, { recursive: true, force: true, maxRetries: 5 });
});

/** A poller from its start on, with a policy that asks for the key or without one. */
async function startPoller(isSigned: boolean) {
  const file = join(directory, 'policy.yaml');
  await writeFile(file, `rules: [{scope: "${registry.host}", accept: [{key: {data: ${JSON.stringify(KEYS.pem)}}}]}]`);
  const policy = await readSignaturePolicy(file);
  const client = new HttpRegistryClient({
    limits: { attempts: 1 },
    ...(isSigned && { judge: (transport) => new ContentAdmission(policy, transport) }),
  });
  const store = await DiskContentStore.open(join(directory, 'content'));
  return new CatalogContents(client, store, join(directory, 'poller'), { read: (request) => readCatalog(request) });
}

const sign = () => putTagged(registry, 'team/catalog', digest, [signedPayload(cosignPayload(digest), KEYS)]);
const NOT_ADMITTED = /signature policy 127\.0\.0\.1:\d+ refuses sha256:[0-9a-f]{64}: no signature;/;

/** OLM Classic by tag, OLM v1 by tag and by digest. */
const USES: Readonly<Record<string, (contents: CatalogContents) => Promise<unknown>>> = {
  'a CatalogSource': (contents) => contents.ofImage(reference, {}),
  'a ClusterCatalog': (contents) => contents.servableImage(reference, {}),
  'a ClusterCatalog by digest': (contents) => contents.servableImage(`${registry.host}/team/catalog@${digest}`, {}),
};

describe('content that was read before a policy was set', () => {
  it.each(Object.keys(USES))('is judged when the hub has restarted: %s', async (use) => {
    const load = async (isSigned: boolean) => USES[use]?.(await startPoller(isSigned));
    expect(await load(false)).toMatchObject({ digest });
    await expect(load(true)).rejects.toThrow(NOT_ADMITTED);
    sign();
    expect(await load(true)).toMatchObject({ digest });
  });

  it('is not served while its registry is away, as nothing is known of its signatures', async () => {
    const pinned = `${registry.host}/team/catalog@${digest}`;
    await (await startPoller(false)).servableImage(pinned, {});
    registry.failAll({ cut: 'before' });
    expect(await (await startPoller(false)).servableImage(pinned, {})).toMatchObject({ digest });
    await expect((await startPoller(true)).servableImage(pinned, {})).rejects.toMatchObject({ failure: 'Unreachable' });
  });

  it('is named in what a ClusterCatalog reports', async () => {
    const contents = await startPoller(true);
    await expect(loadImageJsonl(reference, { contents, credentials: async () => ({}) })).rejects.toMatchObject({
      problem: { kind: 'pull', why: expect.stringMatching(NOT_ADMITTED) },
    });
  });
});
