import { z } from 'zod';
import {
  ASKED_KINDS,
  type ConsoleQuestion,
  EXPLAINED_KINDS,
  type QuestionAnswer,
} from '#core/view/questions/console-question';
import { operatorChain } from '#core/view/questions/operator-chain';
import { placeOf } from '#core/view/rights/rights';
import { hasCatalog, operatorOfObject } from '#core/view/rights/seen-objects';
import type { OperatorRow, PlanRow } from '#core/view/rows/rows';
import { notFound, RequestProblem, refusedByHub } from '../api/problem.js';
import {
  AdviceItem,
  EventsAnswer,
  Explanation,
  GivenApproval,
  KeptRevision,
  ObjectAddress,
  ObjectAnswer,
  OfferedVersion,
  ReasonNode,
  ReviewAnswer,
  ReviewQuestion,
  WholeObject,
} from '../api/questions.schema.js';
import { waitsForApproval } from '../lists/plan-classes.js';
import { seenOthers } from '../questions/class-touches.js';
import { reviewClass } from '../questions/review-class.js';
import { labelsIn } from '../rows/visible-rows.js';
import { type ApiRoute, post, type RouteContext } from './route.js';

type Kind = (typeof ASKED_KINDS)[number];
type ExplainedKind = (typeof EXPLAINED_KINDS)[number];
type Asked = Exclude<Extract<ConsoleQuestion, { kind: string }>['ask'], 'explain'>;

/** A poller's answer to `explain`. */
const ObjectExplanation = z.object({
  because: z.array(z.string()),
  stillRuns: z.string().optional(),
  advice: z.array(AdviceItem),
  conflict: ReasonNode.optional(),
  newer: z.array(OfferedVersion).default([]),
  revisions: z.array(KeptRevision).default([]),
  approval: GivenApproval.optional(),
});

const isAskedKind = (kind: string): kind is Kind => (ASKED_KINDS as readonly string[]).includes(kind);
const isExplainedKind = (kind: string): kind is ExplainedKind => (EXPLAINED_KINDS as readonly string[]).includes(kind);

/** The operator that an object belongs to, among those that the person may see. */
const operatorOf = ({ rows, person, view }: RouteContext, asked: ObjectAddress): OperatorRow | undefined =>
  operatorOfObject(rows, asked, person.rights, labelsIn(view));

/**
 * Asks about an object. Checks rights before any answer, kept or fresh: an object that a person may not see
 * does not exist for them.
 */
async function askAbout(context: RouteContext<unknown, ObjectAddress>, ask: Asked) {
  const { questions, person, body } = context;
  const { cluster, kind, namespace, name } = body;
  if (operatorOf(context, body) === undefined || !isAskedKind(kind)) throw notFound('such object');
  if (questions === undefined) throw notHere();
  const question = { v: 1, ask, cluster, kind, namespace, name } as const;
  return known(await questions.inTurn(person, () => questions.ask(question, person)));
}

function known(answer: QuestionAnswer): unknown {
  if ('answer' in answer) return answer.answer;
  if (answer.because === 'gone') throw notFound('such object');
  if (answer.because === 'refused') throw refusedByHub(answer.message);
  const isAway = answer.because === 'away';
  throw new RequestProblem(
    isAway ? 504 : 502,
    isAway ? 'cluster-away' : 'cluster-refused',
    isAway ? 'The cluster did not answer.' : 'The cluster refused to answer.',
    `${answer.message}. Try again, or use the command with your own rights.`,
  );
}

const notHere = () =>
  new RequestProblem(503, 'no-questions', 'This console cannot ask clusters.', 'Use flotilla explain.');

/**
 * Builds the explanation. A catalog is not in the chain of an operator: it has only its cause and its advice.
 */
function explanationOf(answer: unknown, operator: OperatorRow | undefined): Explanation {
  const { because, stillRuns, advice, conflict, newer, revisions, approval } = ObjectExplanation.parse(answer);
  if (operator === undefined) return { chain: [], because, advice, newer: [], revisions: [] };
  const { newest, installed, channel, standing, cause } = operator;
  const isBehind = newest !== '' && newest !== installed && standing !== 'well';
  return {
    ...{ chain: operatorChain(operator), because, advice },
    ...(stillRuns === undefined ? {} : { stillRuns }),
    ...(cause === undefined ? {} : { cause }),
    ...(conflict === undefined ? {} : { conflict }),
    newer:
      newer.length > 0 || !isBehind ? newer : [{ bundle: newest, version: '', channel, why: because.at(-1) ?? '' }],
    revisions,
    ...(approval && { approval }),
  };
}

async function explain(context: RouteContext<unknown, ObjectAddress>): Promise<Explanation> {
  const { questions, person, body } = context;
  const { cluster, kind, namespace, name } = body;
  const operator = operatorOf(context, body);
  const isSeen = operator !== undefined || hasCatalog(context.rows, body);
  if (!isSeen || !isExplainedKind(kind)) throw notFound('such object');
  if (questions === undefined) throw notHere();
  const question = { v: 1, ask: 'explain', cluster, kind, namespace, name } as const;
  return explanationOf(known(await questions.inTurn(person, () => questions.ask(question, person))), operator);
}

/**
 * Reads an object for a person. Views of pages are not recorded, but whole objects are: an object is not
 * shown if its reading cannot be recorded.
 */
async function readObject<T>(context: RouteContext<unknown, ObjectAddress>, ask: Asked, as: z.ZodType<T>): Promise<T> {
  const answer = await askAbout(context, ask);
  const { cluster, kind, namespace, name } = context.body;
  const whole = ask === 'whole-object' ? { outcome: 'whole' } : {};
  const event = { event: 'object-read', verb: kind, targets: [`${cluster}/${namespace}/${name}`], ...whole } as const;
  await context.audit(event).catch((error: unknown) => {
    const why = 'The audit log cannot be written, so the object is not shown.';
    throw new RequestProblem(503, 'no-audit', why, `Correct FLOTILLA_CONSOLE_AUDIT_FILE: ${String(error)}`);
  });
  return as.parse(answer);
}

async function review(context: RouteContext<unknown, ReviewQuestion>): Promise<ReviewAnswer> {
  const { questions, person, rows, body, view } = context;
  if (questions === undefined) throw notHere();
  const { hash } = body;
  const mayApprove = (plan: PlanRow) => person.rights.may('approver', placeOf(plan), labelsIn(view));
  const plans = rows.plans.filter((plan) => plan.hash === hash && waitsForApproval(plan));
  const clusters = new Set(plans.map(({ cluster }) => cluster));
  const near = rows.operators.filter(({ cluster }) => clusters.has(cluster));
  const others = seenOthers(near, person.rights, labelsIn(view));
  const ask = (question: ConsoleQuestion) => questions.ask(question, person);
  return questions.inTurn(person, () => reviewClass({ hash, plans, mayApprove, others, ask, now: questions.now() }));
}

/** Routes for facts that rows do not hold; the pollers ask the clusters. */
export const questionRoutes: readonly ApiRoute[] = [
  post({
    path: '/questions/explain',
    name: 'Explanation',
    summary: 'The cause of the state of an object, with advice',
    body: ObjectAddress,
    answer: Explanation,
    status: 200,
    run: explain,
  }),
  post({
    path: '/questions/object',
    name: 'ObjectAnswer',
    summary: 'An object as YAML, without managed fields',
    body: ObjectAddress,
    answer: ObjectAnswer,
    status: 200,
    run: (context) => readObject(context, 'object', ObjectAnswer),
  }),
  post({
    path: '/questions/whole-object',
    name: 'WholeObject',
    summary: 'An object that is too large for a page, as base64 of gzip of YAML',
    body: ObjectAddress,
    answer: WholeObject,
    status: 200,
    run: (context) => readObject(context, 'whole-object', WholeObject),
  }),
  post({
    path: '/questions/events',
    name: 'EventsAnswer',
    summary: 'The Events about an object, the newest first',
    body: ObjectAddress,
    answer: EventsAnswer,
    status: 200,
    run: async (context) => EventsAnswer.parse(await askAbout(context, 'events')),
  }),
  post({
    path: '/questions/review',
    name: 'ReviewAnswer',
    summary: 'A class of plans, compared with each of its clusters',
    body: ReviewQuestion,
    answer: ReviewAnswer,
    status: 200,
    run: review,
  }),
];
