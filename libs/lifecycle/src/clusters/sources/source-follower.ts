import { type ForeignReading, foreignCluster } from '#core/cluster/imports/foreign-cluster';
import { toolObjects } from '#core/cluster/imports/import-role';
import type { SourceTrouble } from '#core/cluster/imports/source-status';
import type { FleetClusterSource, ImportTool } from '#core/kernel/api/fleet/fleet-cluster-source';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { readSelector } from '#core/kernel/labels/label-selector';
import type { Clock } from '#platform/clock/clock.port';
import { servedToolKind, toolListOptions } from '#platform/fleet/tool-objects';
import { Reflector } from '#platform/kube/cache/reflector';
import type { KubeClient } from '#platform/kube/client/kube-client.port';
import type { Log } from '#platform/telemetry/log.port';

/** An object of a tool as it is kept: its content stays nowhere. */
type KeptObject = KubernetesObject & Readonly<{ reading: ForeignReading }>;

type SourceFollowerOptions = Readonly<{
  hub: KubeClient;
  source: FleetClusterSource;
  clock: Clock;
  log: Log;
  /** Called if an object of the tool appears, changes or goes. */
  onChange: () => void;
}>;

/** `trouble`: the reason why the objects of the tool are not known. */
type Followed = Readonly<{ readings: readonly ForeignReading[] } | { trouble: SourceTrouble }>;

/** Clusters of one source. */
const MOST_CLUSTERS = 2_000;

/** Follows the objects of the tool that one source names, by a watch in the API server of the hub. */
export class SourceFollower {
  #watched: Reflector<KeptObject> | undefined;
  #stopped = false;

  constructor(private readonly options: SourceFollowerOptions) {}

  /** Returns the clusters of the tool. Undefined until they were listed. */
  async followed(source: FleetClusterSource): Promise<Followed | undefined> {
    const watched = await this.#open();
    if (watched === undefined) return { trouble: notServed(source.spec.from) };
    const problem = watched.problem();
    if (problem !== undefined) return { trouble: unread(source, problem) };
    if (!watched.synced()) return undefined;
    if (!watched.served()) return { trouble: notServed(source.spec.from) };
    const selects = readSelector(source.spec.selector);
    if (typeof selects !== 'function')
      return { trouble: { reason: 'InvalidSpec', message: `selector: ${selects.error}` } };
    const selected = watched.list().filter(({ metadata }) => selects(metadata.labels ?? {}));
    if (selected.length > MOST_CLUSTERS) {
      const message = `${selected.length} objects are selected, but a source takes at most ${MOST_CLUSTERS}: narrow spec.selector`;
      return { trouble: { reason: 'InvalidSpec', message } };
    }
    return { readings: selected.map(({ reading }) => reading) };
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#watched?.stop();
  }

  /** Opens the watch of the newest version. Returns undefined if the API server serves none. */
  async #open(): Promise<Reflector<KeptObject> | undefined> {
    if (this.#watched !== undefined) return this.#watched;
    const { hub: client, source, clock, log, onChange } = this.options;
    const { from, namespace } = source.spec;
    const kind = await servedToolKind(client, from);
    if (kind === undefined || this.#stopped) return undefined;
    this.#watched = new Reflector<KeptObject>({
      ...{ client, clock, log, kind, keep: keptOf(from) },
      options: toolListOptions(from, namespace),
      handlers: { onReplace: onChange, onChange, onDelete: onChange },
    });
    this.#watched.start();
    return this.#watched;
  }
}

const keptOf =
  (tool: ImportTool) =>
  (object: KubernetesObject): KeptObject => {
    const { apiVersion, kind, metadata } = object;
    const { name, namespace, uid, resourceVersion, labels } = metadata;
    const reading = 'reading' in object ? (object as KeptObject).reading : foreignCluster(tool, object);
    return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, labels }, reading };
  };

const notServed = (tool: ImportTool): SourceTrouble => ({
  reason: 'NotServed',
  message: `the API server of the hub does not serve ${toolObjects(tool, undefined)}: is ${tool} installed?`,
});

function unread({ spec: { from, namespace } }: FleetClusterSource, problem: string): SourceTrouble {
  const what = toolObjects(from, namespace);
  if (!/\bforbidden\b/i.test(problem)) return { reason: 'Unreachable', message: `${what} cannot be read: ${problem}` };
  const owner = namespace === undefined ? 'an administrator of the hub API' : 'the owner of that namespace';
  const way = `${owner} applies the Role in status.role`;
  return { reason: 'Forbidden', message: `the poller may not list and watch ${what}; ${way} (${problem})` };
}
