import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import type { JsonObject } from './json.js';

export type StatusCause = { reason: string; message: string; field: string };

/** Kubernetes' Status object of a refused request. */
export type FailureStatus = {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: JsonObject;
  status: 'Failure';
  message: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: readonly (StatusCause | Omit<StatusCause, 'field'>)[];
    /** Also sent as the header Retry-After. */
    retryAfterSeconds?: number;
  };
  code: number;
};

export type ResourceName = Readonly<{ group: string; resource: string }>;
export type KindName = Readonly<{ group: string; kind: string }>;

/** A refusal of the simulated API server; `body` is the client's answer. */
export class Refusal extends FlotillaError {
  readonly code = 'Refusal';
  readonly retry: Retry = 'when-input-changes';
  readonly body: FailureStatus;
  constructor(code: number, reason: string, message: string, details?: FailureStatus['details']) {
    super(message);
    const head = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message } as const;
    this.body = { ...head, ...(reason === '' ? {} : { reason }), ...(details === undefined ? {} : { details }), code };
  }
}

const qualified = ({ group, resource }: ResourceName) => (group === '' ? resource : `${resource}.${group}`);
const details = ({ group, resource }: ResourceName, name: string) => ({
  name,
  ...(group === '' ? {} : { group }),
  kind: resource,
});

export const notFound = (of: ResourceName, name: string): Refusal =>
  new Refusal(404, 'NotFound', `${qualified(of)} "${name}" not found`, details(of, name));

export const alreadyExists = (of: ResourceName, name: string): Refusal =>
  new Refusal(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, details(of, name));

export const conflict = (of: ResourceName, name: string, why: string): Refusal =>
  new Refusal(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    details(of, name),
  );

export const modifiedMeanwhile = (of: ResourceName, name: string): Refusal =>
  conflict(of, name, 'the object has been modified; please apply your changes to the latest version and try again');

export const forbidden = (of: ResourceName, name: string, why: string, causes: readonly StatusCause[] = []): Refusal =>
  new Refusal(403, 'Forbidden', `${qualified(of)}${name === '' ? '' : ` "${name}"`} is forbidden: ${why}`, {
    ...details(of, name),
    ...(causes.length === 0 ? {} : { causes }),
  });

export const badRequest = (message: string): Refusal => new Refusal(400, 'BadRequest', message);

export const noSuchResource = (): Refusal =>
  new Refusal(404, 'NotFound', 'the server could not find the requested resource', {});

export const methodNotAllowed = (): Refusal =>
  new Refusal(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const expired = (message: string): Refusal => new Refusal(410, 'Expired', message);

/** Refuses a read that asks for a state the server has not reached. */
export const tooLargeVersion = (asked: number, current: number): Refusal =>
  new Refusal(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });

/** 422: the text joins the causes as the API server's aggregate error does. */
export function invalid({ group, kind }: KindName, name: string, causes: readonly StatusCause[]): Refusal {
  const texts = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const kindText = group === '' ? kind : `${kind}.${group}`;
  return new Refusal(422, 'Invalid', `${kindText} "${name}" is invalid: ${summary}`, {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    kind,
    causes,
  });
}

export const required = (field: string, message = ''): StatusCause => ({
  reason: 'FieldValueRequired',
  message: message === '' ? 'Required value' : `Required value: ${message}`,
  field,
});

export const invalidValue = (field: string, value: unknown, message: string): StatusCause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${message}`,
  field,
});
