import type { ServedKind } from '#core/classic/install-plan/execution/aged-kinds';
import {
  agedKinds,
  concludeExecution,
  contextOf,
  keepsDefinitions,
  migratesStoredVersions,
  nextTurn,
  operatorGroupVerdict,
  refuseUnsupported,
  replacesCopies,
  revivedByOptIn,
  revivedByRights,
  startMarks,
} from '#core/classic/install-plan/execution/step-install-plan';
import { changeOfPlan } from '#core/classic/install-plan/plan/plan-of-csv';
import type { InstallPlan, InstallPlanStatus } from '#core/kernel/api/install-plan';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import type { OwnRights } from '#platform/joining/own-rights';
import type { KindRef } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import type { Metrics } from '#platform/telemetry/metrics/metrics';
import type { Tracer } from '#platform/telemetry/tracing/tracer.port';
import { writeStatus } from '../../engine/passes/perform.js';
import { eachInTurn } from '../../engine/passes/refusal.js';
import { AT_REST, joined, pauseFor, type StageOutcome, waitFor } from '../../engine/passes/stage.js';
import { tenantOf } from '../../engine/passes/tenant.js';
import { type BundleContents, FETCHED_AFTER_MS } from '../bundles/bundle-contents.js';
import type { OfferedBundles } from '../bundles/offered-bundles.js';
import { ReferencedBundles } from '../bundles/referenced-bundles.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { type Executed, executeSteps, prospectOf } from './execute-steps.js';
import { type ForeignPlans, refuseForeign } from './foreign-plans.js';
import { type Prospect, retryOnRequest, retryWhenCauseIsGone } from './retry-failed-plan.js';
import { refuseUncoveredKinds } from './uncovered-kinds.js';

export type InstallPlanSettings = Readonly<{
  retryTimeoutMs: number;
  contents: BundleContents;
  /** Time limit for the bundles that a plan refers to, in milliseconds. 0: no limit. */
  unpackTimeoutMs: number;
  /** The policy for plans that the hub did not make. */
  foreign: ForeignPlans;
  offered: OfferedBundles;
  /** The rights of the hub's login. Absent if a user's login is used, and nothing is written. */
  rights?: OwnRights;
  log: Log;
  metrics: Pick<Metrics, 'installPlanWarnings'>;
  tracer?: Tracer | undefined;
}>;

/**
 * Pause until the next check of a plan with a faulty group. OLM retries it after a growing pause; ours is
 * short and fixed, and costs one read.
 */
const CHECK_AGAIN_MS = 15_000;

const RIGHTS: readonly KindRef[] = [KIND.ServiceAccount, KIND.Role, KIND.RoleBinding];

/** Takes the next step of every plan of the namespace: approval, execution of its steps, its end. */
export const installPlanStage =
  (settings: InstallPlanSettings): NamespaceStage =>
  (input) =>
    eachInTurn(input.read.installPlans, (plan) => takeTurn({ ...input, change: changeOfPlan(plan) }, plan, settings));

async function takeTurn(
  input: NamespaceStageInput,
  plan: InstallPlan,
  settings: InstallPlanSettings,
): Promise<StageOutcome> {
  const now = input.now.toISOString();
  const requested = await retryOnRequest(input, plan);
  if (requested !== undefined) return requested;
  const revived = plan.status?.phase === 'Failed' ? await revive(input, plan) : undefined;
  if (revived !== undefined) return write(input, plan, revived, settings);
  const retried = await retryWhenCauseIsGone(input, plan, () => prospectNow(input, plan, settings));
  if (retried !== undefined) return retried;
  const turn = nextTurn(plan, input.read.operatorGroups, now);
  if (turn.turn === 'write') return write(input, plan, turn.status, settings);
  if (turn.turn === 'rest') {
    const written = turn.status === undefined ? AT_REST : await write(input, plan, turn.status, settings);
    return turn.retry ? joined(written, waitFor('an OperatorGroup in order', CHECK_AGAIN_MS)) : written;
  }
  const context = contextIn(input, plan, turn.actingAs, settings);
  const clients = { own: input.client, tenant: tenantOf(input.client, turn.actingAs) };
  const bundles = referencedBundles(input, plan, settings);
  const isTenant = turn.actingAs !== undefined;
  const refused = await refusedBefore(input, plan, settings, { bundles, isTenant });
  const isRefused = refused.outcomes.size > 0 || refused.stillFetching !== undefined;
  const { outcomes, stillFetching } = isRefused
    ? refused
    : await executeSteps(clients, plan, context, { input, bundles });
  if (stillFetching !== undefined && outcomes.size === 0) {
    return waitFor(`bundles to be fetched: ${stillFetching.join(', ')}`, FETCHED_AFTER_MS);
  }
  const warned = [...outcomes.values()].filter((outcome) => outcome.warned).length;
  if (warned > 0) settings.metrics.installPlanWarnings(input.client.cluster, warned);
  const { status, againAfterMs } = concludeExecution(plan, outcomes, { now, retryTimeoutMs: settings.retryTimeoutMs });
  const written = await write(input, plan, status, settings);
  return joined(written, pauseFor('steps of an InstallPlan', againAfterMs));
}

/** Returns the outcomes of a plan that is refused before anything is applied. Empty for every other plan. */
async function refusedBefore(
  input: NamespaceStageInput,
  plan: InstallPlan,
  { foreign, rights }: InstallPlanSettings,
  own: Readonly<{ bundles: ReferencedBundles; isTenant: boolean }>,
): Promise<Executed> {
  const refused = await refuseForeign(input, plan, foreign);
  if (refused.size > 0) return { outcomes: refused };
  const unsupported = refuseUnsupported(plan, await unservedIn(input, plan));
  if (unsupported.size > 0 || rights === undefined) return { outcomes: unsupported };
  return refuseUncoveredKinds(input, plan, { rights, ...own });
}

/** Returns the plan's kinds in alpha and beta versions of built-in APIs that the cluster does not serve. */
async function unservedIn({ client }: NamespaceStageInput, plan: InstallPlan): Promise<readonly ServedKind[]> {
  const found = await Promise.all(agedKinds(plan).map(async (kind) => ((await client.serves(kind)) ? [] : [kind])));
  return found.flat();
}

/**
 * Returns the bundles that a plan refers to. A plan of the hub may have all of them; another plan may have
 * those that the catalogs offer the namespace.
 */
function referencedBundles(
  input: NamespaceStageInput,
  plan: InstallPlan,
  settings: InstallPlanSettings,
): ReferencedBundles {
  const { contents, unpackTimeoutMs, foreign, offered } = settings;
  const { cluster } = input.client;
  const isOwn = foreign.marks?.isOwn(cluster, plan) ?? false;
  return new ReferencedBundles(
    contents,
    input,
    plan.metadata.name ?? '',
    unpackTimeoutMs,
    async (reference) => isOwn || (await offered.has(cluster, input.read.namespace, reference)),
  );
}

const contextIn = (
  { read, now }: NamespaceStageInput,
  plan: InstallPlan,
  actingAs: ObjectRef | undefined,
  { retryTimeoutMs }: InstallPlanSettings,
) =>
  contextOf(plan, {
    actingAs,
    operatorNamespace: read.globalCatalogNamespace,
    now: now.toISOString(),
    retryTimeoutMs,
    keepsDefinitions: keepsDefinitions(plan),
    migrateStoredVersions: read.operatorGroups.some(migratesStoredVersions),
    replaceCopiedCsvs: read.operatorGroups.some(replacesCopies),
    startMarks: startMarks(read.subscriptions, read.operatorGroups),
  });

/**
 * Returns true if the step that stopped a failed plan would succeed now, with the current rights of the
 * group.
 */
async function prospectNow(
  input: NamespaceStageInput,
  plan: InstallPlan,
  settings: InstallPlanSettings,
): Promise<Prospect> {
  const verdict = operatorGroupVerdict(input.read.operatorGroups);
  if (!verdict.ok) return { goesOn: false, because: verdict.message };
  const [foreign] = (await refuseForeign(input, plan, settings.foreign)).values();
  if (foreign !== undefined) return { goesOn: false, because: foreign.error };
  const clients = { own: input.client, tenant: tenantOf(input.client, verdict.serviceAccount) };
  const bundles = referencedBundles(input, plan, settings);
  const context = contextIn(input, plan, verdict.serviceAccount, settings);
  return prospectOf(clients, plan, context, { input, bundles });
}

/** Writes the plan's status; logs a change of phase, and why a plan waits. */
async function write(
  input: NamespaceStageInput,
  plan: InstallPlan,
  status: InstallPlanStatus,
  { log, tracer }: InstallPlanSettings,
): Promise<StageOutcome> {
  const written = await writeStatus(input, plan, status);
  const { phase, message } = status;
  const from = plan.status?.phase ?? '';
  if (!written.moved || (from === phase && message === plan.status?.message)) return written;
  const { change, client, read } = input;
  const where = { cluster: client.cluster, namespace: read.namespace, name: plan.metadata.name, change };
  const facts = { ...where, from, phase, message };
  if (tracer !== undefined && change !== undefined) trace(tracer, { ...where, change }, status);
  if (phase === 'Failed') log.warn(facts, 'InstallPlan failed');
  else log.info(facts, 'InstallPlan moved');
  return written;
}

type TracedPlan = Readonly<{ cluster: string; namespace: string; name: string | undefined; change: string }>;

/** The plan's status was written just now. */
function trace(
  tracer: Tracer,
  { change, ...where }: TracedPlan,
  { phase, message, startTime }: InstallPlanStatus,
): void {
  if (phase !== 'Complete' && phase !== 'Failed') return;
  const endMs = tracer.nowMs();
  const startMs = startTime === undefined ? endMs : Date.parse(startTime);
  const error = phase === 'Failed' ? (message ?? phase) : undefined;
  tracer.ended({ name: 'install', change, startMs, endMs, attributes: { ...where, phase }, error });
}

const revive = async (input: NamespaceStageInput, plan: InstallPlan): Promise<InstallPlanStatus | undefined> =>
  revivedByOptIn(plan, input.read.operatorGroups) ??
  revivedByRights(plan, await rightsIn(input), input.read.operatorGroups);

async function rightsIn({ read, reader }: NamespaceStageInput): Promise<readonly KubernetesObject[]> {
  const { namespace } = read;
  const lists = await Promise.all(RIGHTS.map((kind) => reader.list(kind, { namespace })));
  return lists.flat();
}
