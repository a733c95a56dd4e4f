import type { ClusterServiceVersion, CsvStatus } from '#core/api/cluster-service-version';
import { isCopied } from '#core/csv/csv-facts';
import type { CsvStep } from '#core/csv/csv-world';
import { installFailed, stepCsv } from '#core/csv/step-csv';
import type { KubeApiError, KubeClient } from '#platform/kube/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';
import { perform, tryActions, writeStatus } from '../namespaces/perform.js';
import { eachInTurn } from '../namespaces/refusal.js';
import { AT_REST, type Stage, type StageInput, type StageOutcome } from '../namespaces/stage.js';
import { tenantOf } from '../namespaces/tenant.js';
import { CsvWorldReader } from './csv-world-reader.js';

/** Takes every ClusterServiceVersion of the namespace one step on. */
export const csvStage =
  (log: Log): Stage =>
  (input) => {
    const reader = new CsvWorldReader(input);
    const own = input.read.csvs.filter((candidate) => !isCopied(candidate));
    return eachInTurn(own, async (csv) => takeStep(input, csv, stepCsv(csv, await reader.worldOf(csv)), log));
  };

async function takeStep(input: StageInput, csv: ClusterServiceVersion, step: CsvStep, log: Log): Promise<StageOutcome> {
  const client = step.installing === true ? installerOf(input) : input.client;
  const acted = await tryActions({ ...input, client }, step.actions, [csv]);
  if (!acted.ok) {
    if (step.installing !== true || acted.error.status === 0) throw acted.error;
    return takeStep(
      input,
      csv,
      installFailed(csv, { ...failureOf(acted.error), action: acted.action }, input.now),
      log,
    );
  }
  const written = step.status === undefined ? AT_REST : await writeStatus(input, csv, step.status);
  if (written.moved) logPhase(log, input, csv, step.status);
  const after = await perform(input, step.afterwards);
  const next = step.next;
  return {
    moved: acted.wrote > 0 || written.moved || after.moved || next?.again === 'now',
    againAfterMs: next?.again === 'later' ? next.afterMs : undefined,
  };
}

function logPhase(
  log: Log,
  { client, read }: StageInput,
  { metadata, status }: ClusterServiceVersion,
  now: CsvStatus = {},
) {
  const { phase, reason, message } = now;
  const { cluster } = client;
  const facts = { cluster, namespace: read.namespace, name: metadata.name, from: status?.phase ?? '', phase, reason };
  if (phase === 'Failed') log.warn({ ...facts, message }, 'ClusterServiceVersion failed');
  else log.info(facts, 'ClusterServiceVersion moved');
}

/** Installing runs with the rights of the group's service account, where the group names one (spec: csv-lifecycle.md §5). */
function installerOf({ client, read }: StageInput): KubeClient {
  const [group] = read.operatorGroups;
  const name = group?.spec?.serviceAccountName;
  return tenantOf(client, name ? { name, namespace: read.namespace } : undefined);
}

const failureOf = ({ reason, said }: KubeApiError) => ({ forbidden: reason === 'Forbidden', message: said, reason });
