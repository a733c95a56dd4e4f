import { setTimeout } from 'node:timers/promises';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { refOf } from '#core/kernel/api/kubernetes-object';
import { crdGroup, crdKind, crdVersions } from '#core/kernel/crd/crd-versions';
import { counted } from '#core/kernel/text/counted';
import { fleetManifests } from '#platform/joining/fleet-manifests';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { isData } from '../../../output/data-format.js';
import type { AnswerFormat } from '../../../output/output-option.js';
import { printData } from '../../../output/print-data.js';
import { ExitCode, type Io } from '../../../terminal/io.js';

/** The outcome for one object. */
export type AppliedObject = Readonly<{
  kind: string;
  name: string;
  result: 'created' | 'configured' | 'unchanged' | 'would be created' | 'would be configured';
}>;
export type InitOptions = Readonly<{ dryRun: boolean; output: AnswerFormat }>;

const CRD = 'CustomResourceDefinition';
const SERVED_WITHIN_MS = 10_000;
const POLL_EVERY_MS = 200;

/**
 * Runs `flotilla fleet init`: gives the API server of a hub the kinds of the fleet, the roles, and the check
 * of decisions. It is repeatable: correct objects stay.
 */
export async function initFleet(hub: KubeClient, io: Io, { dryRun, output }: InitOptions): Promise<void> {
  if (!(await hub.serves(KIND.ValidatingAdmissionPolicy))) {
    const version = await hub.serverVersion();
    io.err(
      `error: ${hub.cluster} (Kubernetes ${version}) does not serve ValidatingAdmissionPolicy, so users could make decisions under other names. A hub needs Kubernetes 1.30 or newer\n`,
    );
    io.exit(ExitCode.no);
    return;
  }
  const manifests = await fleetManifests();
  const objects: AppliedObject[] = [];
  for (const manifest of manifests) {
    const applied = await applyOne(hub, manifest, dryRun);
    objects.push(applied);
    if (!isData(output)) io.out(`${applied.kind} ${applied.name} ${applied.result}\n`);
  }
  if (!dryRun) await untilServed(hub, manifests);
  if (isData(output)) await printData(io, { verdict: 'yes', hub: hub.cluster, dryRun, objects }, output);
  else io.err(`${closing(hub, objects, dryRun)}\n`);
  io.exit(ExitCode.done);
}

async function applyOne(hub: KubeClient, manifest: KubernetesObject, dryRun: boolean): Promise<AppliedObject> {
  const before = await hub.get(refOf(manifest));
  const { object } = await hub.apply(manifest, { dryRun });
  const known = { kind: manifest.kind, name: manifest.metadata.name ?? '' };
  if (before === undefined) return { ...known, result: dryRun ? 'would be created' : 'created' };
  // A dry run answers with the resourceVersion that is stored, changed or not.
  const isSame = JSON.stringify(contentOf(before)) === JSON.stringify(contentOf(object));
  if (isSame) return { ...known, result: 'unchanged' };
  return { ...known, result: dryRun ? 'would be configured' : 'configured' };
}

/** Returns an object without the fields that the API server counts and notes itself. */
function contentOf({ metadata, ...rest }: KubernetesObject): unknown {
  const { status: _status, ...content } = rest as Readonly<Record<string, unknown>>;
  return { ...content, labels: metadata.labels, annotations: metadata.annotations };
}

/** Kinds that were just written are served after a moment. */
async function untilServed(hub: KubeClient, manifests: readonly KubernetesObject[]): Promise<void> {
  const until = performance.now() + SERVED_WITHIN_MS;
  for (const manifest of manifests.filter(({ kind }) => kind === CRD)) {
    const [version] = crdVersions(manifest);
    const kind = { apiVersion: `${crdGroup(manifest)}/${version?.name}`, kind: crdKind(manifest) };
    while (!(await hub.serves(kind)) && performance.now() < until) await setTimeout(POLL_EVERY_MS);
  }
}

function closing({ cluster }: KubeClient, objects: readonly AppliedObject[], dryRun: boolean): string {
  if (dryRun) return `Nothing was changed in ${cluster} (--dry-run).`;
  const isNew = objects.some(({ result }) => result !== 'unchanged');
  const kinds = counted(objects.filter(({ kind }) => kind === CRD).length, 'kind');
  const roles = counted(objects.filter(({ kind }) => kind === 'ClusterRole').length, 'role');
  const what = `${kinds}, ${roles} and the check of decisions`;
  return isNew ? `${cluster} is ready for rollouts: ${what}.` : `${cluster} was already ready: ${what}.`;
}
