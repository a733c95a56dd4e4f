import { cp } from 'node:fs/promises';
import { digestOf } from '#platform/content/digest';
import { type PulledImage, RegistryClient, type UnpackedImage } from '#platform/registry/client/registry-client.port';

/** Answers every pull with the files of one directory: the bench measures reading, not the network. */
export class DirectoryRegistry extends RegistryClient {
  readonly #digest = digestOf(Buffer.from('the one image'));

  constructor(private readonly directory: string) {
    super();
  }

  access(reference: string): string {
    return reference;
  }

  async resolve() {
    return this.#digest;
  }

  async pull(): Promise<PulledImage> {
    throw new Error('catalogs are unpacked to disk');
  }

  async pullTo(_reference: string, to: string): Promise<UnpackedImage> {
    await cp(this.directory, to, { recursive: true });
    return { digest: this.#digest, resolved: this.#digest, labels: {}, bytes: 0, files: 1 };
  }
}
