import { desiredNamespaceOf } from '#core/classic/resolution/problem/desired-namespace';
import type { Resolution, ResolutionProblem } from '#core/classic/resolution/problem/resolution-problem';
import { sameJson } from '#core/kernel/canonical/same-json';
import { environmentName } from '#platform/config/settings';
import type { JobQueue } from '#platform/queue/job-queue.port';
import type { SubjectJob } from '#platform/queue/jobs';
import type { PollerAgreement } from '../../engine/passes/poller-agreement.js';
import type { HashedProblem, ObservedProblems } from '../namespaces/observed-problems.js';
import type { NamespaceStageInput } from '../namespaces/stage.js';

/** Dependencies of the shell that reads solutions. */
export type SolutionDeps = Readonly<{
  observed: ObservedProblems;
  agreement: Pick<PollerAgreement, 'note'>;
  observe: JobQueue<SubjectJob>;
}>;

/** A problem of the namespace, and its solution. */
type SolvedProblem = Readonly<{ hash: string; problem: ResolutionProblem; solution: Resolution }>;

const GLOBAL_CATALOGS = environmentName('globalCatalogNamespace');
/** A compromised resolver must not keep poller and applier running in circles. */
const OBSERVE_AFTER_REFUSAL_MS = 30_000;
/**
 * The poller mostly notices by itself what makes an answer stale; asking it at once would only
 * have both run in circles.
 */
const OBSERVE_AFTER_MS = 1_000;

/** Reads the observed problem and its solution. One that does not fit any more is observed again. */
export async function readSolution(
  { observed, observe, agreement }: SolutionDeps,
  input: NamespaceStageInput,
): Promise<SolvedProblem | undefined> {
  const { client, read } = input;
  const { cluster } = client;
  const desired = desiredNamespaceOf(read);
  const fits = (one: HashedProblem | undefined) => sameJson(desired, one?.problem.wishes);
  const first = await observed.of(input);
  const known = fits(first) ? first : await observed.ofRound(input);
  if (known !== undefined) {
    const poller = known.problem.wishes.globalCatalogNamespace;
    agreement.note(cluster, { setting: GLOBAL_CATALOGS, applier: read.globalCatalogNamespace, poller });
  }
  if (known === undefined || !fits(known)) {
    await observe.add({ v: 1, cluster, namespace: read.namespace }, { delayMs: OBSERVE_AFTER_MS });
    return undefined;
  }
  const solution = await observed.solution(input, known.hash);
  return solution && { ...known, solution };
}

/** Has the problem solved anew, after its solution was refused. */
export async function solveAnew(
  { observed, observe }: Pick<SolutionDeps, 'observed' | 'observe'>,
  input: NamespaceStageInput,
): Promise<void> {
  const where = { cluster: input.client.cluster, namespace: input.read.namespace };
  observed.forgetSolution(input);
  await observe.add({ v: 1, ...where }, { delayMs: OBSERVE_AFTER_REFUSAL_MS });
}
