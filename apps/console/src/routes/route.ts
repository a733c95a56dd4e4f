import type { z } from 'zod';
import type { ActionSender } from '#platform/console/action-channel.port';
import type { AuditTrail } from '#platform/console/audit-trail.port';
import type { HubDecisions } from '#platform/console/decisions/hub-decisions.port';
import type { ViewReader } from '#platform/view/view-store.port';
import type { ActionBook } from '../actions/action-book.js';
import type { ActionAnswer } from '../api/actions.schema.js';
import type { AuditEvent } from '../audit/audit-log.js';
import type { IconAddresses } from '../catalog/icon-addresses.js';
import type { KeptFacets } from '../lists/facets.js';
import type { QuestionTurns } from '../questions/question-turns.js';
import type { FleetRows } from '../rows/fleet-rows.js';
import type { LiveRows } from '../rows/live-rows.js';
import type { Person } from '../sign-in/person.js';
import type { ProvePerson } from '../sign-in/prove-person.js';

/** Parts that send actions and publish their results. */
export type RouteActions = Readonly<{
  sender: ActionSender;
  prove: ProvePerson;
  book: ActionBook;
  /** To the pages of the person. */
  publish: (person: Person, answer: ActionAnswer) => void;
  count: (verb: string, outcome: string) => void;
}>;

/** Parts that make decisions about rollouts. */
export type RouteDecisions = Readonly<{ hub: HubDecisions; count: (verb: string, outcome: string) => void }>;

/** Parts and facts that a route may use. */
export type RouteContext<Q = unknown, B = unknown> = Readonly<{
  person: Person;
  /** Parameters of the address, such as `id`. */
  params: Readonly<Record<string, string>>;
  query: Q;
  body: B;
  /** The rows that the person may see. */
  rows: FleetRows;
  view: LiveRows;
  reader: ViewReader;
  /** Absent: no sign-ins and refusals are kept. */
  trail: AuditTrail | undefined;
  facets: KeptFacets;
  icons: IconAddresses;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Absent: nothing carries actions out. */
  actions: RouteActions | undefined;
  /** Absent: pages show commands for decisions about rollouts. */
  decisions: RouteDecisions | undefined;
  /** Absent: nothing asks clusters. */
  questions: QuestionTurns | undefined;
  /** Records the action of the person. Throws if it cannot be recorded: then the action is not done. */
  audit: (event: AuditEvent) => Promise<void>;
}>;

/** One request of the API: its schemas validate it, and make the OpenAPI document. */
export type ApiRoute = Readonly<{
  method: 'GET' | 'POST';
  /** Below `/api/v1`, parameters as `:id`. */
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Name of the answer in the document. */
  name: string;
  answer: z.ZodType;
  status: 200 | 202;
  run: (context: RouteContext) => Promise<unknown>;
}>;

type Typed<Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> = Readonly<{
  query?: Q;
  body?: B;
  answer: A;
  run: (context: RouteContext<z.output<Q>, z.output<B>>) => Promise<z.input<A>>;
}> &
  Pick<ApiRoute, 'path' | 'summary' | 'name'>;

/** A request that reads. */
export const get = <Q extends z.ZodType, A extends z.ZodType>(route: Typed<Q, z.ZodType, A>): ApiRoute => ({
  ...route,
  method: 'GET',
  status: 200,
  run: route.run as ApiRoute['run'],
});

/** A request that asks or acts. */
export const post = <B extends z.ZodType, A extends z.ZodType>(
  route: Typed<z.ZodType, B, A> & Readonly<{ status: 200 | 202 }>,
): ApiRoute => ({ ...route, method: 'POST', run: route.run as ApiRoute['run'] });
