import { assessmentTotals } from '#core/cluster/assessment/assessment';
import { assessmentPage } from '#core/cluster/assessment/assessment-page';
import { projectVersion } from '#platform/files/build-info';
import { askClusters, fleetVerdict, reportAway } from '../../clusters/ask-clusters.js';
import type { FleetOptions } from '../../clusters/cluster-options.js';
import { ownAccess } from '../../clusters/command-access.js';
import { withClusters } from '../../clusters/open-clusters.js';
import { commandSettings } from '../../hub/command-settings.js';
import type { DataFormat } from '../../output/data-format.js';
import { printData } from '../../output/print-data.js';
import { exitCodeOf } from '../../output/verdict.js';
import { openLiveContents } from '../../preview/live-contents.js';
import type { Io } from '../../terminal/io.js';
import { assessCluster } from './assess-cluster.js';
import { assessmentText } from './print-assessment.js';

export type AssessOptions = FleetOptions & Readonly<{ hub?: string; output: 'table' | DataFormat | 'html' }>;

/** Runs `flotilla assess`: asks every cluster, and prints the report. */
export async function showAssessment(options: AssessOptions, io: Io): Promise<void> {
  const { hub, output } = options;
  const settings = commandSettings(process.env);
  const deps = { settings, hub, contents: await openLiveContents(settings, hub) };
  await withClusters(io, options, async (clients) => {
    const fleet = await askClusters(clients, (client) => assessCluster(client, deps));
    reportAway(fleet.away, io);
    const { away } = fleet;
    const clusters = fleet.answers.map(({ value }) => value);
    const verdict = fleetVerdict(true, fleet, options);
    if (output === 'html') {
      io.out(assessmentPage({ clusters, away, at: new Date().toISOString(), version: projectVersion() }));
    } else if (output === 'table') {
      const accesses = new Map(clients.map((client) => [client.cluster, ownAccess(client, options)]));
      const none = (cluster: string) => ({ named: cluster, options: `-C ${cluster}` });
      io.out(assessmentText(clusters, io.columns, (cluster) => accesses.get(cluster) ?? none(cluster)));
    } else await printData(io, { verdict, away, totals: assessmentTotals(clusters), items: clusters }, output);
    io.exit(exitCodeOf(verdict));
  });
}
