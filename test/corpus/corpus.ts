import { parseArgs } from 'node:util';
import { corpusCases } from './corpus-case.js';
import { playCorpus } from './run/play-corpus.js';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    count: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
    plain: { type: 'boolean', default: false },
  },
});
const [seed, count] = [Number(values.seed), Number(values.count)];
if (!Number.isInteger(seed) || !Number.isInteger(count) || count < 1) {
  process.stderr.write('SEED and COUNT are whole numbers\n');
  process.exit(2);
}
const say = (line: string) => void process.stdout.write(`${line}\n`);
say(`seed ${seed}; to play it again: make corpus SEED=${seed} COUNT=${count}`);
const begun = performance.now();
const cases = corpusCases({ seed, count, only: values.only, plain: values.plain });
const findings = await playCorpus(cases, {
  extensionsEach: 1,
  onProgress: (done, found) => {
    for (const { number, about, at, text, oddities } of found)
      say(`${number} ${about} at ${at}: ${text}\n    oddities: ${oddities.join('; ')}`);
    say(`${done} of ${cases.length} after ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
  },
});
const { user, system } = process.cpuUsage();
say(`${findings.length} findings in ${cases.length} cases, ${((user + system) / 1e6).toFixed(0)} s of CPU`);
process.exitCode = findings.length === 0 ? 0 : 1;
