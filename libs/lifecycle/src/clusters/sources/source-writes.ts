import { SOURCE_LABEL, sourceMark } from '#core/cluster/imports/import-marks';
import { isInStep } from '#core/cluster/imports/plan-import';
import type { FleetClusterStatus } from '#core/cluster/membership/cluster-conditions';
import { leftText, statusInSource } from '#core/cluster/membership/source-condition';
import { COMMAND } from '#core/kernel/actions/field-managers';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { canonicalHash } from '#core/kernel/canonical/canonical-json';
import { conditionOf } from '#core/kernel/conditions/condition-list';
import type { Clock } from '#platform/clock/clock.port';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import { recordEvent } from '#platform/kube/write/record-event';
import type { Log } from '#platform/telemetry/log.port';

const FLEET_CLUSTER = { apiVersion: FLEET_API, kind: 'FleetCluster' } as const;
const COMPONENT = 'flotilla-poller';

/** The reason why the hub API refuses one FleetCluster. */
type RefusedWrite = Readonly<{ refused: string }>;

/** Writes the FleetClusters of one source, their conditions and Events. Nothing is written twice. */
export class SourceWrites {
  /** Hashes of the FleetClusters that this process has applied, by name. */
  readonly #applied = new Map<string, string>();

  constructor(private readonly options: Readonly<{ hub: KubeClient; source: string; clock: Clock; log: Log }>) {}

  /**
   * Applies a FleetCluster, and reports that its source has it. Returns the reason if the hub API refuses the
   * object itself.
   * @throws KubeApiError if the hub API does not answer or lets nothing be written
   */
  async apply(wanted: KubernetesObject, held: KubernetesObject | undefined): Promise<RefusedWrite | undefined> {
    const name = wanted.metadata.name ?? '';
    const hash = canonicalHash(wanted);
    const isApplied = this.#applied.get(name) === hash && held !== undefined && isInStep(held, wanted);
    const refused = isApplied ? undefined : await this.#write(wanted, held, hash);
    if (refused !== undefined) return refused;
    if (held === undefined || inSource(held) !== 'True') await this.#note(name, true);
    return undefined;
  }

  async #write(
    wanted: KubernetesObject,
    held: KubernetesObject | undefined,
    hash: string,
  ): Promise<RefusedWrite | undefined> {
    const { hub, source } = this.options;
    const name = wanted.metadata.name ?? '';
    const isMarked = held !== undefined && sourceMark(held) !== undefined;
    // Another poller, or a person, may have made or marked it since the last event.
    const found = isMarked ? undefined : await hub.get({ ...FLEET_CLUSTER, name });
    const of = found && sourceMark(found);
    if (of === source) return undefined;
    const isOfOthers = of !== undefined || (held === undefined && found !== undefined);
    if (isOfOthers) return { refused: `FleetCluster "${name}" was taken by others a moment ago` };
    try {
      if (found !== undefined) await this.#adopt(wanted, found);
      const { object } = await hub.apply(wanted);
      this.#applied.set(name, hash);
      if (held === undefined) await this.#say(object, 'Normal', 'Imported', `${this.#of()} has brought this cluster`);
    } catch (error) {
      if (!KubeApiError.is(error, 'Invalid', 'BadRequest')) throw error;
      return { refused: `FleetCluster "${name}" is refused: ${error.said}` };
    }
    return undefined;
  }

  /**
   * Takes over a FleetCluster that was imported once: its labels and annotations that the tool has no more
   * go. The mark of the source is not set here, so that a poller that ends in between does this again.
   */
  async #adopt(wanted: KubernetesObject, { metadata: { uid } }: KubernetesObject): Promise<void> {
    const { apiVersion, kind, metadata } = wanted;
    const { [SOURCE_LABEL]: _mark, ...labels } = metadata.labels ?? {};
    await this.options.hub.apply({ ...wanted, metadata: { ...metadata, labels } });
    // Fields of both managers stay. The uid keeps it from making an object that was deleted meanwhile.
    const nothing = { apiVersion, kind, metadata: { name: metadata.name, uid } };
    await this.options.hub.apply(nothing, { fieldManager: COMMAND });
  }

  /** Reports on a FleetCluster that the tool has it no more. */
  async announce(held: KubernetesObject): Promise<void> {
    this.#applied.delete(held.metadata.name ?? '');
    if (inSource(held) !== 'False') await this.#note(held.metadata.name ?? '', false);
  }

  async #note(name: string, isThere: boolean): Promise<void> {
    const { hub, source, clock } = this.options;
    const object = await hub.get({ ...FLEET_CLUSTER, name });
    if (object === undefined) return;
    const before = (object['status'] ?? {}) as FleetClusterStatus;
    const status = statusInSource(before, { isThere, source }, clock.now().toISOString());
    if (status === before) return;
    try {
      await hub.updateStatus({ ...object, status });
    } catch (error) {
      // Another service has written its part in the same moment: the change of the object brings another try.
      if (KubeApiError.is(error, 'Conflict', 'NotFound')) return;
      throw error;
    }
    const was = conditionOf(before.conditions, 'InSource')?.status;
    if (!isThere) await this.#say(object, 'Warning', 'LeftSource', leftText(source));
    else if (was === 'False') await this.#say(object, 'Normal', 'BackInSource', `${this.#of()} has this cluster again`);
  }

  #of(): string {
    return `FleetClusterSource "${this.options.source}"`;
  }

  /** An Event that cannot be written holds up nothing. */
  async #say(
    { metadata }: KubernetesObject,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
  ): Promise<void> {
    const { hub, clock, log } = this.options;
    const { name = '', uid } = metadata;
    const about = { ...FLEET_CLUSTER, name, uid };
    log.info({ cluster: name, reason }, message);
    try {
      await recordEvent(hub, { do: 'emitEvent', about, type, reason, message }, { component: COMPONENT }, clock.now());
    } catch (error) {
      log.debug({ error, cluster: name }, 'could not write an Event about a cluster');
    }
  }
}

/** Returns the status of condition InSource of a FleetCluster. */
const inSource = ({ status }: KubernetesObject): string | undefined =>
  conditionOf((status as FleetClusterStatus | undefined)?.conditions, 'InSource')?.status;
