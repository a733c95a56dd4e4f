import { appendFile } from 'node:fs/promises';
import { FlotillaError, type Retry } from '#core/kernel/errors/flotilla.error';
import { cutText } from '#core/kernel/text/cut-text';
import type { Clock } from '#platform/clock/clock.port';
import { type AuditTrail, MOST_TRAIL_TARGETS, TrailEntry } from '#platform/console/audit-trail.port';
import { fileReason } from '#platform/files/file-tree.error';
import type { Log } from '#platform/telemetry/log.port';

/** What a person did, or was not allowed to do. Holds no key, token or cookie. */
export type AuditEvent = Readonly<{
  event: 'sign-in' | 'sign-in-refused' | 'sign-out' | 'refused' | 'action' | 'result' | 'object-read';
  verb?: string;
  /** `CLUSTER/NAMESPACE/NAME` each. */
  targets?: readonly string[];
  planHash?: string;
  comment?: string;
  outcome?: string;
  because?: string;
  /** The action that a result belongs to. */
  action?: string;
}>;

/** Who did it, and in which request. */
export type AuditSubject = Readonly<{
  person: string;
  groups: readonly string[];
  /** Of the client; behind a proxy that is not trusted the proxy's. */
  address: string;
  request: string;
}>;

/** The audit file cannot be written: what it would have recorded is not done. */
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
  /** Where sign-ins and refusals are kept for the page Changes; absent: they are on the log alone. */
  trail?: AuditTrail;
}>;

/** In characters. */
const LONGEST_TEXT = 1_000;

/** A text on one line, without what would move the cursor of a terminal that shows the file. */
const plain = (_key: string, value: unknown): unknown =>
  typeof value === 'string' ? cutText(value, LONGEST_TEXT).replaceAll(/\p{Cc}/gu, ' ') : value;

/** One JSON line for each event, on the log and in the audit file, which is opened anew for each line. */
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

  /** Not waited for: the audit log is what counts. */
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

  /** For what has happened already: a line that cannot be written is an error on the log. */
  async note(subject: AuditSubject, event: AuditEvent): Promise<void> {
    await this.write(subject, event).catch((error: unknown) => {
      this.options.log.error({ error: String(error) }, 'an event is not in the audit file');
    });
  }
}
