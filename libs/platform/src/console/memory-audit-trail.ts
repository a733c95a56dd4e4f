import { type AuditTrail, MOST_NAMELESS_ENTRIES, MOST_TRAIL_ENTRIES, TrailEntry } from './audit-trail.port.js';

/** The trail within one process, the newest first: when it ends, the audit log has what was. */
export class MemoryAuditTrail implements AuditTrail {
  #people: readonly TrailEntry[] = [];
  #nameless: readonly TrailEntry[] = [];

  async add(entry: TrailEntry): Promise<void> {
    const kept = TrailEntry.parse(entry);
    if (entry.person === '') this.#nameless = [kept, ...this.#nameless].slice(0, MOST_NAMELESS_ENTRIES);
    else this.#people = [kept, ...this.#people].slice(0, MOST_TRAIL_ENTRIES);
  }

  async read(): Promise<readonly TrailEntry[]> {
    return [...this.#people, ...this.#nameless].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
  }
}
