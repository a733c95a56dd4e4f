import { deniedRight } from '../../kernel/rbac/denied-right.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/**
 * Adds the obstacles to the hub's work in the cluster to an object that waits for the hub. An object that
 * waits for a user, or is healthy, stays unchanged.
 */
export function withHinderedHub(seen: Diagnosis, troubles: readonly string[]): Diagnosis {
  if (seen.standing !== 'under-way' || troubles.length === 0) return seen;
  return {
    ...seen,
    code: 'hub-hindered',
    standing: 'blocked',
    because: [...seen.because, ...troubles.map((trouble) => sentence(`The hub reports of this cluster: ${trouble}`))],
    todo: [...rightsOf(troubles), ...seen.todo],
  };
}

/**
 * An Event that says that the API server denied the hub a read. It proves nothing: its writer chose
 * component, manager and message, and many users may create Events in namespace default. It is therefore
 * quoted as an Event and blocks nothing. No advice grants a right to the user that it names.
 */
export type HubEvent = Readonly<{
  name: string;
  /** The name that its writer gave itself. */
  writer: string;
  said: string;
}>;

/** Adds quoted Events to an object that waits for an unreachable hub. */
export function withHubEvents(seen: Diagnosis, events: readonly HubEvent[]): Diagnosis {
  if (seen.standing !== 'under-way' || events.length === 0) return seen;
  return { ...seen, because: [...seen.because, ...events.map(quoted)] };
}

/** Returns the diagnosis of an object from an Event about a read that the API server refused to the hub. */
export const saidByEvent = (event: HubEvent): Diagnosis =>
  diagnosis('hub-event', 'under-way', quoted(event), ADVICE.checkHub());

const quoted = ({ name, writer, said }: HubEvent): string =>
  sentence(
    `Event ${name} in namespace default of writer "${writer}" reports (many users can write such an Event; check the hub): ${said}`,
  );

function rightsOf(troubles: readonly string[]): readonly Advice[] {
  const users = new Set(troubles.flatMap((trouble) => deniedRight(trouble)?.user ?? []));
  return [...users].map((user) => ADVICE.checkHubRights(user));
}
