import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { healthyOf, measureIsolation } from './isolation/measure-isolation.js';
import { isComplete, renderIsolation } from './isolation/render-isolation.js';
import { TROUBLES } from './isolation/troubles.js';
import { machine } from './machine.js';

// Usage: node dist/bench/isolation.js --clusters 100 --pairs 2. Exits 1 unless every healthy cluster was
// upgraded in each run.

const { values } = parseArgs({
  options: {
    /** Healthy ones and the troubled ones together. */
    clusters: { type: 'string', default: '100' },
    operators: { type: 'string', default: '1' },
    pairs: { type: 'string', default: '2' },
    /** Existing troubles, separated by commas. */
    troubles: { type: 'string', default: TROUBLES.join(',') },
    namespaces: { type: 'string', default: '5000' },
    /** In so many namespaces of the wide cluster an OperatorGroup is made as the upgrade begins. */
    groups: { type: 'string', default: '100' },
    /** Services and simulated clusters write CPU profiles into this folder. */
    profile: { type: 'string' },
  },
});

const named = values.troubles.split(',');
const troubles = TROUBLES.filter((trouble) => named.includes(trouble));
const options = {
  troubles,
  clusters: atLeast(troubles.length + 1, 'clusters', values.clusters),
  operators: atLeast(1, 'operators', values.operators),
  pairs: atLeast(1, 'pairs', values.pairs),
  namespaces: atLeast(0, 'namespaces', values.namespaces),
  groups: Math.min(atLeast(0, 'groups', values.groups), Number(values.namespaces)),
  profileFolder: values.profile === undefined ? undefined : resolve(values.profile),
  say: (line: string) => void process.stderr.write(`${line}\n`),
};
const pairs = await measureIsolation(options);
const healthy = healthyOf(options);
const fleet = `${healthy} healthy clusters × ${options.operators}, alone and beside ${troubles.join(', ')}`;
const wide = `${options.namespaces} namespaces in the wide one, ${options.groups} OperatorGroups`;
process.stdout.write(`${machine()}; ${fleet} (${wide})\n\n${renderIsolation(pairs, healthy)}`);
process.exit(isComplete(pairs, healthy) ? 0 : 1);

function atLeast(least: number, option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  process.stderr.write(`--${option}: ${JSON.stringify(text)} is not a whole number of at least ${least}\n`);
  process.exit(2);
}
