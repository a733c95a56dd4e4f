import type { InstallPlan, InstallPlanStep } from '#core/api/install-plan';
import { joinApiVersion } from '#core/api/kubernetes-object';
import { kindOfStep } from '#core/install-plan/install-plan-step';
import {
  decideStep,
  emptyWorld,
  outcomeOf,
  type Performed,
  readsForStep,
  type StepAnswer,
  type StepContext,
  type StepOutcome,
  type StepRead,
  type StepWorld,
  unfinishedSteps,
  usesOwnRights,
  warningEvent,
  withAnswer,
} from '#core/install-plan/step-install-plan';
import { KubeApiError, type KubeClient } from '#platform/kube/kube-client.port';
import type { PassReader } from '../namespaces/pass-reader.js';
import { perform, tryActions } from '../namespaces/perform.js';
import type { StageInput } from '../namespaces/stage.js';

/** Our own client, and the one that writes as the group's service account where it names one. */
export type PlanClients = Readonly<{ own: KubeClient; tenant: KubeClient }>;

/** `warned`: the API server had something to say about it. */
export type ExecutedStep = StepOutcome & Readonly<{ warned?: boolean }>;

/** Carries out the unfinished steps in order and stops at the first that cannot be done; outcomes by index of the step. */
export async function executeSteps(
  clients: PlanClients,
  plan: InstallPlan,
  context: StepContext,
  input: StageInput,
): Promise<Map<number, ExecutedStep>> {
  const outcomes = new Map<number, ExecutedStep>();
  for (const [index, step] of unfinishedSteps(plan)) {
    const outcome = await executeStep(clients, step, context, input);
    outcomes.set(index, outcome);
    if (outcome.error !== undefined) break;
  }
  return outcomes;
}

async function executeStep(
  clients: PlanClients,
  step: InstallPlanStep,
  context: StepContext,
  input: StageInput,
): Promise<ExecutedStep> {
  const decision = decideStep(step, context, await readWorld(input.reader, step, context));
  if (!('actions' in decision)) return outcomeOf(step, decision);
  const writer = usesOwnRights(step) ? clients.own : clients.tenant;
  const outcome = await tryActions({ ...input, client: writer }, decision.actions);
  if (!outcome.ok) return outcomeOf(step, decision, await refusal(clients.own, step, outcome.error));
  const warnings = outcome.warnings.map(({ text }) => text);
  await perform(input, warningEvent(step, context, warnings));
  const creates = decision.actions.some((action) => action.do === 'create');
  const done = outcomeOf(step, decision, { ok: true, warnings, alreadyExisted: creates && outcome.wrote === 0 });
  return { ...done, warned: warnings.length > 0 };
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

async function readWorld(reader: PassReader, step: InstallPlanStep, context: StepContext): Promise<StepWorld> {
  let world = emptyWorld;
  for (;;) {
    const reads = readsForStep(step, context, world);
    if (reads.length === 0) return world;
    const answers = await Promise.all(reads.map((read) => answer(reader, read)));
    for (const [index, read] of reads.entries()) world = withAnswer(world, read, answers[index] ?? { list: [] });
  }
}

async function answer(reader: PassReader, read: StepRead): Promise<StepAnswer> {
  try {
    return read.read === 'get' ? { object: await reader.get(read.ref) } : { list: await listOf(reader, read) };
  } catch (error) {
    // Unreachable is not an answer about the step: the whole pass is tried again later.
    if (!KubeApiError.is(error) || error.status === 0) throw error;
    return { failed: error.said, forbidden: error.reason === 'Forbidden' };
  }
}

const listOf = (reader: PassReader, { apiVersion, kind, namespace }: Extract<StepRead, { read: 'list' }>) =>
  reader.list({ apiVersion, kind }, namespace === undefined ? {} : { namespace });
