import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  cosignPayload,
  putTagged,
  type SigningKeys,
  signedPayload,
  signingKeys,
} from '#testing/signatures/sign-content';
import * as fixture from '../story/bad-input-fixture.js';
import { type AdviceBench, type AdviceCase, until } from './advice-bench.js';

const KEY_FILES = ['publisher.pub', 'other.pub'] as const;
const ready = ({ client }: AdviceBench, namespace: string, name: string) =>
  until(() => fixture.catalogStatus(client, namespace, name), 'READY');

/** Creates a CatalogSource and its image. `sign` signs the image as cosign does. */
async function catalogOf({ client, registry }: AdviceBench, namespace: string, name: string) {
  const repository = `advice/${namespace}/${name}`;
  const files = { 'a.yaml': fixture.packageYaml(`${namespace}-${name}`, 'x/y:1') };
  const digest = registry.put(`${repository}:1`, await fixture.catalogImage(files));
  await fixture.createCatalog(client, namespace, { image: `${registry.host}/${repository}:1` }, name);
  const sign = (keys: SigningKeys) =>
    putTagged(registry, repository, digest, [signedPayload(cosignPayload(digest), keys)]);
  return { sign, about: [namespace, 'catalogsource', name] as const };
}

/** Advice of `explain` about catalogs that the signature policy of the hub refuses. */
export const SIGNATURE_CASES = {
  'not-signed': {
    alone: true,
    carries: ['correctSignaturePolicy', 'signContent'],
    play: async (bench, namespace) => {
      const scope = `${bench.registry.host}/advice/${namespace}`;
      const folder = await mkdtemp(join(tmpdir(), 'flotilla-advice-policy-'));
      const file = join(folder, 'policy.yaml');
      const accept = (names: readonly string[]) =>
        writeFile(file, JSON.stringify({ rules: [{ scope, accept: names.map((name) => ({ key: { file: name } })) }] }));
      const [publisher, other] = [signingKeys(), signingKeys()];
      await fixture.createNamespace(bench.client, namespace);
      try {
        await bench.withOtherSettings(async (restart) => {
          await accept(KEY_FILES.slice(0, 1));
          await restart({ FLOTILLA_SIGNATURE_POLICY_FILE: file });
          const unsigned = await catalogOf(bench, namespace, 'unsigned');
          const ofOther = await catalogOf(bench, namespace, 'of-other');
          ofOther.sign(other);
          await bench.advised(unsigned.about, 'correctSignaturePolicy');
          await writeFile(join(folder, KEY_FILES[0]), publisher.pem);
          await restart({});
          await bench.advised(unsigned.about, 'signContent', scope);
          await bench.advised(ofOther.about, 'signContent', scope);
          unsigned.sign(publisher);
          await ready(bench, namespace, 'unsigned');
          await accept(KEY_FILES);
          await writeFile(join(folder, KEY_FILES[1]), other.pem);
          await restart({});
          await ready(bench, namespace, 'of-other');
        });
      } finally {
        await rm(folder, { recursive: true, maxRetries: 5 });
      }
    },
  },
} satisfies Readonly<Record<string, AdviceCase>>;
