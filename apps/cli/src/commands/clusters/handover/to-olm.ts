import { setTimeout } from 'node:timers/promises';
import { OWNED_BY_OLM } from '#core/cluster/joining/cluster-owner';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { asRecord } from '#core/kernel/crd/loose-value';
import { OWNER_CONFIRMED_MS } from '#platform/joining/owner-check';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { readOwner, writeOwner } from '../../../clusters/cluster-owner.js';
import { NEXT } from '../../../output/next-commands.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import type { HandoverOptions } from './from-olm.js';
import { dropRecord, type HandoverRecord, readRecord } from './handover-record.js';
import { olmDeployments, REPLICAS_ANNOTATION, replicasOf, titleOf } from './olm-in-cluster.js';

const POLL_MS = 500;
/** Wait after a hub's last check of the cluster's owner, for writes that the hub had already sent. */
const UNDER_WAY_MS = 2_000;

/**
 * Runs `flotilla clusters handover NAME --to olm`: makes every hub leave the cluster, then starts OLM as it
 * was before. Can be repeated after it was killed.
 */
export async function handOverToOlm(client: KubeClient, io: Io, options: HandoverOptions): Promise<void> {
  const { cluster: name } = client;
  const deployments = await olmDeployments(client);
  const namespace = deployments[0]?.metadata.namespace;
  if (namespace === undefined) {
    io.err(`error: OLM is not installed in ${name}: install OLM, and the hub leaves the cluster by itself\n`);
    return io.exit(ExitCode.no);
  }
  const record = await readRecord(client, namespace);
  const stopped = deployments.filter((deployment) => replicasOf(deployment) === 0);
  if (options.dryRun) return tell(io, { name, named: options.named, stopped, record });
  await leave(client, io);
  for (const csv of record?.packageServers ?? []) await putBack(client, io, csv);
  for (const deployment of stopped) await start(client, io, deployment);
  for (const deployment of deployments) await ready(client, deployment, options.timeoutMs);
  await dropRecord(client, namespace);
  io.out(`cluster ${name} is handed over to OLM, and OLM runs\n`);
  io.err(`No hub manages it until you run: ${NEXT.handoverFromOlm(options.named)}\n`);
  io.exit(ExitCode.done);
}

type Plan = Readonly<{
  name: string;
  named: string;
  stopped: readonly KubernetesObject[];
  record: HandoverRecord | undefined;
}>;

function tell(io: Io, { name, named, stopped, record }: Plan): void {
  io.out(`hubs would leave ${name}\n`);
  for (const csv of record?.packageServers ?? []) io.out(`${titleOf(csv)} would be restored\n`);
  for (const deployment of stopped) {
    io.out(`${titleOf(deployment)} would be scaled to ${replicasBefore(deployment)}\n`);
  }
  io.err(`Nothing was changed. To hand it over: ${NEXT.handoverToOlm(named)}\n`);
  io.exit(ExitCode.done);
}

/**
 * Has every hub leave the cluster. A hub confirms the owner of a cluster before it writes, unless it has read
 * it in the last ten seconds.
 */
async function leave(client: KubeClient, io: Io): Promise<void> {
  const owner = await readOwner(client);
  if (owner.holder !== OWNED_BY_OLM) await writeOwner(client, owner, OWNED_BY_OLM);
  // Another try waits again: the time of the first one is not known.
  if (owner.holder !== '') {
    io.err('Waiting until hubs have finished their writes …\n');
    await setTimeout(OWNER_CONFIRMED_MS + UNDER_WAY_MS);
  }
  io.out('hubs have left\n');
}

async function putBack(client: KubeClient, io: Io, csv: KubernetesObject): Promise<void> {
  if ((await client.get(refOf(csv))) !== undefined) return;
  await client.create(csv);
  io.out(`${titleOf(csv)} restored\n`);
}

/** Returns the replicas before the hand-over. A Deployment that was scaled down by hand gets one replica. */
const replicasBefore = ({ metadata }: KubernetesObject): number =>
  Number(metadata.annotations?.[REPLICAS_ANNOTATION] ?? 1) || 1;

async function start(client: KubeClient, io: Io, deployment: KubernetesObject): Promise<void> {
  const replicas = replicasBefore(deployment);
  const annotations = { [REPLICAS_ANNOTATION]: null };
  await client.patch(refOf(deployment), { metadata: { annotations }, spec: { replicas } });
  io.out(`${titleOf(deployment)} scaled to ${replicas}\n`);
}

async function ready(client: KubeClient, deployment: KubernetesObject, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const found = await client.get<KubernetesObject>(refOf(deployment));
    const available = Number(asRecord(found?.['status'])['availableReplicas'] ?? 0);
    if (available > 0) return;
    if (performance.now() >= until) {
      throw new Error(
        `${titleOf(deployment)} did not become available in time: see its pods, then run the same command to continue`,
      );
    }
    await setTimeout(POLL_MS);
  }
}
