import type { HubRow } from '#core/view/rows/hub-row';
import type { MemoryView } from '#platform/view/memory-view';

/** Writes reports of services, for the page Hub. */
export function reportServices(view: MemoryView, rows: readonly HubRow[]): void {
  for (const row of rows) void view.put(row);
}
