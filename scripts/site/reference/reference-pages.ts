import { annotationsPage } from './annotations-page.js';
import { exitCodesPage } from './exit-codes-page.js';
import { fleetKindPages } from './fleet-kind-pages.js';
import { kindsPage } from './kinds-page.js';
import { metricsPage } from './metrics-page.js';
import { reasonsPage } from './reasons-page.js';
import { verbsPage } from './verbs-page.js';

/** Pages that are made of code, as Markdown by the file that they would be. */
export async function referencePages(): Promise<readonly (readonly [string, string])[]> {
  return [
    ['reference/verbs.md', verbsPage()],
    ['reference/exit-codes.md', exitCodesPage()],
    ['reference/metrics.md', await metricsPage()],
    ['reference/kinds.md', kindsPage()],
    ...fleetKindPages(),
    ['reference/reasons.md', reasonsPage()],
    ['reference/annotations.md', annotationsPage()],
  ];
}
