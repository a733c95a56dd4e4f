import type { RefreshProblem } from '#core/v1/cluster-catalog/catalog-failure';
import type { Demand } from '#platform/fairness/demand';
import { CatalogLabelMissing } from '#platform/registry/catalog-image';
import { atDigest, type ImageReference, parseImageReference } from '#platform/registry/client/image-reference';
import type { RegistryCredentials } from '#platform/registry/client/registry-client.port';
import { type CatalogContents, InvalidCatalog } from '../contents/catalog-contents.js';
import { type CatalogJsonl, NoCatalogContent } from './catalog-jsonl.js';

type ImageJsonlDeps = Readonly<{
  contents: Pick<CatalogContents, 'servableImage'>;
  /** The hub's own logins for an image: ClusterCatalogs name no pull secrets. */
  credentials: (ref: string) => Promise<RegistryCredentials>;
  /** The owner of the demand; the hub itself by default. */
  demand?: Demand;
}>;

/**
 * Loads the content of the image that `ref` names now. The registry is asked for the digest of a tag; a
 * digest is known.
 */
export async function loadImageJsonl(ref: string, deps: ImageJsonlDeps): Promise<CatalogJsonl> {
  const parsed = parsedReference(ref);
  try {
    const credentials = await deps.credentials(ref);
    const { demand } = deps;
    const options = { credentials, ...(demand && { demand }) };
    const { digest, content } = await deps.contents.servableImage(ref, options);
    return { ref: atDigest(parsed, digest).text, content };
  } catch (error) {
    if (error instanceof InvalidCatalog) return failed(ref, { kind: 'store', why: error.problems.join('; ') });
    if (error instanceof CatalogLabelMissing) return failed(ref, { kind: 'label missing' });
    return failed(ref, { kind: 'pull', why: messageOf(error) });
  }
}

function failed(ref: string, problem: RefreshProblem): never {
  throw new NoCatalogContent(ref, problem);
}

function parsedReference(ref: string): ImageReference {
  try {
    return parseImageReference(ref);
  } catch (error) {
    return failed(ref, { kind: 'unparsable', why: messageOf(error) });
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
