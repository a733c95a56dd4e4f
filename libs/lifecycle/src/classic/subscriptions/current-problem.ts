import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import { sameJson } from '#core/kernel/canonical/same-json';
import { environmentName } from '#platform/config/settings';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { PollerAgreement } from '../../engine/passes/poller-agreement.js';
import { AT_REST, type StageOutcome } from '../../engine/passes/stage.js';
import type { NamespaceStageInput } from '../namespaces/namespace-stage.js';
import type { HashedProblem, ObservedProblems } from '../namespaces/observed-problems.js';

/** Dependencies of the shell that reads problems and solutions. */
export type SolutionDeps = Readonly<{
  observed: ObservedProblems;
  agreement: Pick<PollerAgreement, 'note'>;
  observe: JobQueue<SubjectJob>;
}>;

const GLOBAL_CATALOGS = environmentName('globalCatalogNamespace');
/** Pause after a refused answer: a stolen resolver must not keep poller and applier running in circles. */
const OBSERVE_AFTER_REFUSAL_MS = 30_000;
/**
 * Pause after a stale answer: the poller mostly notices the change by itself. Without a pause both would run
 * in circles.
 */
const OBSERVE_AFTER_MS = 1_000;

/**
 * Reads the observed problem of the namespace. Undefined if none fits the current demands of the namespace.
 */
export async function readProblem(
  { observed, agreement }: Pick<SolutionDeps, 'observed' | 'agreement'>,
  input: NamespaceStageInput,
): Promise<HashedProblem | undefined> {
  const { client, read } = input;
  const desired = desiredNamespaceOf(read);
  const fits = (one: HashedProblem | undefined) => sameJson(desired, one?.problem.wishes);
  const first = await observed.of(input);
  const known = fits(first) ? first : await observed.ofRound(input);
  if (known !== undefined) {
    const poller = known.problem.wishes.globalCatalogNamespace;
    agreement.note(client.cluster, { setting: GLOBAL_CATALOGS, applier: read.globalCatalogNamespace, poller });
  }
  return fits(known) ? known : undefined;
}

/** Requests another observation of the namespace: its problem does not fit any more. */
export async function observeAgain(
  { observe }: Pick<SolutionDeps, 'observe'>,
  { client: { cluster }, read: { namespace } }: NamespaceStageInput,
): Promise<StageOutcome> {
  await observe.add({ v: 1, cluster, namespace }, { delayMs: OBSERVE_AFTER_MS });
  return AT_REST;
}

/** Requests another solution after a refused one. */
export async function solveAnew(
  { observed, observe }: Pick<SolutionDeps, 'observed' | 'observe'>,
  input: NamespaceStageInput,
): Promise<void> {
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  observed.forgetSolution(input);
  await observe.add({ v: 1, ...where }, { delayMs: OBSERVE_AFTER_REFUSAL_MS });
}
