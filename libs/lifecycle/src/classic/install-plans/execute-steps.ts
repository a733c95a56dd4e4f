import {
  decideStep,
  emptyWorld,
  migratedEvent,
  outcomeOf,
  type Performed,
  type RewriteDecision,
  readsForStep,
  type SettledDecision,
  type StepAnswer,
  type StepContext,
  type StepOutcome,
  type StepRead,
  type StepWorld,
  unfinishedSteps,
  usesOwnRights,
  warningEvent,
  withAnswer,
} from '#core/classic/install-plan/execution/step-install-plan';
import { kindOfStep } from '#core/classic/install-plan/steps/install-plan-step';
import type { InstallPlan, InstallPlanStep } from '#core/kernel/api/install-plan';
import { joinApiVersion } from '#core/kernel/api/kubernetes-object';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { namingWebhook } from '../../engine/passes/name-webhook.js';
import type { PassReader } from '../../engine/passes/pass-reader.js';
import { perform, tryActions } from '../../engine/passes/perform.js';
import type { ReferencedBundles } from '../bundles/referenced-bundles.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { isAllowed } from './is-allowed.js';
import type { Prospect } from './retry-failed-plan.js';
import { rewriteObjects } from './rewrite-objects.js';
import { refusalOfDryRun } from './try-dry-run.js';

/** Our own client, and the one that writes as the group's service account if the group names one. */
type PlanClients = Readonly<{ own: KubeClient; tenant: KubeClient }>;

/** `warned`: the API server's warnings about it. */
export type ExecutedStep = StepOutcome & Readonly<{ warned?: boolean }>;

type Execution = Readonly<{ input: NamespaceStageInput; bundles: Pick<ReferencedBundles, 'whole'> }>;

/** Outcomes by index of the step. `stillFetching`: the next step needs bundles that are not here yet. */
export type Executed = Readonly<{ outcomes: ReadonlyMap<number, ExecutedStep>; stillFetching?: readonly string[] }>;

/** Carries out the unfinished steps in order and stops at the first that fails. */
export async function executeSteps(
  clients: PlanClients,
  plan: InstallPlan,
  context: StepContext,
  { input, bundles }: Execution,
): Promise<Executed> {
  const outcomes = new Map<number, ExecutedStep>();
  const planMessage = plan.status?.message ?? '';
  for (const [index, step] of unfinishedSteps(plan)) {
    const whole = await bundles.whole(step);
    if ('stillFetching' in whole) return { outcomes, ...whole };
    const outcome =
      'fail' in whole
        ? outcomeOf(step, whole)
        : await executeStep(clients, { index, step: whole.step, message: planMessage }, context, input);
    outcomes.set(index, outcome);
    if (outcome.error !== undefined) break;
  }
  return { outcomes };
}

/** Conflicts in a row after which the plan reports the error. */
const MOST_TRIES = 5;

/** True if there was no answer. Then there is no verdict about the step: the whole pass is retried later. */
const isUnanswered = ({ status }: KubeApiError): boolean => status === 0;

/** `planMessage`: the message of the plan's status, before this execution. */
type StepInPlan = Readonly<{ index: number; step: InstallPlanStep; message: string }>;

async function executeStep(
  clients: PlanClients,
  inPlan: StepInPlan,
  context: StepContext,
  input: NamespaceStageInput,
  tries = 1,
): Promise<ExecutedStep> {
  const { index, step, message: planMessage } = inPlan;
  const decided = await decide(clients, step, context, input);
  if (!('actions' in decided)) {
    // The plan is retried every few seconds: the Event is only for the first failure of this kind.
    if (decided.advice !== undefined && !planMessage.endsWith(decided.fail)) await perform(input, [decided.advice]);
    return outcomeOf(step, decided);
  }
  const writer = usesOwnRights(step) ? clients.own : clients.tenant;
  const outcome = await tryActions({ ...input, client: writer }, decided.actions);
  if (!outcome.ok) {
    const { error } = outcome;
    if (isUnanswered(error)) throw error;
    if (KubeApiError.is(error, 'Conflict') && tries < MOST_TRIES)
      return executeStep(clients, inPlan, context, input, tries + 1);
    return outcomeOf(step, decided, await refusal(clients.own, step, error));
  }
  const warnings = outcome.warnings.map(({ text }) => text);
  await perform(input, warningEvent([index, step], context, warnings));
  const creates = decided.actions.some((action) => action.do === 'create');
  const done = outcomeOf(step, decided, { ok: true, warnings, alreadyExisted: creates && outcome.wrote === 0 });
  return { ...done, warned: warnings.length > 0 };
}

/** Decides the step. If stored objects must first be migrated, migrates them once and decides again. */
async function decide(
  clients: PlanClients,
  step: InstallPlanStep,
  context: StepContext,
  input: NamespaceStageInput,
): Promise<SettledDecision> {
  const decision = decideStep(step, context, await readWorld(clients, input.reader, step, context));
  if (!('rewrite' in decision)) return decision;
  const refused = await migrate(clients.own, decision, context, input);
  if (refused !== undefined) return refused;
  const again = decideStep(step, context, await readWorld(clients, input.reader, step, context));
  return 'rewrite' in again ? { fail: `${step.resource.name} changed while its objects were rewritten` } : again;
}

/** Undefined once it is done. */
async function migrate(
  client: KubeClient,
  { rewrite, because, afterwards }: RewriteDecision,
  context: StepContext,
  input: NamespaceStageInput,
): Promise<SettledDecision | undefined> {
  const { kind, leaving, storage } = because;
  try {
    const count = await rewriteObjects(client, rewrite, input.signal);
    input.reader.forget(rewrite.kind);
    await perform(input, [afterwards, migratedEvent(context, { ...because, count })]);
    return undefined;
  } catch (error) {
    if (!KubeApiError.is(error) || isUnanswered(error)) throw error;
    const what = `error rewriting every ${kind} in ${storage} so that ${leaving.join(', ')} can go`;
    const { message, reason } = await namingWebhook(input.reader, error);
    return { fail: `${what}: ${message}`, forbidden: reason === 'Forbidden' };
  }
}

/**
 * Returns true if the first unfinished step of a failed plan would succeed now. The decision uses the
 * cluster's current objects, and sends the writes as a dry run. Nothing is stored.
 */
export async function prospectOf(
  clients: PlanClients,
  plan: InstallPlan,
  context: StepContext,
  { input, bundles }: Execution,
): Promise<Prospect> {
  const [left] = unfinishedSteps(plan);
  if (left === undefined) return { goesOn: false };
  const whole = await bundles.whole(left[1]);
  if ('stillFetching' in whole) return { goesOn: false };
  if ('fail' in whole) return { goesOn: false, because: whole.fail };
  const { step } = whole;
  const decision = decideStep(step, context, await readWorld(clients, input.reader, step, context));
  if ('rewrite' in decision) return { goesOn: false };
  if ('fail' in decision) return { goesOn: false, because: decision.fail };
  const writer = usesOwnRights(step) ? clients.own : clients.tenant;
  const refused = await refusalOfDryRun(writer, decision.actions);
  if (refused === undefined) return { goesOn: true };
  const error = await namingWebhook(input.reader, refused);
  return { goesOn: false, because: outcomeOf(step, decision, await refusal(clients.own, step, error)).error };
}

async function refusal(client: KubeClient, step: InstallPlanStep, error: KubeApiError): Promise<Performed> {
  const { said: message, reason } = error;
  if (reason !== 'NotFound') return { ok: false, message, reason };
  const { group, version, kind } = kindOfStep(step);
  return {
    ok: false,
    message,
    reason,
    kindServed: await client.serves({ apiVersion: joinApiVersion(group, version), kind }),
  };
}

async function readWorld(
  { tenant }: PlanClients,
  reader: PassReader,
  step: InstallPlanStep,
  context: StepContext,
): Promise<StepWorld> {
  let world = emptyWorld;
  for (;;) {
    const reads = readsForStep(step, context, world);
    if (reads.length === 0) return world;
    const answers = await Promise.all(reads.map((read) => answer(tenant, reader, read)));
    for (const [index, read] of reads.entries()) world = withAnswer(world, read, answers[index] ?? { list: [] });
  }
}

async function answer(tenant: KubeClient, reader: PassReader, read: StepRead): Promise<StepAnswer> {
  try {
    if (read.read === 'access') return { allowed: await isAllowed(tenant, read.may) };
    return read.read === 'get' ? { object: await reader.get(read.ref) } : { list: await listOf(reader, read) };
  } catch (error) {
    if (!KubeApiError.is(error) || isUnanswered(error)) throw error;
    const { said, reason } = await namingWebhook(reader, error);
    return { failed: said, forbidden: reason === 'Forbidden' };
  }
}

const listOf = (reader: PassReader, { apiVersion, kind, namespace }: Extract<StepRead, { read: 'list' }>) =>
  reader.list({ apiVersion, kind }, namespace === undefined ? {} : { namespace });
