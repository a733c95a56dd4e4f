import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { byCodeUnit } from '#core/kernel/canonical/canonical-json';
import { VERIFIED_ANNOTATION } from '#platform/fleet/folder/folder-objects';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import { ExitCode, type Io } from '../../../terminal/io.js';
import { checkEmpty, writeFiles } from './export-clusters.js';

/** Kinds that people write, with the file of each. */
const WRITTEN = {
  FleetCluster: 'clusters.yaml',
  FleetClusterSource: 'cluster-sources.yaml',
  FleetCatalog: 'catalogs.yaml',
  FleetOperator: 'operators.yaml',
  FleetStrategy: 'strategies.yaml',
  FleetWindow: 'windows.yaml',
  FleetNotification: 'notifications.yaml',
} as const;
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const OF_CONTROLLER = 'fleet.flotilla.dev/';

/**
 * Runs `flotilla fleet export`: writes the objects that people have written, in a form that can be kept in
 * Git.
 */
export async function exportHub(hub: KubeClient, io: Io, out: string | undefined): Promise<void> {
  if (out !== undefined) await checkEmpty(out);
  const files: (readonly [string, readonly object[]])[] = [];
  for (const [kind, file] of Object.entries(WRITTEN)) {
    const objects = (await listed(hub, kind)).map((object) => written(kind, object));
    if (objects.length > 0) files.push([file, objects]);
  }
  await writeFiles(files, out, io);
  io.exit(ExitCode.done);
}

async function listed(hub: KubeClient, kind: string): Promise<readonly KubernetesObject[]> {
  const items = (await hub.list({ apiVersion: FLEET_API, kind }))?.items ?? [];
  return items.toSorted((a, b) => byCodeUnit(placeOf(a), placeOf(b)));
}

const placeOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** Returns an object without the fields of the API server and the hub. */
function written(kind: string, { metadata, spec }: KubernetesObject & Readonly<{ spec?: unknown }>): object {
  const { name, namespace, labels, annotations = {} } = metadata;
  const own = Object.entries(annotations).filter(([key]) => key !== LAST_APPLIED && !key.startsWith(OF_CONTROLLER));
  return {
    apiVersion: FLEET_API,
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(labels === undefined ? {} : { labels }),
      ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    },
    spec,
  };
}

type Loose = Readonly<Record<string, unknown>>;
const record = (value: unknown): Loose => (typeof value === 'object' && value !== null ? (value as Loose) : {});

/**
 * Runs `flotilla fleet export --audit`: prints each decision with its user and plan, an object a line, the
 * oldest first.
 */
export async function exportAudit(hub: KubeClient, io: Io): Promise<void> {
  const lines: { time: string; line: Loose }[] = [];
  for (const kind of ['FleetRollout', 'FleetPlan', 'FleetDecision']) {
    for (const object of await listed(hub, kind)) {
      const { name, namespace, creationTimestamp, uid } = object.metadata;
      const time = creationTimestamp ?? '';
      const common = { type: kind, time, namespace, name, uid };
      lines.push({ time, line: { ...common, ...auditOf(kind, object) } });
    }
  }
  lines.sort((a, b) => byCodeUnit(a.time, b.time));
  io.out(lines.map(({ line }) => `${JSON.stringify(line)}\n`).join(''));
  io.exit(ExitCode.done);
}

function auditOf(kind: string, object: KubernetesObject): Loose {
  const [spec, status] = [record(object['spec']), record(object['status'])];
  if (kind === 'FleetDecision') {
    const { rollout, action, class: hash, wave, clusters, reason, by, expiresAt } = spec;
    const { effective, reason: outcome, at } = status;
    const isUnverified = object.metadata.annotations?.[VERIFIED_ANNOTATION] === 'false';
    const author = isUnverified ? { by, verified: false } : { by };
    return { rollout, action, class: hash, wave, clusters, reason, ...author, expiresAt, effective, outcome, at };
  }
  if (kind === 'FleetPlan') return spec;
  const { subject, number, trigger, target } = spec;
  const { phase, reason, counts, classes, startedAt, finishedAt } = status;
  return { subject, number, trigger, target, phase, reason, counts, classes, startedAt, finishedAt };
}
