import { counted } from '#core/kernel/text/counted';
import type { HealthCheck } from '../telemetry/health-check.js';
import type { JobQueue } from './job-queue.port.js';

/** Checks if jobs are set aside because a newer release than this process's wrote them. */
export const unreadableJobsCheck = (queues: readonly Pick<JobQueue<never>, 'name' | 'unreadable'>[]): HealthCheck => ({
  name: 'jobs',
  check: async () => {
    const aside = queues.flatMap((queue) => {
      const count = queue.unreadable();
      return count === 0 ? [] : [`${counted(count, 'job')} of ${queue.name}`];
    });
    if (aside.length === 0) return { up: true, detail: 'all jobs can be read' };
    const detail = `jobs of a newer release are set aside: ${aside.join(', ')}; upgrade this service`;
    return { up: true, degraded: true, detail };
  },
});
