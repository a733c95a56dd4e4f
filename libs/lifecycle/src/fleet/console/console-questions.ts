import { accessOfPeople } from '#core/cluster/advice/command-in';
import {
  type CatalogQuestion,
  type ConsoleQuestion,
  QUESTION_DEADLINE_MS,
  type QuestionAnswer,
} from '#core/view/questions/console-question';
import { seesAnswer } from '#core/view/rights/seen-objects';
import type { ViewRow } from '#core/view/rows/rows';
import type { Clock } from '#platform/clock/clock.port';
import { NOT_ALLOWED, type ProvedPerson } from '#platform/console/proof/proof-checker';
import type { QuestionReceiver, SentQuestion } from '#platform/console/question-channel.port';
import type { HubProofs } from '#platform/hub/hub-proofs';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { ServiceClusters } from '#platform/membership/service-clusters.port';
import type { Log } from '#platform/telemetry/log.port';
import { answerQuestion } from './answer-question.js';
import type { QuestionPlace } from './question-place.js';

export type ConsoleQuestionsOptions = Readonly<{
  receiver: QuestionReceiver;
  proofs: HubProofs;
  /** Rows of a namespace as this process observes it; undefined: not known yet. */
  rowsIn: (cluster: string, namespace: string) => readonly ViewRow[] | undefined;
  clusters: ServiceClusters;
  clock: Clock;
  log: Log;
  globalCatalogNamespaceOf: (client: KubeClient) => Promise<string>;
  resolutionOf: (cluster: string, namespace: string) => ReturnType<QuestionPlace['resolutionOf']>;
  catalogsOf: (cluster: string) => ReturnType<QuestionPlace['catalogs']>;
  csvsOf: (cluster: string) => ReturnType<QuestionPlace['csvs']>;
  extensionOf: (cluster: string, name: string) => ReturnType<QuestionPlace['extension']>;
  /** Answers a question about the content of a catalog, from the content that the hub has. */
  catalogAnswer: (question: CatalogQuestion) => Promise<QuestionAnswer>;
}>;

/**
 * Questions of one cluster, and of all, at once. Further ones are refused, so that a page cannot take
 * resources that passes need.
 */
const AT_ONCE_IN_CLUSTER = 8;
const AT_ONCE = 64;
const BUSY: QuestionAnswer = { because: 'failed', message: 'too many questions about this cluster are under way' };
const ALL_BUSY: QuestionAnswer = { because: 'failed', message: 'too many questions about all clusters are under way' };
const FAULT: QuestionAnswer = {
  because: 'failed',
  message: 'the hub could not answer; see the log of the catalog poller',
};
/** A little before the console gives up. */
const DEADLINE_MS = QUESTION_DEADLINE_MS - 1_000;
const AWAY = { because: 'away', message: 'the cluster did not answer in time' } as const;

/**
 * Answers questions of the console about the clusters that this process works for, with its rights to read.
 */
export class ConsoleQuestions {
  readonly #underWay = new Set<Promise<void>>();
  readonly #counts = new Map<string, number>();

  constructor(private readonly options: ConsoleQuestionsOptions) {}

  start(): void {
    this.options.receiver.follow((sent) => this.#take(sent));
  }

  /** Resolves when nothing is under way. */
  async stop(): Promise<void> {
    await this.options.receiver.stop();
    await Promise.all(this.#underWay);
    this.options.proofs.stop();
  }

  #take(sent: SentQuestion): void {
    const { cluster, ask } = sent.question;
    if (!this.options.clusters.knows(cluster)) return;
    const run = this.#answer(sent)
      .catch((error: unknown) => {
        this.options.log.warn({ cluster, ask, error }, 'did not answer a question of the console');
      })
      .finally(() => this.#underWay.delete(run));
    this.#underWay.add(run);
  }

  async #answer(sent: SentQuestion): Promise<void> {
    const { receiver } = this.options;
    const { question } = sent;
    // Each poller that works for the cluster would say the same.
    const refusal = await this.#refusalOf(sent);
    if (refusal === 'elsewhere') return;
    if (refusal !== undefined) return receiver.refuse(sent, refusal);
    if (!(await receiver.claim(question))) return;
    await receiver.answer(question, await this.#inTurn(question));
  }

  /**
   * Returns the reason why the user gets no answer. Nothing of a question counts before its proof was
   * checked.
   */
  async #refusalOf({ question, proof, delivery }: SentQuestion): Promise<QuestionAnswer | 'elsewhere' | undefined> {
    const { proofs } = this.options;
    // A user that knows the hash of an icon's bytes was shown them.
    if (question.ask === 'icon') return undefined;
    const { ask, cluster, namespace, name } = question;
    const about = { ask, cluster, namespace, name };
    const proved = await proofs.checker.check({ verb: ask, subject: question, proof, delivery });
    const refusal = 'reason' in proved ? proved : await proved.use('');
    if (refusal === 'elsewhere') return refusal;
    if (refusal !== undefined) {
      proofs.checker.note(refusal.reason, { ...about, message: refusal.message });
      return { because: 'refused', message: refusal.message };
    }
    return 'reason' in proved ? undefined : this.#notAllowed(question, proved);
  }

  /** Asks the policy of this poller, about rows that it observes itself. */
  #notAllowed(
    question: Exclude<ConsoleQuestion, { ask: 'icon' }>,
    { person, rights }: ProvedPerson,
  ): QuestionAnswer | undefined {
    const { rowsIn, proofs, clusters } = this.options;
    const { ask, cluster, namespace, name } = question;
    if (rights.unbounded) return undefined;
    const rows = rowsIn(cluster, namespace);
    if (rows === undefined) return { because: 'away', message: 'the cluster is not observed yet' };
    if (seesAnswer(question, rows, rights, (one) => clusters.labelsOf?.(one) ?? {})) return undefined;
    const message = `the poller's policy does not let ${person.name} see ${namespace === '' ? name : `${namespace}/${name}`} in ${cluster}`;
    proofs.checker.note(NOT_ALLOWED, { ask, cluster, namespace, name, by: person.name });
    return { because: 'refused', message };
  }

  async #inTurn(question: ConsoleQuestion): Promise<QuestionAnswer> {
    const { cluster } = question;
    if (this.#underWay.size > AT_ONCE) return ALL_BUSY;
    const running = this.#counts.get(cluster) ?? 0;
    if (running >= AT_ONCE_IN_CLUSTER) return BUSY;
    this.#counts.set(cluster, running + 1);
    try {
      return await this.#inTime(question);
    } finally {
      const left = (this.#counts.get(cluster) ?? 1) - 1;
      if (left > 0) this.#counts.set(cluster, left);
      else this.#counts.delete(cluster);
    }
  }

  async #inTime(question: ConsoleQuestion): Promise<QuestionAnswer> {
    const { clock } = this.options;
    const ended = new AbortController();
    const late = clock.sleep(DEADLINE_MS, ended.signal).then(() => AWAY);
    const answered = this.#found(question);
    try {
      return await Promise.race([answered.catch((error: unknown) => this.#answerOfFailure(question, error)), late]);
    } finally {
      ended.abort();
    }
  }

  async #found(question: ConsoleQuestion): Promise<QuestionAnswer> {
    const { clusters, globalCatalogNamespaceOf, resolutionOf, catalogsOf, csvsOf, extensionOf, catalogAnswer } =
      this.options;
    const { cluster } = question;
    if ('digest' in question) return catalogAnswer(question);
    const client = clusters.client(cluster);
    if (client === undefined) return { because: 'away', message: clusters.problemOf(cluster) ?? AWAY.message };
    const place: QuestionPlace = {
      client,
      access: accessOfPeople(cluster, clusters.knownLogin(cluster)),
      globalCatalogNamespace: await globalCatalogNamespaceOf(client),
      resolutionOf: (namespace) => resolutionOf(cluster, namespace),
      catalogs: () => catalogsOf(cluster),
      csvs: () => csvsOf(cluster),
      extension: (name) => extensionOf(cluster, name),
    };
    return answerQuestion(place, question);
  }

  /**
   * Returns the answer for a failure. The user sees the cluster's refusal; for a fault of the hub its log has
   * the cause.
   */
  #answerOfFailure({ cluster, ask }: ConsoleQuestion, error: unknown): QuestionAnswer {
    if (!KubeApiError.is(error)) {
      this.options.log.warn({ cluster, ask, error }, 'could not answer a question of the console');
      return FAULT;
    }
    const message = (error.answered ? error.said : error.message).slice(0, 2_000);
    return { because: error.answered ? 'failed' : 'away', message };
  }
}
