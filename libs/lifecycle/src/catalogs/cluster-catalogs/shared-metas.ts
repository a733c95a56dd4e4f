import { ContentUnreachable } from '#platform/content/content-errors';
import type { ContentStore, Digest } from '#platform/content/content-store.port';
import type { MetasIndexFiles } from '#platform/metas/index-files';
import { MetasContent } from '#platform/metas/metas-content';

/** A content that is in use until it is released. */
export type MetasLease = Readonly<{ content: MetasContent; release: () => void }>;

type Shared = { content: Promise<MetasContent>; users: number };

/** Contents opened for requests, each once however many catalogs of however many clusters use it. */
export class SharedMetas {
  readonly #shared = new Map<Digest, Shared>();

  constructor(
    private readonly store: ContentStore,
    private readonly indexes: Promise<MetasIndexFiles>,
  ) {}

  async acquire(digest: Digest): Promise<MetasLease> {
    const shared = this.#shared.get(digest) ?? { content: this.#open(digest), users: 0 };
    this.#shared.set(digest, shared);
    shared.users += 1;
    let released = false;
    const release = () => {
      if (!released) this.#release(digest, shared);
      released = true;
    };
    try {
      return { content: await shared.content, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #open(digest: Digest): Promise<MetasContent> {
    const content = await this.store.open(digest);
    if (content === undefined) throw new ContentUnreachable(digest, 'the content store', 'it is no longer held');
    try {
      return new MetasContent(content, await (await this.indexes).of(digest, content));
    } catch (error) {
      await content.close();
      throw error;
    }
  }

  #release(digest: Digest, shared: Shared): void {
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#shared.delete(digest);
    shared.content.then(
      (content) => content.close(),
      () => undefined,
    );
  }
}
