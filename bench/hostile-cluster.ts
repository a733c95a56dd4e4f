import { parseArgs } from 'node:util';
import { type AttackName, attacks } from '#testing/hostile/attacks';
import { type AttackMeasures, measureAttack } from './hostile/measure-attack.js';
import { machine } from './machine.js';

const { values } = parseArgs({
  options: {
    /** Only attacks with this text in their names. */
    only: { type: 'string', default: '' },
  },
});
const isAttack = (name: string): name is AttackName => name in attacks;
const names = Object.keys(attacks).filter(isAttack);
process.stdout.write(`${machine()}; five good and one hostile simulated cluster; runs=1\n\n`);
process.stdout.write(
  '| API server of one cluster | poller, peak MiB | applier, peak MiB | install in the others, s (median) | reported |\n',
);
process.stdout.write('|---|---|---|---|---|\n');
let failed = false;
for (const attack of [undefined, ...names.filter((name) => name.includes(values.only))]) {
  const measured = await measureAttack(attack);
  failed ||= measured.installSeconds === undefined;
  process.stdout.write(`${row(measured)}\n`);
}
process.exit(failed ? 1 : 0);

function row({ attack, pollerMiB, applierMiB, installSeconds, reported }: AttackMeasures): string {
  const cells = [
    attack ?? 'well behaved',
    pollerMiB.toFixed(0),
    applierMiB.toFixed(0),
    installSeconds?.toFixed(2) ?? 'not in time',
    reported.join('; ') || '–',
  ];
  return `| ${cells.join(' | ')} |`;
}
