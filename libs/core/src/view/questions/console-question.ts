import { z } from 'zod';
import { canonicalHash } from '../../kernel/canonical/canonical-json.js';

/** The kinds that the console shows of a cluster. Secrets are none of them. */
export const ASKED_KINDS = ['Subscription', 'InstallPlan', 'ClusterServiceVersion', 'ClusterExtension'] as const;
/** Kinds that the console explains. Of those beyond {@link ASKED_KINDS} it shows only their rows. */
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
/** Most tiles of one answer. */
const MOST_TILES = 200;

/**
 * Questions of the console about the content of a catalog. No cluster and no registry is asked for the
 * answer.
 */
const CatalogQuestions = [
  z.strictObject({
    ...{ ask: z.literal('packages'), ...content, words: z.string().max(200) },
    ...{ offset: z.int().min(0), limit: z.int().min(1).max(MOST_TILES) },
  }),
  z.strictObject({ ask: z.literal('package'), ...inContent }),
  /** A question for an image. It carries no sign-in: a user who knows the hash of the image was shown it. */
  z.strictObject({ ask: z.literal('icon'), ...inContent, hash: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.strictObject({ ask: z.literal('graph'), ...inContent, from: z.string().max(1_000) }),
] as const;

/**
 * A question of the console to the poller about one cluster. The console has no credentials for clusters.
 *
 * - `explain`: the diagnosis of an object
 * - `object`: its YAML, as much as a page shows
 * - `whole-object`: all of it
 * - `events`: its Events
 * - `review`: the changes of an InstallPlan
 * - `packages`, `package`, `icon`, `graph`: the content of a catalog of the cluster
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
 * The answer, or the reason why there is none.
 *
 * - `gone`: the object does not exist
 * - `away`: the cluster did not answer
 * - `failed`: it answered, and the question could not be answered, such as without the right to read
 * - `refused`: the poller has no proof of a person who may see the answer
 */
export const QuestionAnswer = z.union([
  z.strictObject({ answer: z.unknown() }),
  z.strictObject({ because: z.enum(['gone', 'away', 'failed', 'refused']), message: z.string().max(2_000) }),
]);

export type ConsoleQuestion = z.infer<typeof ConsoleQuestion>;
export type CatalogQuestion = Extract<ConsoleQuestion, { digest: string }>;
export type QuestionAnswer = z.infer<typeof QuestionAnswer>;

/** Time for which the console waits for an answer. */
export const QUESTION_DEADLINE_MS = 10_000;
/** Time for which an answer serves equal questions: fifty people with one page cost one read. */
export const ANSWER_KEPT_SECONDS = 30;

/** Equal questions have equal keys. */
export const questionKey = (question: ConsoleQuestion): string => canonicalHash(question);
