import { installFailed, stepCsv } from '#core/classic/csv/step-csv';
import type { CsvStep } from '#core/classic/csv/world/csv-world';
import { changeOfPlan, planOfCsv, secondsUntilReady } from '#core/classic/install-plan/plan/plan-of-csv';
import { isDeniedByPolicy } from '#core/kernel/admission/webhook-refusal';
import type { ClusterServiceVersion, CsvStatus } from '#core/kernel/api/cluster-service-version';
import { isCopied } from '#core/kernel/api/csv-facts';
import type { InstallPlan } from '#core/kernel/api/install-plan';
import { isTerminatingNamespace, KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { perform, reportRefusal, tryActions, writeStatus } from '../../engine/passes/perform.js';
import { eachInTurn } from '../../engine/passes/refusal.js';
import { AT_REST, joined, type StageOutcome } from '../../engine/passes/stage.js';
import { tenantOf } from '../../engine/passes/tenant.js';
import { readNamespace } from '../namespaces/namespace-read.js';
import type { NamespaceStage, NamespaceStageInput } from '../namespaces/namespace-stage.js';
import { CsvWorldReader } from './csv-world-reader.js';

/** A ClusterServiceVersion that is Succeeded for the first time. `seconds`: since its plan began. */
export type ReadyCsv = Readonly<{
  seconds: number;
  change: string | undefined;
  cluster: string;
  namespace: string;
  name: string;
}>;

/** An install takes four steps that follow at once. The whole pass checks work that turns in circles. */
const STEPS_AT_ONCE = 4;

/**
 * Takes the next step of every ClusterServiceVersion of the namespace, and those that follow at once: other
 * stages have nothing to do in between.
 */
export const csvStage =
  (log: Log, onReady: (ready: ReadyCsv) => void = () => undefined): NamespaceStage =>
  (input) => {
    let current = input;
    const measure = (
      plan: InstallPlan | undefined,
      { metadata: { name = '' }, status = {} }: ClusterServiceVersion,
    ) => {
      const seconds = secondsUntilReady(plan, status, input.now);
      const { client, read } = input;
      const where = { cluster: client.cluster, namespace: read.namespace, name };
      if (seconds !== undefined) onReady({ ...where, seconds, change: plan && changeOfPlan(plan) });
    };
    /** One step; `again`: a further one follows at once. */
    const next = async (uid: string | undefined): Promise<StageOutcome & Readonly<{ again: boolean }>> => {
      const csv = current.read.csvs.find(({ metadata }) => metadata.uid === uid);
      if (csv === undefined) return { ...AT_REST, again: false };
      const step = await decideOn(current, csv);
      const plan = step.status && planOfCsv(csv.metadata.name ?? '', current.read.installPlans);
      const outcome = await takeStep({ ...current, change: plan && changeOfPlan(plan) }, csv, step, log);
      if (outcome.moved && step.status?.phase === 'Succeeded') measure(plan, csv);
      // A further step, also of another CSV, may change an object that this one wrote: the annotation of
      // their group.
      if (outcome.moved) current = await withOwnWrites(current);
      return { ...outcome, again: outcome.moved && followsAtOnce(step) };
    };
    const own = input.read.csvs.filter((candidate) => !isCopied(candidate));
    return eachInTurn(own, async ({ metadata: { uid } }) => {
      let taken: StageOutcome & Readonly<{ again: boolean }> = { ...AT_REST, again: true };
      for (let steps = 0; taken.again && steps < STEPS_AT_ONCE && !input.signal.aborted; steps += 1) {
        const { again, ...outcome } = await next(uid);
        taken = { ...joined(taken, outcome), again };
      }
      return joined(taken, AT_REST);
    });
  };

/** Decides on the next step. The finalizer of a CSV is removed only on reads from the API server. */
async function decideOn(input: NamespaceStageInput, csv: ClusterServiceVersion): Promise<CsvStep> {
  const worlds = new CsvWorldReader(input);
  const step = stepCsv(csv, await worlds.worldOf(csv));
  if (step.releasing !== true || !(await worlds.doubtUnreadRights(csv))) return step;
  return stepCsv(csv, await worlds.worldOf(csv));
}

/** True after a change of phase. After a write of marks alone, the whole pass begins again. */
const followsAtOnce = ({ status, next }: CsvStep): boolean => status !== undefined && next?.again === 'now';

async function withOwnWrites(input: NamespaceStageInput): Promise<NamespaceStageInput> {
  const { namespace, globalCatalogNamespace } = input.read;
  return { ...input, read: await readNamespace(input.reader, namespace, globalCatalogNamespace) };
}

async function takeStep(
  input: NamespaceStageInput,
  csv: ClusterServiceVersion,
  step: CsvStep,
  log: Log,
): Promise<StageOutcome> {
  const client = step.installing === true ? installerOf(input) : input.client;
  const acted = await tryActions({ ...input, client }, step.actions, [csv]);
  if (!acted.ok) {
    const { error } = acted;
    if (step.installing !== true || saysNothing(error)) {
      await reportRefusal(input, acted.action, error);
      throw error;
    }
    const { underRights, installHash } = step;
    const failure = { ...failureOf(error), action: acted.action, underRights, installHash };
    return takeStep(input, csv, installFailed(csv, failure, input.now), log);
  }
  const written = step.status === undefined ? AT_REST : await writeStatus(input, csv, step.status);
  if (written.moved) logPhase(log, input, csv, step.status);
  const after = await perform(input, step.afterwards);
  const { next } = step;
  const moved = acted.wrote > 0 || written.moved || after.moved || next?.again === 'now';
  return next?.again === 'later' ? { moved, waitsFor: next.because, againAfterMs: next.afterMs } : { moved };
}

/** True for errors that do not fail the install: a conflict, no answer, a namespace that is being deleted. */
const saysNothing = (error: KubeApiError): boolean =>
  error.status === 0 || KubeApiError.is(error, 'Conflict') || isTerminatingNamespace(error);

function logPhase(
  log: Log,
  { client, read, change }: NamespaceStageInput,
  { metadata, status }: ClusterServiceVersion,
  now: CsvStatus = {},
) {
  const { phase, reason, message } = now;
  const { cluster } = client;
  const where = { cluster, namespace: read.namespace, name: metadata.name, change };
  const facts = { ...where, from: status?.phase ?? '', phase, reason };
  if (phase === 'Failed') log.warn({ ...facts, message }, 'ClusterServiceVersion failed');
  else log.info(facts, 'ClusterServiceVersion moved');
}

/**
 * Returns the client for installs. It has the rights of the group's service account, if the group names one
 * (spec: csv-lifecycle.md §5).
 */
function installerOf({ client, read }: NamespaceStageInput): KubeClient {
  const [group] = read.operatorGroups;
  const name = group?.spec?.serviceAccountName;
  return tenantOf(client, name ? { name, namespace: read.namespace } : undefined);
}

/**
 * A webhook or a policy may forbid requests that the account has the right to make: another right would not
 * help.
 */
const failureOf = ({ reason, said }: KubeApiError) => ({
  forbidden: reason === 'Forbidden' && !isDeniedByPolicy(said),
  message: said,
  reason,
});
