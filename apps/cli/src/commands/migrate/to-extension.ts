import { gzipSync } from 'node:zlib';
import type { z } from 'zod';
import { type CommandAccess, commandIn } from '#core/cluster/advice/command-in';
import { MIGRATED_FROM_SUBSCRIPTION_KEY } from '#core/cluster/migration/planned-extension';
import { CLUSTER_EXTENSION_API } from '#core/kernel/api/cluster-extension';
import { CLUSTER_OBJECT_SET_API, ClusterObjectSet } from '#core/kernel/api/cluster-object-set';
import { type KubernetesObject, refOf } from '#core/kernel/api/kubernetes-object';
import { SUBSCRIPTION_API, Subscription } from '#core/kernel/api/subscription';
import { counted } from '#core/kernel/text/counted';
import { shellWord } from '#core/kernel/text/shell-word';
import { readForeign } from '#core/kernel/verdict/read-foreign';
import { buildRevision } from '#core/v1/revision/build-revision';
import { copied, hasSucceeded } from '#core/v1/revision/revision-states';
import { SystemClock } from '#platform/clock/system-clock';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { reconcileObjectSet } from '../../../../../libs/lifecycle/src/v1/reconcile-extension.js';
import { commandSettings } from '../../hub/command-settings.js';
import { NEXT } from '../../output/next-commands.js';
import { extensionDepsOf } from '../../preview/extension-deps.js';
import { openLiveContents } from '../../preview/live-contents.js';
import type { NextStepDeps } from '../../preview/next-step.js';
import { ExitCode, type Io, NotFound } from '../../terminal/io.js';
import { titleOf } from '../clusters/handover/olm-in-cluster.js';
import {
  createUnlessThere,
  keepRecord,
  type MigrationRecord,
  ownedByExtension,
  recordOfExtension,
  recordOfSubscription,
} from './migration-record.js';
import { isRefused, planMigration, renderedRevision } from './plan-migration.js';
import { releaseFromClassic, until } from './release-csv.js';
import { runningWorkloads, workloadTroubles } from './running-workloads.js';

export type MigrateOptions = Readonly<{
  name: string;
  namespace: string;
  /** The name of the ClusterExtension. Default: that of the package. */
  extension?: string | undefined;
  dryRun: boolean;
  /** Longest time for a step. */
  timeoutMs: number;
  hub: string | undefined;
  /** Options that lead to the cluster, for the next command. */
  access: CommandAccess;
}>;

/**
 * Runs `flotilla migrate subscription NAME -n NS`: an operator of OLM Classic becomes a ClusterExtension of
 * the same bundle. Every step finds out by itself whether it was done. A move that was killed therefore
 * continues from its last step (why: extensions.md "From Subscription to ClusterExtension").
 */
export async function migrateSubscription(client: KubeClient, io: Io, options: MigrateOptions): Promise<void> {
  const settings = commandSettings(process.env);
  const deps = { settings, contents: await openLiveContents(settings, options.hub) };
  const record = await begun(client, deps, options, io);
  if (record === undefined) return;
  const { name = '' } = record.extension.metadata;
  if (options.dryRun) {
    for (const ref of record.objects)
      io.out(
        `${ref.kind} ${[ref.namespace, ref.name].filter(Boolean).join('/')} becomes part of the ClusterExtension\n`,
      );
    io.out(`ClusterExtension ${name} would manage ${record.bundle.name} instead of the Subscription\n`);
    io.err('Nothing was changed.\n');
    return io.exit(ExitCode.done);
  }
  const { namespace = '', name: subscription = '' } = record.subscription.metadata;
  await client.delete({ ...SUBSCRIPTION_API, name: subscription, namespace });
  io.out(`Subscription ${namespace}/${subscription} is deleted: no updates until the move has ended\n`);
  await storeRevision(client, deps, record);
  await rolledOut(client, deps, `${name}-1`, options.timeoutMs);
  io.out(`revision ${name}-1 has ${counted(record.objects.length, 'object')} of ${record.bundle.name}\n`);
  await releaseFromClassic(client, record, options.timeoutMs);
  io.out(`${titleOf(record.csv)} is deleted; its objects stay\n`);
  await makeExtension(client, deps, record);
  io.out(`ClusterExtension ${name} manages ${record.bundle.name}\n`);
  const troubles = workloadTroubles(record.workloads, await runningWorkloads(client, record.objects));
  if (troubles.length === 0) io.out(`${counted(record.workloads.length, 'Deployment')} still running\n`);
  for (const trouble of troubles) io.err(`error: ${trouble}\n`);
  io.err(
    `Back: ${NEXT.migrateExtension(name, options.access.options?.flotilla ?? `-C ${shellWord(client.cluster)}`)}\n`,
  );
  io.exit(troubles.length === 0 ? ExitCode.done : ExitCode.no);
}

/**
 * Returns the record of a move that was begun before, or plans one now and keeps its record. Returns
 * undefined if there is nothing to do.
 */
async function begun(
  client: KubeClient,
  deps: NextStepDeps,
  { name, namespace, extension, dryRun, access }: MigrateOptions,
  io: Io,
): Promise<MigrationRecord | undefined> {
  const found = await client.get<KubernetesObject>({ ...SUBSCRIPTION_API, name, namespace });
  const subscription =
    found && asReadable(`Subscription ${namespace}/${name}`, Subscription, { ...found, ...SUBSCRIPTION_API });
  const known = await recordOfSubscription(client, deps.settings.systemNamespace, { name, namespace });
  const isCurrent = subscription === undefined || subscription.status?.installedCSV === known?.record.bundle.name;
  if (known !== undefined && isCurrent) return known.record;
  if (subscription === undefined) {
    throw new NotFound(
      `Subscription ${namespace}/${name} does not exist in ${client.cluster}, and was not moved before`,
    );
  }
  const { findings, record } = await planMigration(client, subscription, deps, extension);
  for (const { kind, text, todo } of findings)
    io.err(`${kind === 'refusal' ? 'error' : 'note'}: ${commandIn(access, `${text}: ${todo}`)}\n`);
  if (record === undefined || isRefused(findings)) {
    io.err(`error: Subscription ${namespace}/${name} is not moved, and nothing was changed\n`);
    io.exit(ExitCode.no);
    return undefined;
  }
  if (dryRun) return record;
  // The record of an earlier try, for a bundle that is no longer installed.
  if (known !== undefined) await client.delete(refOf(known.secret));
  await keepRecord(client, deps.settings.systemNamespace, record);
  return record;
}

/**
 * Stores the manifests first, then the revision, then makes the revision their owner. Does nothing if the
 * revision exists.
 */
async function storeRevision(client: KubeClient, deps: NextStepDeps, record: MigrationRecord): Promise<void> {
  const { extension, subscription } = record;
  const ref = { ...CLUSTER_OBJECT_SET_API, name: `${extension.metadata.name}-1` };
  const desired = await renderedRevision(client, extension, record, deps);
  if ('error' in desired) throw new Error(desired.error);
  const origin = `${subscription.metadata.namespace}/${subscription.metadata.name}`;
  const annotations = { [MIGRATED_FROM_SUBSCRIPTION_KEY]: origin };
  const adoption = { protection: 'IfNoController', annotations } as const;
  const { systemNamespace } = deps.settings;
  const plan = buildRevision(extension, 1, { ...desired, adoption }, { systemNamespace, compress: gzipSync });
  if ('error' in plan) throw new Error(plan.error);
  for (const secret of plan.secrets) await createUnlessThere(client, withoutOwners(secret));
  await createUnlessThere(client, withoutOwners(plan.revision));
  const stored = await client.get<KubernetesObject>(ref);
  const owner = {
    ...CLUSTER_OBJECT_SET_API,
    name: ref.name,
    uid: stored?.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  for (const secret of plan.secrets) await client.patch(refOf(secret), { metadata: { ownerReferences: [owner] } });
}

/** Removes the owner references. The extension, their target, is created last. */
function withoutOwners<T extends KubernetesObject>(object: T): T {
  const { ownerReferences: _later, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns an object of the cluster as its type. An object of another form ends the command with one line. */
function asReadable<T>(what: string, schema: z.ZodType<T>, object: unknown): T {
  const read = readForeign(schema, object);
  if ('value' in read) return read.value;
  throw new Error(`${what} cannot be read: ${read.problem}`);
}

/** Rolls the revision out from here, with or without an active hub. */
async function rolledOut(client: KubeClient, deps: NextStepDeps, name: string, timeoutMs: number): Promise<void> {
  const [passDeps, clock, signal] = [extensionDepsOf(deps), new SystemClock(), new AbortController().signal];
  let last = '';
  const once = async () => {
    await reconcileObjectSet(passDeps, { client, reads: client, name }, clock, signal);
    const found = await client.get<KubernetesObject>({ ...CLUSTER_OBJECT_SET_API, name });
    if (found === undefined) throw new Error(`revision ${name} is gone; run the same command to recreate it`);
    const set = asReadable(`revision ${name}`, ClusterObjectSet, { ...found, ...CLUSTER_OBJECT_SET_API });
    last = [copied(set, 'Progressing')?.message, copied(set, 'Available')?.message].filter(Boolean).join(' ');
    return hasSucceeded(set);
  };
  await until(`the rollout of revision ${name}`, timeoutMs, once).catch((error: unknown) => {
    throw error instanceof Error && last !== '' ? new Error(`${error.message}. ${last}`, { cause: error }) : error;
  });
}

async function makeExtension(client: KubeClient, deps: NextStepDeps, { extension }: MigrationRecord): Promise<void> {
  const { name = '' } = extension.metadata;
  await createUnlessThere(client, extension);
  const stored = await client.get<KubernetesObject>({ ...CLUSTER_EXTENSION_API, name });
  if (stored === undefined) throw new Error(`ClusterExtension ${name} is gone; run the same command to recreate it`);
  const patch = { metadata: { ownerReferences: ownedByExtension(stored) } };
  await client.patch({ ...CLUSTER_OBJECT_SET_API, name: `${name}-1` }, patch);
  const kept = await recordOfExtension(client, deps.settings.systemNamespace, name);
  if (kept !== undefined) await client.patch(refOf(kept.secret), patch);
}
