import { z } from 'zod';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';

/** The kinds that the console shows of a cluster. Secrets are none of them. */
export const ASKED_KINDS = ['Subscription', 'InstallPlan', 'ClusterServiceVersion', 'ClusterExtension'] as const;
/** Those that it explains, and shows no more of than their rows. */
export const EXPLAINED_KINDS = [...ASKED_KINDS, 'CatalogSource', 'ClusterCatalog'] as const;

const place = {
  v: z.literal(1),
  cluster: z.string().min(1).max(1_000),
  namespace: z.string().max(253),
  name: z.string().min(1).max(253),
};
const object = { ...place, kind: z.enum(ASKED_KINDS) };
/** The content of a catalog of the cluster: another digest is other content. */
const content = { ...place, source: z.enum(['CatalogSource', 'ClusterCatalog']), digest: z.string().max(200) };
const inContent = { ...content, package: z.string().min(1).max(1_000) };
/** Of one answer. */
const MOST_TILES = 200;

/** What the console asks about the content of a catalog; no cluster and no registry is asked for it. */
const CatalogQuestions = [
  z.strictObject({
    ...{ ask: z.literal('packages'), ...content, words: z.string().max(200) },
    ...{ offset: z.int().min(0), limit: z.int().min(1).max(MOST_TILES) },
  }),
  z.strictObject({ ask: z.literal('package'), ...inContent }),
  /** Of an image, which carries no sign-in: who knows the hash of its bytes was shown them. */
  z.strictObject({ ask: z.literal('icon'), ...inContent, hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.strictObject({ ask: z.literal('graph'), ...inContent, from: z.string().max(1_000) }),
] as const;

/**
 * What the console asks the poller about one cluster, which it has no credentials for. `explain`: why an
 * object is as it is · `object`: its YAML, as much as a page shows · `whole-object`: all of it · `events`:
 * its Events · `review`: what an InstallPlan changes · `packages`, `package`, `icon`, `graph`: what a catalog
 * of the cluster holds.
 */
export const ConsoleQuestion = z.discriminatedUnion('ask', [
  z.strictObject({ ask: z.literal('explain'), ...place, kind: z.enum(EXPLAINED_KINDS) }),
  z.strictObject({ ask: z.literal('object'), ...object }),
  z.strictObject({ ask: z.literal('whole-object'), ...object }),
  z.strictObject({ ask: z.literal('events'), ...object }),
  z.strictObject({ ask: z.literal('review'), ...place }),
  ...CatalogQuestions,
]);

/**
 * The answer, or why there is none: `gone`: the object is not there · `away`: the cluster did not answer ·
 * `failed`: it answered, and the question could not be answered, such as without the right to read ·
 * `refused`: the poller has no proof of a person who may see the answer.
 */
export const QuestionAnswer = z.union([
  z.strictObject({ answer: z.unknown() }),
  z.strictObject({ because: z.enum(['gone', 'away', 'failed', 'refused']), message: z.string().max(2_000) }),
]);

export type ConsoleQuestion = z.infer<typeof ConsoleQuestion>;
export type CatalogQuestion = Extract<ConsoleQuestion, { digest: string }>;
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** How long the console waits for an answer. */
export const QUESTION_DEADLINE_MS = 10_000;
/** How long an answer serves equal questions: fifty people with one page cost one read. */
export const ANSWER_KEPT_SECONDS = 30;

/** Equal questions have equal keys. */
export const questionKey = (question: ConsoleQuestion): string => canonicalHash(question);
