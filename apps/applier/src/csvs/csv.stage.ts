import type { ClusterServiceVersion } from '#core/api/cluster-service-version';
import { isCopied } from '#core/csv/csv-facts';
import type { CsvStep } from '#core/csv/csv-world';
import { installFailed, stepCsv } from '#core/csv/step-csv';
import type { KubeApiError } from '#platform/kube/kube-client.port';
import { perform, tryActions, writeStatus } from '../namespaces/perform.js';
import { AT_REST, type StageInput, type StageOutcome, sooner } from '../namespaces/stage.js';
import { CsvWorldReader } from './csv-world-reader.js';

/** Takes every ClusterServiceVersion of the namespace one step on. */
export async function csvStage(input: StageInput): Promise<StageOutcome> {
  const reader = new CsvWorldReader(input);
  let outcome = AT_REST;
  for (const csv of input.read.csvs.filter((candidate) => !isCopied(candidate))) {
    const step = await takeStep(input, csv, stepCsv(csv, await reader.worldOf(csv)));
    outcome = {
      moved: outcome.moved || step.moved,
      againAfterMs: sooner(outcome.againAfterMs, step.againAfterMs),
    };
  }
  return outcome;
}

async function takeStep(input: StageInput, csv: ClusterServiceVersion, step: CsvStep): Promise<StageOutcome> {
  const acted = await tryActions(input, step.actions, [csv]);
  if (!acted.ok) {
    if (step.installing !== true || acted.error.status === 0) throw acted.error;
    return takeStep(input, csv, installFailed(csv, failureOf(acted.error), input.now));
  }
  const written = step.status === undefined ? AT_REST : await writeStatus(input, csv, step.status);
  await perform(input, step.afterwards);
  const next = step.next;
  return {
    moved: acted.wrote > 0 || written.moved || next?.again === 'now',
    againAfterMs: next?.again === 'later' ? next.afterMs : undefined,
  };
}

const failureOf = ({ reason, message }: KubeApiError) => ({ forbidden: reason === 'Forbidden', message });
