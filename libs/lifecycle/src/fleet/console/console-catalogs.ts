import { createHash } from 'node:crypto';
import { CatalogLoadError } from '#core/catalog/model/catalog-load.error';
import type { PackageRecord } from '#core/catalog/model/package-record';
import type { ContentTile } from '#core/view/catalog-pages/catalog-answers';
import { contentGraph } from '#core/view/catalog-pages/content-graph';
import { contentPackage, contentTile, defaultChannelOf, iconOf } from '#core/view/catalog-pages/content-package';
import { iconType } from '#core/view/catalog-pages/icon-type';
import type { CatalogQuestion, QuestionAnswer } from '#core/view/questions/console-question';
import type { ContentStore } from '#platform/content/content-store.port';
import type { SharedMetas } from '../../catalogs/cluster-catalogs/shared-metas.js';
import { headCsvs } from '../../classic/package-manifests/head-csvs.js';
import type { ObservedParts } from '../observed-fleet.js';
import { contentInSight, type ReadableContent } from './readable-content.js';

export type ConsoleCatalogsOptions = Readonly<{
  of: (cluster: string) => Pick<ObservedParts, 'classic' | 'v1'> | undefined;
  store: Pick<ContentStore, 'get'>;
  metas: SharedMetas;
}>;

/** Contents with kept tiles; a tile takes about half a kilobyte. */
const MOST_KEPT = 4;
/** Packages beyond are shown by name alone. */
const MOST_PACKAGES = 5_000;

const NOT_HELD: QuestionAnswer = {
  because: 'gone',
  message: 'the hub no longer holds this content for the catalog',
};
const NO_PACKAGE: QuestionAnswer = { because: 'gone', message: 'the catalog has no such package' };

type Described = Readonly<{ csv: unknown; icon: string }>;

/** Answers questions of the console about contents of catalogs, from the contents that this process holds. */
export class ConsoleCatalogs {
  /** Tiles by digest, in the order of their last use. */
  readonly #tiles = new Map<string, Promise<readonly ContentTile[]>>();

  constructor(private readonly options: ConsoleCatalogsOptions) {}

  async answer(question: CatalogQuestion): Promise<QuestionAnswer> {
    const parts = this.options.of(question.cluster);
    const content = parts && (await contentInSight(parts, question, this.options.metas));
    if (content === undefined) return NOT_HELD;
    try {
      return await this.#answer(content, question);
    } catch (error) {
      // Of OLM v1's catalogs only blobs were checked.
      if (error instanceof CatalogLoadError) return { because: 'failed', message: error.olmText.slice(0, 2_000) };
      throw error;
    } finally {
      content.release();
    }
  }

  async #answer(content: ReadableContent, question: CatalogQuestion): Promise<QuestionAnswer> {
    if (question.ask === 'packages') return { answer: await this.#window(content, question) };
    const record = await content.record(question.package);
    if (record === undefined) return NO_PACKAGE;
    if (question.ask === 'graph') return { answer: contentGraph(record, question.from) };
    const { csv, icon } = await this.#described(content, record);
    if (question.ask === 'package') return { answer: contentPackage(record, csv, icon) };
    return icon === '' || icon !== question.hash
      ? NO_PACKAGE
      : { answer: { base64: Buffer.from(iconOf(csv)).toString('base64') } };
  }

  async #described({ blobs }: ReadableContent, record: PackageRecord): Promise<Described> {
    const heads = await headCsvs(defaultChannelOf(record), { store: this.options.store, blobs });
    const csv = heads.get(record.defaultChannel);
    const icon = iconOf(csv);
    const isShown = iconType(icon) !== undefined;
    return { csv, icon: isShown ? createHash('sha256').update(icon).digest('hex') : '' };
  }

  async #window(content: ReadableContent, question: Extract<CatalogQuestion, { ask: 'packages' }>) {
    const { words, offset, limit } = question;
    const all = await this.#tilesOf(content, question);
    const wanted = words
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== '');
    const items = all.filter((tile) => {
      const text = [tile.package, tile.displayName, tile.provider, tile.summary, ...tile.categories]
        .join(' ')
        .toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    return { total: items.length, items: items.slice(offset, offset + limit) };
  }

  /** Makes the tiles once for a content, even if the first caller does not wait for them. */
  #tilesOf(content: ReadableContent, { source, digest }: CatalogQuestion): Promise<readonly ContentTile[]> {
    const key = `${source} ${digest}`;
    const tiles = this.#tiles.get(key) ?? this.#makeTiles(content);
    this.#tiles.delete(key);
    this.#tiles.set(key, tiles);
    tiles.catch(() => this.#tiles.delete(key));
    const [oldest] = this.#tiles.keys();
    if (this.#tiles.size > MOST_KEPT && oldest !== undefined) this.#tiles.delete(oldest);
    return tiles;
  }

  async #makeTiles(content: ReadableContent): Promise<readonly ContentTile[]> {
    const names = await content.names();
    const tiles: ContentTile[] = [];
    for (const name of names) {
      const tile = tiles.length < MOST_PACKAGES ? await this.#tile(content, name) : bareTile(name);
      tiles.push(tile);
    }
    return tiles;
  }

  /** A package that cannot be read keeps its place, and does not hide the others. */
  async #tile(content: ReadableContent, name: string): Promise<ContentTile> {
    try {
      const record = await content.record(name);
      if (record === undefined) return bareTile(name);
      const { csv, icon } = await this.#described(content, record);
      return contentTile(record, csv, icon);
    } catch (error) {
      if (error instanceof CatalogLoadError || error instanceof SyntaxError) return bareTile(name);
      throw error;
    }
  }
}

const bareTile = (name: string): ContentTile => contentTile({ name, defaultChannel: '', entries: [] }, undefined, '');
