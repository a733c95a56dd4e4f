import type { AssignmentRow, FleetAssignment } from '#core/kernel/api/fleet/fleet-assignment';
import { FLEET_API } from '#core/kernel/api/fleet/fleet-fields';
import type { FleetRollout } from '#core/kernel/api/fleet/fleet-rollout';
import type { KubernetesObject } from '#core/kernel/api/kubernetes-object';
import { sameJson } from '#core/kernel/canonical/same-json';
import type { RolloutRecord } from '#core/rollout/controller/record/rollout-record';
import type { StoredRow } from '#core/rollout/controller/record/stored-rows';
import type { RolloutStatus } from '#core/rollout/controller/step/rollout-state';
import type { RolloutRow } from '#core/rollout/controller/step/row';
import type { MovedEvent } from '#core/rollout/status/rollout-events';
import { rolloutStatus, type StoredRolloutStatus, urgentOf } from '#core/rollout/status/rollout-status';
import { KubeApiError, type KubeClient } from '#platform/kube/client/kube-client.port';
import {
  type Decided,
  type Refused,
  ROWS_ANNOTATION,
  STATE_ANNOTATION,
  storedRows,
} from '../../assignments/stored-rollout.js';

const MOST_TRIES = 5;
const asObject = (value: object): KubernetesObject => JSON.parse(JSON.stringify(value)) as KubernetesObject;
const isConflict = (error: unknown): boolean => error instanceof KubeApiError && error.reason === 'Conflict';

/** Another controller has written since: decisions from the old view are dropped. */
export class StaleViewError extends Error {}

type RolloutWrite = Readonly<{
  /**
   * The status that the next pass continues from. For a decision in parts it is the status before the
   * decision, until the last part.
   */
  status: RolloutStatus;
  /** Rows that follow from it. */
  intent: readonly StoredRow[];
  /** The decision that it follows from. */
  decided: Decided | undefined;
  taken: readonly string[];
  refused: readonly Refused[];
  /** The Events that follow the write. */
  events: readonly MovedEvent[];
  /** True if a status with changes in its counts alone is left for later. */
  mayOweCounts: boolean;
  now: number;
}>;
/** `isOwed`: the status that is stored has older counts. */
type WrittenRollout = Readonly<{ object: FleetRollout; isOwed: boolean }>;

/**
 * Writes the status of a rollout, with the rows that follow from it.
 * @throws StaleViewError if another controller has written the rollout since it was read
 */
export async function writeRollout(
  hub: KubeClient,
  object: FleetRollout,
  record: RolloutRecord,
  { status, intent, decided, taken, refused, events, ...how }: RolloutWrite,
): Promise<WrittenRollout> {
  const said = Object.fromEntries(Object.entries({ events, taken, refused }).filter(([, all]) => all.length > 0));
  const state = JSON.stringify({ step: record.version, at: how.now, status, intent, decided, ...said });
  const metadata = object.metadata as KubernetesObject['metadata'];
  const annotations = { ...metadata.annotations, [STATE_ANNOTATION]: state };
  try {
    const { object: stored } = await hub.update(asObject({ ...object, metadata: { ...metadata, annotations } }));
    const asked = { ...object, metadata: stored.metadata, status: stored['status'] } as FleetRollout;
    return await writeRolloutStatus(hub, asked, record, how);
  } catch (error) {
    if (isConflict(error)) throw new StaleViewError(`another controller wrote rollout ${record.spec.name}`);
    throw error;
  }
}

/** Writes the status that users read, unless it is there already. Fails as {@link writeRollout} does. */
export async function writeRolloutStatus(
  hub: KubeClient,
  object: FleetRollout,
  record: RolloutRecord,
  { mayOweCounts, now }: Pick<RolloutWrite, 'mayOweCounts' | 'now'>,
): Promise<WrittenRollout> {
  const before = (object.status ?? {}) as StoredRolloutStatus;
  const status = rolloutStatus(record, before, now);
  if (sameJson(before, status)) return { object, isOwed: false };
  if (mayOweCounts && sameJson(urgentOf(before), urgentOf(status))) return { object, isOwed: true };
  return { object: await updateStatusOf(hub, object, record, status), isOwed: false };
}

/** Writes a status. Fails as {@link writeRollout} does. */
export async function updateStatusOf(
  hub: KubeClient,
  object: FleetRollout,
  record: RolloutRecord,
  status: object,
): Promise<FleetRollout> {
  try {
    const { object: stored } = await hub.updateStatus(asObject({ ...object, status }));
    return { ...object, metadata: stored.metadata, status } as FleetRollout;
  } catch (error) {
    if (isConflict(error)) throw new StaleViewError(`another controller wrote rollout ${record.spec.name}`);
    throw error;
  }
}

/**
 * A row of a rollout in the assignment of its cluster. Without a row, the order alone changes. `Keep`:
 * another rollout of the subject moves the cluster, by the order that is there.
 */
type RowWrite = Readonly<{
  cluster: string;
  subject: string;
  rollout: string | undefined;
  step: number;
  row: RolloutRow | undefined;
  order: AssignmentRow | 'Keep' | undefined;
}>;

/** Writes a row, unless a later step has written it already. */
export async function writeRow(hub: KubeClient, write: RowWrite): Promise<void> {
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: write.cluster };
  for (let left = MOST_TRIES; ; left--) {
    const found = await hub.get(ref);
    const changed = changedAssignment(found as unknown as FleetAssignment | undefined, write);
    if (changed === undefined) return;
    try {
      if (found === undefined) await hub.create(changed);
      else await hub.update(changed);
      return;
    } catch (error) {
      // The applier has reported in between, or the object has been created.
      const isBetween = isConflict(error) || (error instanceof KubeApiError && error.reason === 'AlreadyExists');
      if (!isBetween || left === 0) throw error;
    }
  }
}

/** Writes in the orders of a cluster whether it is paused. */
export async function writePause(hub: KubeClient, cluster: string, isPaused: boolean): Promise<void> {
  const ref = { apiVersion: FLEET_API, kind: 'FleetAssignment', name: cluster };
  await hub.patch(ref, { spec: { paused: isPaused ? true : null } });
}

/** Rollouts of a subject that keep rows in an assignment: an annotation has no room for all. */
const KEPT_ROLLOUTS = 10;

/** True if a rollout is so much older than another one of its subject that its rows are dropped. */
function isOver(name: string, newer = ''): boolean {
  const [, prefix, number] = /^(.*)-(\d+)$/.exec(name) ?? [];
  const [, newerPrefix, newerNumber] = /^(.*)-(\d+)$/.exec(newer) ?? [];
  return prefix === newerPrefix && Number(number) <= Number(newerNumber) - KEPT_ROLLOUTS;
}

function changedAssignment(found: FleetAssignment | undefined, write: RowWrite): KubernetesObject | undefined {
  const { cluster, subject, rollout, step, row, order } = write;
  const rows = found === undefined ? {} : storedRows(found);
  const known = rollout === undefined ? undefined : rows[rollout];
  if (known !== undefined && known.step >= step) return undefined;
  const others = Object.fromEntries(
    Object.entries(rows).filter(([name]) => name !== rollout && !isOver(name, rollout)),
  );
  const stored = rollout === undefined || row === undefined ? others : { ...others, [rollout]: { step, row } };
  const orders = (found?.spec?.rows ?? []).filter((one) => one.subject !== subject);
  const next = order === 'Keep' ? found?.spec?.rows.find((one) => one.subject === subject) : order;
  const metadata = (found?.metadata ?? { name: cluster }) as KubernetesObject['metadata'];
  const annotations = { ...metadata.annotations, [ROWS_ANNOTATION]: JSON.stringify(stored) };
  return asObject({
    apiVersion: FLEET_API,
    kind: 'FleetAssignment',
    metadata: { ...metadata, annotations },
    spec: { ...found?.spec, rows: next === undefined ? orders : [...orders, next] },
    ...(found?.status === undefined ? {} : { status: found.status }),
  });
}
