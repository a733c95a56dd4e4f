import { createHash } from 'node:crypto';
import type { Action } from '#core/kernel/actions/action';
import { KIND } from '#core/kernel/api/kinds';
import type { KubernetesObject, ObjectRef } from '#core/kernel/api/kubernetes-object';
import { CHANGE_ANNOTATION } from '#core/kernel/change/change-id';
import { clipMessage } from '#core/kernel/conditions/clip-message';
import { KubeApiError, type KubeClient } from '../client/kube-client.port.js';

type EmitEvent = Extract<Action, { do: 'emitEvent' }>;

/** The component that an Event names as its source, and the change that it is part of, if it is of one. */
type EventSource = Readonly<{ component: string; change?: string | undefined }>;

const LONGEST_MESSAGE = 1024;
const LONGEST_NAME = 253;
/** The source component of Events, unless another is given. */
export const EVENT_COMPONENT = 'flotilla';

/**
 * Writes a v1 Event. Its name is derived from its content and its object, so that the same event seen again
 * raises `count` and adds no other one.
 */
export async function recordEvent(client: KubeClient, event: EmitEvent, by: EventSource, now: Date): Promise<void> {
  const { component, change } = by;
  const annotations = change === undefined ? undefined : { [CHANGE_ANNOTATION]: change };
  const { about, type, reason } = event;
  const message = clipMessage(event.message, LONGEST_MESSAGE);
  const { name, namespace } = eventRef(event, component);
  const time = now.toISOString().replace(/\.\d+Z$/, 'Z');
  const object: KubernetesObject = {
    ...KIND.Event,
    metadata: { name, namespace, ...(annotations && { annotations }) },
    involvedObject: {
      apiVersion: about.apiVersion,
      kind: about.kind,
      name: about.name,
      namespace: about.namespace,
      uid: about.uid,
      ...(about.fieldPath === undefined ? {} : { fieldPath: about.fieldPath }),
    },
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
  try {
    await client.create(object);
  } catch (error) {
    if (!KubeApiError.is(error, 'AlreadyExists')) throw error;
    await countAgain(client, eventRef(event, component), { time, annotations });
  }
}

/** The v1 Event that says this. */
export function eventRef(event: EmitEvent, component = EVENT_COMPONENT): ObjectRef & { namespace: string } {
  const { about, type, reason } = event;
  const message = clipMessage(event.message, LONGEST_MESSAGE);
  const name = eventName(about, [type, reason, message, component]);
  return { ...KIND.Event, name, namespace: about.namespace ?? 'default' };
}

async function countAgain(
  client: KubeClient,
  ref: ObjectRef,
  { time: lastTimestamp, annotations }: Readonly<{ time: string; annotations: Record<string, string> | undefined }>,
): Promise<void> {
  const there = await client.get(ref);
  const count = Number(there?.['count'] ?? 1) + 1;
  await client.patch(ref, { count, lastTimestamp, ...(annotations && { metadata: { annotations } }) });
}

function eventName(about: EmitEvent['about'], said: readonly string[]): string {
  const identity = [about.apiVersion, about.kind, about.uid ?? '', ...said].join('\n');
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  // Names of RBAC objects may hold characters that an Event's name may not.
  const stem = about.name.toLowerCase().replaceAll(/[^a-z0-9.-]/g, '-');
  return `${stem.slice(0, LONGEST_NAME - hash.length - 1).replace(/[^a-z0-9]+$/, '')}.${hash}`.replace(
    /^[^a-z0-9]+/,
    '',
  );
}
