import { parseArgs } from 'node:util';
import { measureFleet } from './fleet/measure-fleet.js';
import { renderReport } from './fleet/render-report.js';
import { machine } from './machine.js';

const DEFAULT_CLUSTERS = '100';

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: DEFAULT_CLUSTERS },
    /** Two pollers and two appliers instead of one of each. */
    twins: { type: 'boolean', default: false },
    /** Lets the services write CPU profiles into this folder. */
    profile: { type: 'string' },
  },
});
const clusters = Number(values.clusters);
if (!Number.isInteger(clusters) || clusters < 1) {
  process.stderr.write(`--clusters: ${JSON.stringify(values.clusters)} is not a whole number above 0\n`);
  process.exit(2);
}
const measured = await measureFleet({ clusters, twins: values.twins, profileFolder: values.profile });
process.stdout.write(`${machine()}; runs=1\n\n${renderReport(measured)}`);
process.exit(measured.succeeded === clusters && measured.surplusPlans === 0 ? 0 : 1);
