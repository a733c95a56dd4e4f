import { parseArgs } from 'node:util';
import { measureLifecycle } from './lifecycle/measure-lifecycle.js';
import { measureMany } from './lifecycle/measure-many.js';
import { renderLifecycle, renderMany, renderRequests } from './lifecycle/render-lifecycle.js';
import { machine } from './machine.js';

const { values } = parseArgs({
  options: {
    /** A simulated cluster instead of a real control plane. */
    simulated: { type: 'boolean', default: false },
    /** Only measures the usage of the services for so many simulated clusters with 20 operators each. */
    many: { type: 'string' },
    runs: { type: 'string', default: '5' },
    namespaces: { type: 'string', default: '40' },
    'idle-seconds': { type: 'string', default: '60' },
    /** Also every request by verb and resource. */
    requests: { type: 'boolean', default: false },
    /** Lets the services write CPU profiles into this folder. */
    profile: { type: 'string' },
  },
});
if (values.many !== undefined) {
  const many = await measureMany({ clusters: wholeNumber('many', values.many), operators: 20 });
  process.stdout.write(`${machine()}; simulated clusters\n\n${renderMany(many)}`);
  process.exit(0);
}
const measured = await measureLifecycle({
  simulated: values.simulated ? 1 : 0,
  runs: wholeNumber('runs', values.runs),
  namespaces: wholeNumber('namespaces', values.namespaces),
  idleSeconds: wholeNumber('idle-seconds', values['idle-seconds']),
  profileFolder: values.profile,
});
const cluster = values.simulated ? 'simulated cluster' : 'etcd and kube-apiserver';
process.stdout.write(`${machine()}; ${cluster}; medians of ${values.runs} runs\n\n${renderLifecycle(measured)}`);
if (values.requests) process.stdout.write(`\n${renderRequests(measured)}`);
process.exit(0);

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  process.stderr.write(`--${option}: ${JSON.stringify(text)} is not a whole number above 0\n`);
  return process.exit(2);
}
