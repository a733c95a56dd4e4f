import { z } from 'zod';
import { ContentPackage, ContentTile } from '#core/view/catalog-pages/catalog-answers';

/**
 * Contents of catalogs, as their poller holds them: `GET /api/v1/catalogs/ID/packages` (a list of tiles),
 * `…/packages/NAME` and `…/packages/NAME/graph?from=&cluster=`. No cluster and no registry is asked.
 */

/** Text of a catalog, parsed on the server: never HTML. */
export type RichText =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  | { type: 'link'; url: string; host: string; children: RichText[] }
  | {
      type: 'paragraph' | 'emphasis' | 'strong' | 'item' | 'list' | 'row' | 'cell' | 'table' | 'quote';
      children: RichText[];
    }
  | { type: 'heading'; level: number; children: RichText[] }
  | { type: 'block'; text: string };
export const RichText: z.ZodType<RichText> = z.lazy(
  () =>
    z.discriminatedUnion('type', [
      z.strictObject({ type: z.enum(['text', 'code', 'block']), text: z.string() }),
      z.strictObject({ type: z.literal('link'), url: z.string(), host: z.string(), children: z.array(RichText) }),
      z.strictObject({ type: z.literal('heading'), level: z.int(), children: z.array(RichText) }),
      z.strictObject({
        type: z.enum(['paragraph', 'emphasis', 'strong', 'item', 'list', 'row', 'cell', 'table', 'quote']),
        children: z.array(RichText),
      }),
    ]) as unknown as z.ZodType<RichText>,
);

/** `icon`: the path of the icon; empty: draw a letter. */
export const PackageTile = ContentTile.extend({
  /** In how many clusters it is installed. */
  clusters: z.int(),
});

const OfferedEntry = z.strictObject({
  bundle: z.string(),
  version: z.string(),
  deprecation: z.string(),
  /** Number of clusters with this bundle installed. */
  clusters: z.int(),
});

/** `icon`: the path of the icon; empty: draw a letter. */
export const PackageDetail = ContentPackage.extend({
  catalog: z.string(),
  digest: z.string(),
  description: z.array(RichText),
  channels: z.array(z.strictObject({ name: z.string(), deprecation: z.string(), entries: z.array(OfferedEntry) })),
  where: z.array(z.strictObject({ bundle: z.string(), clusters: z.int() })),
  /** A Subscription or ClusterExtension to copy. */
  manifest: z.string(),
});

/** An upgrade graph; the page lays it out. */
export const GraphAnswer = z.strictObject({
  /** The first bundle of the marked upgrade paths; empty: no path is marked. */
  from: z.string(),
  defaultChannel: z.string(),
  channels: z.array(
    z.strictObject({
      name: z.string(),
      /** Number of clusters with an operator that follows this channel. */
      clusters: z.int(),
      nodes: z.array(
        z.strictObject({
          bundle: z.string(),
          version: z.string(),
          /** Number of clusters with this bundle installed. */
          installed: z.int(),
          reachable: z.boolean(),
          head: z.boolean(),
          deprecated: z.boolean(),
          skipped: z.boolean(),
          /** Its skipRange, cut in length. Empty: it has none. */
          range: z.string(),
        }),
      ),
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), type: z.string(), onWay: z.boolean() })),
    }),
  ),
  /** The channel of the upgrade path; empty: there is none. */
  channel: z.string(),
  /** OLM's upgrade path from the installed bundle, bundle by bundle; empty if there is none. */
  way: z.array(z.string()),
  /** Entries that are left out, the oldest. */
  older: z.int(),
});

export const PackageTileList = z.strictObject({
  items: z.array(PackageTile),
  total: z.int(),
  asOf: z.string(),
});

export const TilesQuery = z.strictObject({
  /** Words that the package has in its names, provider, summary or categories. */
  q: z.string().max(200).default(''),
  offset: z.coerce.number().int().min(0).default(0),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});

/**
 * Query of a graph. `from`: a bundle or version; `cluster`: a cluster that has it installed, for the channel
 * that it follows.
 */
export const GraphQuery = z.strictObject({
  from: z.string().max(1_000).default(''),
  cluster: z.string().max(1_000).default(''),
});

export type PackageTile = z.infer<typeof PackageTile>;
export type PackageDetail = z.infer<typeof PackageDetail>;
export type GraphAnswer = z.infer<typeof GraphAnswer>;
