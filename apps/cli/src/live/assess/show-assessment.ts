import { assessmentTotals } from '#core/cluster/assessment/assessment';
import { assessmentPage } from '#core/cluster/assessment/assessment-page';
import { projectVersion } from '#platform/files/build-info';
import { commandSettings } from '../../command-settings.js';
import type { Io } from '../../io.js';
import type { DataFormat } from '../../output/data-format.js';
import { printData } from '../../output/print-data.js';
import { exitCodeOf } from '../../output/verdict.js';
import { askClusters, fleetVerdict, reportAway } from '../ask-clusters.js';
import type { FleetOptions } from '../cluster-options.js';
import { openLiveContents } from '../live-contents.js';
import { withClusters } from '../open-clusters.js';
import { assessCluster } from './assess-cluster.js';
import { assessmentText } from './print-assessment.js';

export type AssessOptions = FleetOptions & Readonly<{ hub?: string; output: 'table' | DataFormat | 'html' }>;

/** `flotilla assess`: asks every cluster, and prints the report. */
export async function showAssessment(options: AssessOptions, io: Io): Promise<void> {
  const { hub, output } = options;
  const settings = commandSettings(process.env);
  const deps = { settings, hub, contents: await openLiveContents(settings, hub) };
  await withClusters(options, async (clients) => {
    const fleet = await askClusters(clients, (client) => assessCluster(client, deps));
    reportAway(fleet.away, io);
    const { away } = fleet;
    const clusters = fleet.answers.map(({ value }) => value);
    const verdict = fleetVerdict(true, fleet, options);
    if (output === 'html') {
      io.out(assessmentPage({ clusters, away, at: new Date().toISOString(), version: projectVersion() }));
    } else if (output === 'table') io.out(assessmentText(clusters, io.columns));
    else await printData(io, { verdict, away, totals: assessmentTotals(clusters), items: clusters }, output);
    io.exit(exitCodeOf(verdict));
  });
}
