import { companionInstallation, companionsOn } from '#core/cluster/joining/companion-installation';
import { type CrdInstallation, crdInstallation } from '#core/cluster/joining/crd-installation';
import { KIND } from '#core/kernel/api/kinds';
import { type KubernetesObject, refOf, splitApiVersion } from '#core/kernel/api/kubernetes-object';
import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { KubeApiError, type KubeClient } from '../kube/client/kube-client.port.js';
import { shippedManifests } from './shipped-manifests.js';

/**
 * An object that is not as it should be there, and why: the API server refused, or the one
 * in the cluster has more.
 */
export type Unjoined = Readonly<{ object: string; because: string }>;

/** The changes to a cluster on joining it. Names of objects as `Kind name` or `Kind namespace/name`. */
export type JoinReport = Readonly<{
  cluster: string;
  installed: readonly string[];
  upgraded: readonly string[];
  /** Definitions in the cluster that have versions or fields missing in ours: they stay. */
  left: readonly Unjoined[];
  /** Objects that the API server did not allow. Everything else continues. */
  refused: readonly Unjoined[];
  /** Objects that are installed once their definition is served. A busy API server delays that. */
  awaited: readonly Unjoined[];
}>;

type Report = {
  cluster: string;
  installed: string[];
  upgraded: string[];
  left: Unjoined[];
  refused: Unjoined[];
  awaited: Unjoined[];
};

const SERVED_WITHIN_MS = 10_000;
const POLL_EVERY_MS = 200;

/**
 * Gives a cluster OLM's CustomResourceDefinitions and their companion objects, if these are missing or older
 * and the cluster allows it. Writes nothing if all is there. Rejects only if the cluster does not answer.
 */
export async function joinCluster(client: KubeClient): Promise<JoinReport> {
  const { companions, crds } = await shippedManifests();
  const report = await joinCrds(client);
  const openShift = await client.serves(KIND.ClusterVersion);
  const until = report.installed.length === 0 ? 0 : performance.now() + SERVED_WITHIN_MS;
  for (const ours of companionsOn(companions, openShift)) {
    const definition = crds.find((crd) => crdKind(crd) === ours.kind && crdGroup(crd) === groupOf(ours));
    await allowed(report, ours, () => joinCompanion(client, { ours, definition, until }, report));
  }
  return report;
}

/** The definitions alone. */
export async function joinCrds(client: KubeClient): Promise<JoinReport & Report> {
  const { crds } = await shippedManifests();
  const report: Report = { cluster: client.cluster, installed: [], upgraded: [], left: [], refused: [], awaited: [] };
  for (const ours of crds) await allowed(report, ours, () => joinCrd(client, ours, report));
  return report;
}

async function joinCrd(client: KubeClient, ours: KubernetesObject, report: Report): Promise<void> {
  const installation = await wantedFor(client, ours);
  if (installation.do === 'leave') report.left.push({ object: titleOf(ours), because: installation.because });
  if (installation.do !== 'install' && installation.do !== 'upgrade') return;
  await client.apply(ours);
  report[installation.do === 'install' ? 'installed' : 'upgraded'].push(titleOf(ours));
}

/**
 * Decides how to install a definition of ours. A client that may not read CRDs still sees the served kinds
 * in the API server's discovery.
 */
async function wantedFor(client: KubeClient, ours: KubernetesObject): Promise<CrdInstallation> {
  try {
    return crdInstallation(await client.get(refOf(ours)), ours);
  } catch (error) {
    if (!KubeApiError.is(error, 'Forbidden')) throw error;
    const [version] = crdVersions(ours);
    const served = await client.serves({ apiVersion: `${crdGroup(ours)}/${version?.name}`, kind: crdKind(ours) });
    return { do: served ? 'nothing' : 'install' };
  }
}

const groupOf = ({ apiVersion }: KubernetesObject): string => splitApiVersion(apiVersion).group;

/**
 * An object in addition to the definitions. `until`: the time until which it waits for its own definition,
 * since that may be new.
 */
type Companion = Readonly<{ ours: KubernetesObject; definition: KubernetesObject | undefined; until: number }>;

async function joinCompanion(
  client: KubeClient,
  { ours, definition, until }: Companion,
  report: Report,
): Promise<void> {
  const isThere = definition !== undefined && !report.refused.some(({ object }) => object === titleOf(definition));
  if (!(await servedSoon(client, ours, isThere ? until : 0))) {
    const [to, when] = isThere ? [report.awaited, 'not served yet'] : [report.refused, 'not served there'];
    to.push({ object: titleOf(ours), because: `${ours.apiVersion} ${ours.kind} is ${when}` });
    return;
  }
  const { namespace } = ours.metadata;
  const group = ours.kind === 'OperatorGroup' && namespace !== undefined;
  const groups = group ? ((await client.list(ours, { namespace }))?.items.length ?? 0) : 0;
  const live = await client.get(refOf(ours));
  if (companionInstallation(ours, { live, groups }) === 'nothing') return;
  await client.apply(ours);
  report[live === undefined ? 'installed' : 'upgraded'].push(titleOf(ours));
}

/** A definition that was just written is served after a moment; one that was refused never. */
async function servedSoon(client: KubeClient, { apiVersion, kind }: KubernetesObject, until: number): Promise<boolean> {
  for (;;) {
    if (await client.serves({ apiVersion, kind })) return true;
    if (performance.now() >= until) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
}

/**
 * Runs `join`. A refusal is reported and blocks nothing more; an unreachable cluster is the caller's error.
 */
async function allowed(report: Report, ours: KubernetesObject, join: () => Promise<void>): Promise<void> {
  try {
    await join();
  } catch (error) {
    if (!KubeApiError.is(error) || error.status === 0 || error.status >= 500) throw error;
    report.refused.push({ object: titleOf(ours), because: error.message });
  }
}

const titleOf = ({ kind, metadata: { namespace, name } }: KubernetesObject): string =>
  `${kind} ${[namespace, name].filter(Boolean).join('/')}`;
