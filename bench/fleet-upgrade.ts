import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { atRestFigures, fleetFigures } from './fleet-upgrade/fleet-figures.js';
import { measureAtRest } from './fleet-upgrade/measure-at-rest.js';
import { measureUpgrade } from './fleet-upgrade/measure-upgrade.js';
import { renderAtRest } from './fleet-upgrade/render-at-rest.js';
import { renderUpgrade } from './fleet-upgrade/render-upgrade.js';
import { renderScaled } from './fleet-upgrade/scale-appliers.js';
import { machine } from './machine.js';

// Usage: node dist/bench/fleet-upgrade.js --clusters 100 --operators 20 --json FILE. Exits 1 unless all
// has Succeeded at the end.

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '20' },
    operators: { type: 'string', default: '5' },
    pollers: { type: 'string', default: '1' },
    appliers: { type: 'string', default: '1' },
    /** Three more appliers run from a third to two thirds of the upgrades. */
    scale: { type: 'boolean', default: false },
    'idle-seconds': { type: 'string' },
    /** The clusters lack OLM's kinds at first; the hub then installs them. */
    bare: { type: 'boolean', default: false },
    /** The operators are installed before the services start; the services then rest. */
    'at-rest': { type: 'boolean', default: false },
    json: { type: 'string' },
    /** Another checkout, built: its services are measured. */
    checkout: { type: 'string' },
    /** Services and simulated clusters write CPU profiles into this folder. */
    profile: { type: 'string' },
    /** Arguments of Node for the services. */
    'node-options': { type: 'string' },
  },
});

const size = {
  clusters: positive('clusters', values.clusters),
  operators: positive('operators', values.operators),
  pollers: positive('pollers', values.pollers),
  appliers: positive('appliers', values.appliers),
};
// Caches of idle clusters are closed after a minute, and V8 gives memory back some time later.
const idleSeconds = positive('idle-seconds', values['idle-seconds'] ?? (values['at-rest'] ? '120' : '60'));
const options = {
  size,
  idleSeconds,
  bare: values.bare,
  spareAppliers: values.scale ? 3 : 0,
  checkout: values.checkout === undefined ? undefined : resolve(values.checkout),
  profileFolder: values.profile === undefined ? undefined : resolve(values.profile),
  nodeOptions: values['node-options'],
  say: (line: string) => void process.stderr.write(`${line}\n`),
};
const { tables, figures, endState } = values['at-rest'] ? await atRest() : await upgraded();
const processes = `${size.pollers} poller, 1 resolver worker, ${size.appliers} applier`;
process.stdout.write(`${machine()}; ${processes}; runs=1\n\n${tables}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(figures, null, 2)}\n`);
for (const fault of endState.faults) process.stderr.write(`${fault}\n`);
process.exit(endState.succeeded === size.clusters * size.operators ? 0 : 1);

async function upgraded() {
  const measures = await measureUpgrade(options);
  const scaled = measures.scaled === undefined ? '' : `\n${renderScaled(measures.scaled)}`;
  return {
    tables: `${renderUpgrade(measures)}${scaled}`,
    figures: fleetFigures(measures),
    endState: measures.endState,
  };
}

async function atRest() {
  const measures = await measureAtRest(options);
  return { tables: renderAtRest(measures), figures: atRestFigures(measures), endState: measures.endState };
}

function positive(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  process.stderr.write(`--${option}: ${JSON.stringify(text)} is not a whole number above 0\n`);
  process.exit(2);
}
