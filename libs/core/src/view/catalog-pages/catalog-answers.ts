import { z } from 'zod';

/** Answers of a poller about the content of a catalog. Texts are those of the catalog, cut in length. */

/** SHA-256 of the icon in hex; empty: there is none that can be shown. */
const Icon = z.string();

export const ContentTile = z.strictObject({
  package: z.string(),
  displayName: z.string(),
  provider: z.string(),
  /** One line. */
  summary: z.string(),
  icon: Icon,
  /** Version of the newest bundle of the default channel. */
  newest: z.string(),
  defaultChannel: z.string(),
  categories: z.array(z.string()),
  deprecated: z.boolean(),
});

export const ContentTiles = z.strictObject({ total: z.int(), items: z.array(ContentTile) });

const Named = z.strictObject({ name: z.string(), url: z.string() });

export const ContentPackage = z.strictObject({
  package: z.string(),
  displayName: z.string(),
  provider: z.string(),
  icon: Icon,
  /** Markdown. */
  description: z.string(),
  deprecation: z.string(),
  defaultChannel: z.string(),
  channels: z.array(
    z.strictObject({
      name: z.string(),
      deprecation: z.string(),
      /** Newest first. */
      entries: z.array(z.strictObject({ bundle: z.string(), version: z.string(), deprecation: z.string() })),
    }),
  ),
  /** Entries that are left out, the oldest. */
  older: z.int(),
  capabilities: z.string(),
  categories: z.array(z.string()),
  keywords: z.array(z.string()),
  maturity: z.string(),
  repository: z.string(),
  image: z.string(),
  createdAt: z.string(),
  support: z.string(),
  links: z.array(Named),
  maintainers: z.array(z.strictObject({ name: z.string(), email: z.string() })),
  installModes: z.array(z.strictObject({ type: z.string(), supported: z.boolean() })),
  provided: z.array(z.strictObject({ kind: z.string(), version: z.string(), description: z.string() })),
  required: z.array(z.string()),
});

export const ContentGraph = z.strictObject({
  /**
   * The bundle from which upgrade paths are marked. Empty if there is none, or if the catalog does not know
   * it.
   */
  from: z.string(),
  defaultChannel: z.string().default(''),
  channels: z.array(
    z.strictObject({
      name: z.string(),
      nodes: z.array(
        z.strictObject({
          bundle: z.string(),
          version: z.string(),
          reachable: z.boolean(),
          head: z.boolean(),
          deprecated: z.boolean(),
          skipped: z.boolean(),
          /** Its skipRange, cut in length. Empty: it has none. */
          range: z.string().default(''),
        }),
      ),
      /** `taken`: the step that OLM takes by itself in this channel. */
      edges: z.array(z.strictObject({ from: z.string(), to: z.string(), type: z.string(), taken: z.boolean() })),
    }),
  ),
  /** Entries that are left out, the oldest. */
  older: z.int(),
});

export const ContentIcon = z.strictObject({ base64: z.string() });

export type ContentTile = z.infer<typeof ContentTile>;
export type ContentPackage = z.infer<typeof ContentPackage>;
export type ContentGraph = z.infer<typeof ContentGraph>;
