import { writeFileSync } from 'node:fs';

// Loaded before the measured program: reports the usage of the process since its start when it ends.
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const usage = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMiB: maxRSS / 1_024 };
  writeFileSync(process.env['FLOTILLA_BENCH_USAGE'] ?? '/dev/null', JSON.stringify(usage));
});
