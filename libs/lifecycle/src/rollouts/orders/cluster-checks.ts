import type { AssignmentReport, AssignmentRow } from '#core/kernel/api/fleet/fleet-assignment';
import type { CelCheck } from '#core/kernel/api/fleet/fleet-strategy';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { leftOf } from '#core/kernel/durations/left-of';
import { celAnswer } from '#core/rollout/gates/cel-check';
import { durationMs } from '#core/rollout/placement/waves';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { OrderCluster } from './place/order-place.js';
import { reportText } from './place/row-finding.js';

type GateReport = AssignmentReport['gates'][number];
/** The answers of the checks of a row, and the milliseconds after which one of them is due again. */
type CheckedRow = Readonly<{ gates: GateReport[]; againAfterMs: number | undefined }>;

/** Answers the checks of a row that are due. Answers within their interval stay. */
export async function answerChecks(
  { client, clock }: Pick<OrderCluster, 'client' | 'clock'>,
  row: AssignmentRow,
  before: AssignmentReport | undefined,
): Promise<CheckedRow> {
  const now = clock.now().getTime();
  const isSame = before?.rollout === row.rollout && before?.attempt === row.attempt;
  const gates: GateReport[] = [];
  let againAfterMs = Number.POSITIVE_INFINITY;
  for (const { name, interval, cel } of row.checks ?? []) {
    const known = isSame ? before?.gates.find((gate) => gate.name === name) : undefined;
    const leftMs = known === undefined ? 0 : leftOf(durationMs(interval), Date.parse(known.at), now);
    if (known !== undefined && leftMs > 0) {
      gates.push(known);
      againAfterMs = Math.min(againAfterMs, leftMs);
      continue;
    }
    gates.push(await answered(client, name, cel, now));
    againAfterMs = Math.min(againAfterMs, durationMs(interval));
  }
  return { gates, againAfterMs: Number.isFinite(againAfterMs) ? againAfterMs : undefined };
}

async function answered(client: KubeClient, name: string, cel: CelCheck, now: number): Promise<GateReport> {
  const { green, message } = celAnswer(cel, await objectsOf(client, cel));
  const said = message === '' ? {} : { message: reportText(message) };
  return { name, ...(green === undefined ? {} : { green }), at: new Date(now).toISOString(), ...said };
}

async function objectsOf(client: KubeClient, check: CelCheck): Promise<readonly KubernetesObject[]> {
  const { apiVersion, kind, name, namespace } = check;
  const inNamespace = namespace === undefined ? {} : { namespace };
  if (name !== undefined) {
    const found = await client.get({ apiVersion, kind, name, ...inNamespace });
    return found === undefined ? [] : [found];
  }
  const list = await client.list({ apiVersion, kind }, inNamespace);
  return (list?.items ?? []).map((item) => ({ ...item, apiVersion, kind }));
}
