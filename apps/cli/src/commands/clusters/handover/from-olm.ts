import { setTimeout } from 'node:timers/promises';
import { workloadChanges } from '#core/cluster/handover/workloads';
import { OWNED_BY_OLM } from '#core/cluster/joining/cluster-owner';
import { CSV_API, CSV_CLEANUP_FINALIZER } from '#core/kernel/api/cluster-service-version';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { counted } from '#core/kernel/text/counted';
import { shellWord } from '#core/kernel/text/shell-word';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { readOwner, writeOwner } from '../../../clusters/cluster-owner.js';
import { commandSettings } from '../../../hub/command-settings.js';
import { NEXT } from '../../../output/next-commands.js';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { checkHandover } from './check-handover.js';
import { asMade, type HandoverRecord, keepRecord, operatorWorkloads, readRecord } from './handover-record.js';
import {
  catalogServers,
  DEPLOYMENT,
  olmDeployments,
  PACKAGE_SERVER,
  packageServers,
  podsOf,
  REPLICAS_ANNOTATION,
  replicasOf,
  titleOf,
} from './olm-in-cluster.js';

/** Returns the kubeconfig with which this command reaches the cluster. */
const fileOf = ({ login }: KubeClient): string => (login === undefined ? 'FILE' : shellWord(login.file));

export type HandoverOptions = Readonly<{
  dryRun: boolean;
  /** Proceed despite failed checks. */
  force: boolean;
  /** Longest time for pods to end, or to be ready. */
  timeoutMs: number;
  /** Address of the hub. The checks use its content of catalogs. */
  hub: string | undefined;
  /** The name of the cluster and the options that lead to it, for the next command. */
  named: string;
}>;

const POLL_MS = 500;
const PACKAGES_API = {
  ...KIND.APIService,
  name: 'v1.packages.operators.coreos.com',
};

/**
 * Runs `flotilla clusters handover NAME --from olm`: checks, stops OLM, removes the objects that only OLM
 * needs, and leaves the cluster to a hub. Every step finds out by itself whether it was done. A hand-over
 * that was killed therefore continues from its last step.
 */
export async function handOverFromOlm(client: KubeClient, io: Io, options: HandoverOptions): Promise<void> {
  const { cluster: name } = client;
  const deployments = await olmDeployments(client);
  const [first] = deployments;
  if (first === undefined) {
    io.err(
      `error: OLM does not run in ${name}: it has no Deployment there. A hub can manage the cluster at once: ${NEXT.upWith(fileOf(client), shellWord(client.login?.context ?? name))}\n`,
    );
    return io.exit(ExitCode.no);
  }
  const owner = await readOwner(client);
  const running = deployments.filter((deployment) => replicasOf(deployment) > 0);
  if (running.length === 0 && owner.holder !== OWNED_BY_OLM) {
    io.out(`cluster ${name} is already handed over: OLM is scaled to zero\n`);
    return io.exit(ExitCode.done);
  }
  // OLM that is stopped no longer finishes its work: a hand-over that was begun therefore continues without
  // new checks.
  if (running.length > 0 && !(await mayBegin(client, io, options))) return io.exit(ExitCode.no);
  if (options.dryRun) return tell(client, io, deployments, options);
  if (owner.holder !== OWNED_BY_OLM) await writeOwner(client, owner, OWNED_BY_OLM);
  io.out('hubs wait until OLM has stopped\n');
  const record = await recorded(client, deployments);
  for (const deployment of running) await stop(client, io, deployment);
  for (const deployment of deployments) await gone(client, deployment, options.timeoutMs);
  io.out(`the pods of OLM have ended\n`);
  for (const csv of record.packageServers) await removePackageServer(client, io, csv);
  const servers = await catalogServers(client);
  for (const server of servers) await client.delete(refOf(server));
  io.out(`${counted(servers.length, 'pod or Service', 'pods and Services')} of catalogs removed\n`);
  const changes = workloadChanges(record.workloads, await operatorWorkloads(client));
  await writeOwner(client, await readOwner(client), undefined);
  end(io, { name, named: options.named, record, changes });
}

async function mayBegin(client: KubeClient, io: Io, { force, hub }: HandoverOptions): Promise<boolean> {
  const findings = await checkHandover(client, commandSettings(process.env), hub);
  for (const { kind, text } of findings) io.err(`${kind === 'refusal' ? 'error' : 'note'}: ${text}\n`);
  const refusals = findings.filter(({ kind }) => kind === 'refusal').length;
  if (refusals === 0) return true;
  const { cluster: name } = client;
  if (force) io.err(`note: ${name} is handed over nevertheless (--force)\n`);
  else
    io.err(`error: ${name} is not handed over, and nothing was changed; to hand it over nevertheless, use --force\n`);
  return force;
}

async function tell(
  client: KubeClient,
  io: Io,
  deployments: readonly KubernetesObject[],
  { named }: HandoverOptions,
): Promise<void> {
  for (const deployment of deployments) io.out(`${titleOf(deployment)} would be scaled to zero\n`);
  for (const csv of await packageServers(client, deployments)) io.out(`${titleOf(csv)} would be removed\n`);
  for (const server of await catalogServers(client)) io.out(`${titleOf(server)} would be removed\n`);
  io.err(`Nothing was changed. To hand it over: ${NEXT.handoverFromOlm(named)}\n`);
  io.exit(ExitCode.done);
}

/** Returns the record of the state before the first try. Keeps it in the cluster if there is none yet. */
async function recorded(client: KubeClient, deployments: readonly KubernetesObject[]): Promise<HandoverRecord> {
  const namespace = deployments[0]?.metadata.namespace ?? '';
  const known = await readRecord(client, namespace);
  if (known !== undefined) return known;
  const [workloads, servers] = await Promise.all([operatorWorkloads(client), packageServers(client, deployments)]);
  const record: HandoverRecord = { v: 1, workloads, packageServers: servers.map(asMade) };
  await keepRecord(client, namespace, record);
  return record;
}

async function stop(client: KubeClient, io: Io, deployment: KubernetesObject): Promise<void> {
  const annotations = { [REPLICAS_ANNOTATION]: String(replicasOf(deployment)) };
  await client.patch(refOf(deployment), { metadata: { annotations }, spec: { replicas: 0 } });
  io.out(`${titleOf(deployment)} scaled to zero\n`);
}

async function gone(client: KubeClient, deployment: KubernetesObject, timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const { length } = await podsOf(client, deployment);
    if (length === 0) return;
    if (performance.now() >= until) {
      throw new Error(
        `${counted(length, 'pod')} of ${titleOf(deployment)} did not end in time; run the same command to continue`,
      );
    }
    await setTimeout(POLL_MS);
  }
}

/** Deletes the package server as OLM does with its ClusterServiceVersion: no controller does it now. */
async function removePackageServer(client: KubeClient, io: Io, csv: KubernetesObject): Promise<void> {
  const { namespace = '' } = csv.metadata;
  const labelSelector = `olm.owner=${PACKAGE_SERVER},olm.owner.namespace=${namespace}`;
  for (const kind of [KIND.ClusterRoleBinding, KIND.ClusterRole]) {
    const list = await client.list(kind, { labelSelector });
    for (const { metadata } of list?.items ?? []) {
      await client.delete({ ...kind, name: metadata.name ?? '' });
    }
  }
  await client.delete(PACKAGES_API);
  const ref = { ...CSV_API, name: PACKAGE_SERVER, namespace };
  const found = await client.get(ref);
  if (found?.metadata.finalizers?.includes(CSV_CLEANUP_FINALIZER)) {
    const finalizers = found.metadata.finalizers.filter((one) => one !== CSV_CLEANUP_FINALIZER);
    await client.patch(ref, { metadata: { resourceVersion: found.metadata.resourceVersion, finalizers } });
  }
  if (found !== undefined) await client.delete(ref);
  await client.delete({ ...DEPLOYMENT, name: PACKAGE_SERVER, namespace });
  io.out(`${titleOf(csv)} removed, with its APIService\n`);
}

type Ended = Readonly<{ name: string; named: string; record: HandoverRecord; changes: readonly string[] }>;

function end(io: Io, { name, named, record, changes }: Ended): void {
  const all = counted(record.workloads.length, 'Deployment');
  if (changes.length === 0) io.out(`${all} of operators still running\n`);
  for (const change of changes) io.err(`error: ${change}\n`);
  io.out(`cluster ${name} is handed over\n`);
  io.err(
    `A hub with this cluster in its kubeconfig begins within a minute, and at the latest ten minutes after OLM's last write. To hand it back: ${NEXT.handoverToOlm(named)}\n`,
  );
  io.exit(changes.length === 0 ? ExitCode.done : ExitCode.no);
}
