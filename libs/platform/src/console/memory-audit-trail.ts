import { parsedValue } from '../view/parsed-value.js';
import { type AuditTrail, MOST_NAMELESS_ENTRIES, MOST_TRAIL_ENTRIES, TrailEntry } from './audit-trail.port.js';

/** The trail of one process, the newest entry first. The audit log keeps the entries after its end. */
export class MemoryAuditTrail implements AuditTrail {
  #people: readonly string[] = [];
  #nameless: readonly string[] = [];

  async add(entry: TrailEntry): Promise<void> {
    const text = JSON.stringify(entry);
    if (entry.person === '') this.#nameless = [text, ...this.#nameless].slice(0, MOST_NAMELESS_ENTRIES);
    else this.#people = [text, ...this.#people].slice(0, MOST_TRAIL_ENTRIES);
  }

  async read(): Promise<readonly TrailEntry[]> {
    return [...this.#people, ...this.#nameless]
      .flatMap((text) => parsedValue(TrailEntry, text))
      .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  }
}
