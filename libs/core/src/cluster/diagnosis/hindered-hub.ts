import { deniedRight } from '../../kernel/rbac/denied-right.js';
import { ADVICE, type Advice } from '../advice/advice.js';
import { type Diagnosis, diagnosis, sentence } from './diagnosis.js';

/**
 * Adds to an object that waits for the hub what keeps the hub from working in the cluster. An object that
 * waits for a user, or is well, stays as it is.
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
 * An Event that says that the API server refused to the hub to read something. It proves nothing: component,
 * manager and message are what its writer put in, and many may create Events in namespace default. So it is
 * quoted as an Event, blocks nothing, and leads to no advice that would give the user in it a right.
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
    `Event ${name} in namespace default, whose writer calls itself "${writer}", says (a claim that many users can write; ask the hub): ${said}`,
  );

function rightsOf(troubles: readonly string[]): readonly Advice[] {
  const users = new Set(troubles.flatMap((trouble) => deniedRight(trouble)?.user ?? []));
  return [...users].map((user) => ADVICE.checkHubRights(user));
}
