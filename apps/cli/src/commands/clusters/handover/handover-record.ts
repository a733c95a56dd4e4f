import { z } from 'zod';
import { Workload, workloadOf } from '#core/cluster/handover/workloads';
import { KIND } from '#core/kernel/api/kinds';
import { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { inParallel } from '#platform/fairness/in-parallel';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { DEPLOYMENT, PACKAGE_SERVER, podsOf } from './olm-in-cluster.js';

const NAME = 'flotilla-handover';
const KEY = 'record';
const AT_ONCE = 8;

/**
 * The record that a hand-over keeps in the cluster until the cluster is handed back. With it a hand-over that
 * was killed at any line can be repeated, and undone from another machine.
 */
export const HandoverRecord = z.object({
  v: z.literal(1),
  /** The operators as they ran before OLM was stopped. */
  workloads: z.array(Workload),
  /** OLM's package servers, as OLM installs them again. */
  packageServers: z.array(KubernetesObject),
});
export type HandoverRecord = z.infer<typeof HandoverRecord>;

const refIn = (namespace: string) => ({ ...KIND.ConfigMap, name: NAME, namespace });

/**
 * Reads the record. Returns undefined if no hand-over was begun. Rejects if the object there is no record.
 */
export async function readRecord(client: KubeClient, namespace: string): Promise<HandoverRecord | undefined> {
  const found = await client.get<KubernetesObject>(refIn(namespace));
  if (found === undefined) return undefined;
  const data = z.record(z.string(), z.string()).catch({}).parse(found['data']);
  try {
    return HandoverRecord.parse(JSON.parse(data[KEY] ?? ''));
  } catch (error) {
    const way = 'delete it; a hand-over to OLM then does not restore OLM’s package server';
    throw new Error(`ConfigMap ${namespace}/${NAME} of ${client.cluster} is not a record of a hand-over: ${way}`, {
      cause: error,
    });
  }
}

/** Keeps the record; one that is there already stays, since it is of the state before the first try. */
export async function keepRecord(client: KubeClient, namespace: string, record: HandoverRecord): Promise<void> {
  const { name, ...kind } = refIn(namespace);
  try {
    await client.create({ ...kind, metadata: { name, namespace }, data: { [KEY]: JSON.stringify(record) } });
  } catch (error) {
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
  }
}

export const dropRecord = (client: KubeClient, namespace: string): Promise<boolean> => client.delete(refIn(namespace));

/**
 * Returns the object in a form that can be created again: without the fields that the API server and
 * controllers write.
 */
export function asMade({ apiVersion, kind, metadata, ...rest }: KubernetesObject): KubernetesObject {
  const { name, namespace, labels, annotations } = metadata;
  const { status: _status, ...spec } = rest;
  const meta = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
  };
  return { apiVersion, kind, metadata: meta, ...spec };
}

/** The Deployments of operators that OLM has installed, but for its own package server. */
export async function operatorWorkloads(client: KubeClient): Promise<Workload[]> {
  const list = await client.list(DEPLOYMENT, { labelSelector: 'olm.owner' });
  const deployments = (list?.items ?? []).filter(({ metadata }) => metadata.labels?.['olm.owner'] !== PACKAGE_SERVER);
  return inParallel(deployments, AT_ONCE, async (deployment) =>
    workloadOf(deployment, await podsOf(client, deployment)),
  );
}
