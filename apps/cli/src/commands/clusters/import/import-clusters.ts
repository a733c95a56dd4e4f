import { foreignCluster, type RefusedCluster } from '#core/cluster/imports/foreign-cluster';
import { originMark } from '#core/cluster/imports/import-marks';
import { type HubAccount, importRole, toolObjects } from '#core/cluster/imports/import-role';
import { isInStep, planImport } from '#core/cluster/imports/plan-import';
import type { LoginRef } from '#core/kernel/api/fleet/fleet-cluster';
import { FleetClusterSource, type ImportTool } from '#core/kernel/api/fleet/fleet-cluster-source';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readSelector } from '#core/kernel/labels/label-selector';
import { counted } from '#core/kernel/text/counted';
import { issueText } from '#core/rollout/kinds/read-fleet-object';
import { SERVICE_ACCOUNTS } from '#platform/fleet/hub-accounts';
import { secretAccess } from '#platform/fleet/secret-access';
import { servedToolKind, toolListOptions } from '#platform/fleet/tool-objects';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { NEXT } from '../../../output/next-commands.js';
import { ExitCode, type Io, UsageError } from '../../../terminal/io.js';

type ImportOptions = Readonly<{
  /** The tool as the command names it. */
  from: string;
  tool: ImportTool;
  namespace: string | undefined;
  /** Labels that the objects of the tool must have. */
  labels: Readonly<Record<string, string>>;
  namePrefix?: string | undefined;
  /** The FleetClusterSource that keeps the clusters in step. */
  source?: string | undefined;
  dryRun: boolean;
}>;

const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const SOURCE = { apiVersion: FLEET_API, kind: 'FleetClusterSource' } as const;
/** The namespace of a hub in Kubernetes (`k8s/base/hub`). */
const HUB_NAMESPACE = 'flotilla';

/** Prints the Role that lets the hub read the clusters of a tool. */
export function printRole(
  io: Io,
  {
    tool,
    namespace,
    accounts,
  }: Readonly<{ tool: ImportTool; namespace: string | undefined; accounts: readonly HubAccount[] }>,
): void {
  const own = SERVICE_ACCOUNTS.map((name) => `${HUB_NAMESPACE}/${name}`);
  io.out(importRole({ tool, namespace, accounts: accounts.length === 0 ? own : accounts }));
  io.exit(ExitCode.done);
}

/** Runs `flotilla clusters import`: makes FleetClusters of the clusters of a tool, or a source of them. */
export async function importClusters(io: Io, hub: KubeClient, options: ImportOptions): Promise<void> {
  const { tool, namespace, source, namePrefix } = options;
  const needed = source === undefined ? FLEET_CLUSTER : SOURCE;
  if (!(await hub.serves(needed))) {
    throw new UsageError(`${hub.cluster} has no ${needed.kind}s: ${NEXT.initFleet(hub.cluster)} comes first`);
  }
  const existing = (await hub.list(FLEET_CLUSTER))?.items ?? [];
  const objects = await objectsOf(hub, options);
  const readings = objects.map((object) => foreignCluster(tool, object));
  const plan = planImport({ readings, existing, source, namePrefix });
  const { usable, unusable } = await checkedLogins(hub, plan.wanted, objects);
  if (source === undefined) {
    const held = new Map(existing.map((one) => [one.metadata.name, one]));
    for (const wanted of usable) await importOne(io, hub, wanted, held.get(wanted.metadata.name), options.dryRun);
  } else await makeSource(io, hub, { ...options, source }, usable);
  for (const note of plan.notes) io.err(`note: ${note}\n`);
  for (const { origin, refused } of [...plan.refused, ...unusable])
    io.err(`note: ${origin} is not imported: ${refused}\n`);
  if (readings.length === 0) io.err(`Nothing to import: found no ${toolObjects(tool, namespace)}.\n`);
  const isDone = usable.length > 0 || source !== undefined;
  if (isDone) io.err(nextStep(options));
  io.exit(isDone ? ExitCode.done : ExitCode.no);
}

/** Separates the clusters whose login the hub can use from the others. */
async function checkedLogins(hub: KubeClient, all: readonly KubernetesObject[], listed: readonly KubernetesObject[]) {
  const secrets = new Map(listed.map((one) => [one.metadata.name ?? '', one]));
  const usable: KubernetesObject[] = [];
  const unusable: RefusedCluster[] = [];
  for (const wanted of all) {
    const refused = await unusableLogin(hub, wanted, secrets);
    if (refused === undefined) usable.push(wanted);
    else unusable.push({ origin: originMark(wanted) ?? '', refused });
  }
  return { usable, unusable };
}

const nextStep = ({ from, tool, namespace }: ImportOptions): string =>
  tool === 'OCM' ? LOGIN_NEEDED : `${ROLE_NEEDED} ${NEXT.importRole(from, namespace)}\n`;

const ROLE_NEEDED = 'Poller and applier need a Role to read these Secrets, which the owner of the namespace applies:';
const LOGIN_NEEDED =
  'Each cluster needs a login: a Secret of its name in the namespace of the hub, of type fleet.flotilla.dev/kubeconfig.\n';

async function objectsOf(hub: KubeClient, options: ImportOptions): Promise<readonly KubernetesObject[]> {
  const { tool, namespace, labels } = options;
  const selects = readSelector({ matchLabels: labels });
  if (typeof selects !== 'function') throw new UsageError(`--selector: ${selects.error}`);
  const kind = await servedToolKind(hub, tool);
  if (kind === undefined) {
    const way = 'name the API server in which the tool runs with --fleet: it has to be the hub of the fleet';
    throw new UsageError(`${hub.cluster} has no ${toolObjects(tool, undefined)}; ${way}`);
  }
  const list = await hub.list(kind, toolListOptions(tool, namespace));
  return (list?.items ?? [])
    .filter(({ metadata }) => selects(metadata.labels ?? {}))
    .map((object) => ({ ...object, ...kind }));
}

/**
 * Returns the reason why the hub could not use the login that a FleetCluster refers to. `listed`: the objects
 * of the tool, which are the Secrets themselves in Argo CD.
 */
async function unusableLogin(
  hub: KubeClient,
  { spec }: KubernetesObject,
  listed: ReadonlyMap<string, KubernetesObject>,
): Promise<string | undefined> {
  const { secretRef } = (spec as Readonly<{ access: Readonly<{ secretRef?: LoginRef }> }>).access;
  const { name = '', namespace = '', format } = secretRef ?? {};
  if (format === undefined) return undefined;
  const secret = format === 'ArgoCD' ? listed.get(name) : await hub.get({ ...KIND.Secret, name, namespace });
  if (secret === undefined) return `there is no Secret ${namespace}/${name} yet`;
  const read = secretAccess(secret, format);
  return 'fault' in read ? read.fault.message : undefined;
}

async function importOne(
  io: Io,
  hub: KubeClient,
  wanted: KubernetesObject,
  held: KubernetesObject | undefined,
  dryRun: boolean,
): Promise<void> {
  const { name } = wanted.metadata;
  if (held !== undefined && isInStep(held, wanted)) return io.out(`cluster ${name} is there already\n`);
  const done = held === undefined ? 'imported' : 'updated';
  if (dryRun) return io.out(`cluster ${name} would be ${done}\n`);
  await hub.apply(wanted);
  io.out(`cluster ${name} ${done}\n`);
}

async function makeSource(
  io: Io,
  hub: KubeClient,
  { source, tool, namespace, labels, namePrefix, dryRun }: ImportOptions & Readonly<{ source: string }>,
  clusters: readonly KubernetesObject[],
): Promise<void> {
  const wanted = {
    ...{ ...SOURCE, metadata: { name: source } },
    spec: {
      from: tool,
      ...(namespace === undefined ? {} : { namespace }),
      ...(Object.keys(labels).length === 0 ? {} : { selector: { matchLabels: labels } }),
      ...(namePrefix === undefined ? {} : { namePrefix }),
    },
  };
  const parsed = FleetClusterSource.safeParse(wanted);
  if (!parsed.success) throw new UsageError(`FleetClusterSource ${source}: ${issueText(parsed.error)}`);
  const names = clusters.map(({ metadata }) => metadata.name).join(', ');
  const found = `${counted(clusters.length, 'cluster')}${names === '' ? '' : `: ${names}`}`;
  if (dryRun) return io.out(`FleetClusterSource ${source} would keep in step ${found}\n`);
  try {
    await hub.apply(wanted as KubernetesObject);
  } catch (error) {
    if (!KubeApiError.is(error, 'Invalid')) throw error;
    throw new UsageError(`FleetClusterSource ${source}: ${error.said}`);
  }
  io.out(`FleetClusterSource ${source} keeps in step ${found}\n`);
}
