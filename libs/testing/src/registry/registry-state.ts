import { digestOf } from '#platform/content/digest';

const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';

type StoredManifest = Readonly<{ mediaType: string; bytes: Uint8Array; digest: string }>;

/** Content of the in-memory registry: blobs by digest, manifests by repository and digest, tags. */
export class RegistryState {
  readonly #blobs = new Map<string, Uint8Array>();
  readonly #manifests = new Map<string, StoredManifest>();
  readonly #tags = new Map<string, Map<string, string>>();
  readonly corrupted = new Set<string>();

  putBlob(bytes: Uint8Array, digest: string = digestOf(bytes)): string {
    this.#blobs.set(digest, bytes);
    return digest;
  }

  blob(digest: string): Uint8Array | undefined {
    const bytes = this.#blobs.get(digest);
    return bytes && this.#served(digest, bytes);
  }

  putManifest(repository: string, tag: string | undefined, mediaType: string, bytes: Uint8Array): string {
    const digest = digestOf(bytes);
    this.#manifests.set(`${repository}@${digest}`, { mediaType, bytes, digest });
    const tags = this.#tags.get(repository) ?? new Map<string, string>();
    this.#tags.set(repository, tag === undefined ? tags : tags.set(tag, digest));
    return digest;
  }

  manifest(repository: string, name: string): StoredManifest | undefined {
    const digest = name.startsWith('sha256:') ? name : this.#tags.get(repository)?.get(name);
    const found = this.#manifests.get(`${repository}@${digest ?? ''}`);
    return found && { ...found, bytes: this.#served(found.digest, found.bytes) };
  }

  /** Returns an index of the manifests with the digest as their `subject`. */
  referrers(repository: string, digest: string): Uint8Array {
    const manifests = [...this.#manifests]
      .filter(([key]) => key.startsWith(`${repository}@`))
      .flatMap(([, { mediaType, bytes, digest: own }]) => {
        const { subject, artifactType } = Object(JSON.parse(Buffer.from(bytes).toString()));
        return subject?.digest === digest ? [{ mediaType, digest: own, size: bytes.length, artifactType }] : [];
      });
    return Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests }));
  }

  tags(repository: string): string[] {
    return [...(this.#tags.get(repository)?.keys() ?? [])].toSorted();
  }

  #served(digest: string, bytes: Uint8Array): Uint8Array {
    return this.corrupted.has(digest) ? withLastByteChanged(bytes) : bytes;
  }
}

export function withLastByteChanged(bytes: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(bytes);
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 0xff;
  return changed;
}
