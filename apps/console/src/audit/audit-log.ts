import { appendFile } from 'node:fs/promises';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { cutText } from '#core/kernel/text/cut-text';
import type { Clock } from '#platform/clock/clock.port';
import { type AuditTrail, MOST_TRAIL_TARGETS, TrailEntry } from '#platform/console/audit-trail.port';
import { fileReason } from '#platform/files/file-tree.error';
import type { Log } from '#platform/telemetry/log.port';

/** An action of a person, done or refused. Holds no key, token or cookie. */
export type AuditEvent = Readonly<{
  event: 'sign-in' | 'sign-in-refused' | 'sign-out' | 'refused' | 'action' | 'result' | 'object-read';
  verb?: string;
  /** `CLUSTER/NAMESPACE/NAME` each. */
  targets?: readonly string[];
  planHash?: string;
  comment?: string;
  outcome?: string;
  because?: string;
  /** The action, or the FleetDecision, that a result belongs to. */
  action?: string;
}>;

/** The person behind an event, and their request. */
export type AuditSubject = Readonly<{
  person: string;
  groups: readonly string[];
  /** Address of the client; behind a proxy that is not trusted, the address of the proxy. */
  address: string;
  request: string;
}>;

/** The audit file cannot be written: the action that it would have recorded is not done. */
class AuditNotWritten extends FlotillaError {
  readonly code = 'AuditNotWritten';
  readonly retry: Retry = 'backoff';
  constructor(file: string, reason: string) {
    super(`the audit log ${file} cannot be written (${reason})`);
  }
}

type Options = Readonly<{
  file: string;
  clock: Clock;
  log: Log;
  /** Store of sign-ins and refusals for the page Changes; absent: they are only on the log. */
  trail?: AuditTrail;
}>;

/** In characters. */
const LONGEST_TEXT = 1_000;

/** Returns a text on one line, without characters that move the cursor of a terminal that shows the file. */
const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? cutText(value, LONGEST_TEXT).replaceAll(/\p{Cc}/gu, ' ') : value;

/**
 * Writes one JSON line for each event, on the log and in the audit file. Opens the file again for each line.
 */
export class AuditLog {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: Options) {}

  /** @throws AuditNotWritten */
  async write(subject: AuditSubject, event: AuditEvent): Promise<void> {
    const { file, clock, log } = this.options;
    const entry = { at: clock.now().toISOString(), ...subject, ...event };
    const line = JSON.stringify(entry, plain);
    log.info({ audit: JSON.parse(line) as unknown }, `audit: ${event.event}`);
    this.#trace(JSON.parse(line) as typeof entry);
    if (file === '') return;
    const written = this.#last.then(() => appendFile(file, `${line}\n`, { mode: 0o600, flush: true }));
    this.#last = written.catch(() => undefined);
    await written.catch((error: unknown) => {
      throw new AuditNotWritten(file, fileReason(error));
    });
  }

  /** Adds the event to the trail without waiting: the audit log is the record that counts. */
  #trace({ targets = [], ...entry }: Readonly<{ at: string }> & AuditSubject & AuditEvent): void {
    const { trail, log } = this.options;
    const { at, person, address, event, verb = '', because = '' } = entry;
    const kept = targets.slice(0, MOST_TRAIL_TARGETS);
    const more = targets.length - kept.length;
    const traced = TrailEntry.safeParse({ at, event, person, address, verb, targets: kept, more, because }).data;
    if (trail === undefined || traced === undefined) return;
    trail.add(traced).catch((error: unknown) => {
      log.warn({ error: String(error) }, 'an event is not on the page Changes');
    });
  }

  /** Records an event that has happened already: if the line cannot be written, logs an error. */
  async note(subject: AuditSubject, event: AuditEvent): Promise<void> {
    await this.write(subject, event).catch((error: unknown) => {
      this.options.log.error({ error: String(error) }, 'an event is not in the audit file');
    });
  }
}
