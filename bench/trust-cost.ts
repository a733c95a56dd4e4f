import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { machine } from './machine.js';
import { measureTrust, type Pair } from './trust/measure-trust.js';
import { renderTrust } from './trust/render-trust.js';

// Usage: node dist/bench/trust-cost.js --baseline CHECKOUT. Compares the cost of this checkout's services
// with that of another checkout's.

const { values } = parseArgs({
  options: {
    /** Another checkout of Flotilla, built. */
    baseline: { type: 'string', default: '' },
    pairs: { type: 'string', default: '5' },
    operators: { type: 'string', default: '8' },
    catalogs: { type: 'string', default: '4' },
    'idle-clusters': { type: 'string', default: '20' },
    'idle-seconds': { type: 'string', default: '60' },
    /** The services write CPU profiles into folders of it. */
    profile: { type: 'string' },
  },
});
const baseline = resolve(values.baseline);
if (values.baseline === '' || !existsSync(join(baseline, 'dist/apps/applier'))) {
  process.stderr.write('--baseline CHECKOUT: another checkout of Flotilla, in which make build has run\n');
  process.exit(2);
}
const options = {
  baseline,
  pairs: Number(values.pairs),
  operators: Number(values.operators),
  catalogs: Number(values.catalogs),
  idleClusters: Number(values['idle-clusters']),
  idleSeconds: Number(values['idle-seconds']),
  profileFolder: values.profile,
};
const pairs: Pair[] = [];
for await (const pair of measureTrust(options)) {
  pairs.push(pair);
  process.stderr.write(`pair ${pairs.length} of ${options.pairs}\n`);
}
process.stdout.write(
  `${machine()}; medians of ${options.pairs} pairs, least and most in parentheses; of each pair ${options.operators} installs ` +
    `and upgrades and ${options.catalogs} refreshes, one after the other, ${options.idleSeconds} s idle with ${options.idleClusters} clusters\n\n`,
);
process.stdout.write(renderTrust(pairs));
process.exit(0);
