import { describe, expect, it } from 'vitest';
import { queueSightings } from './service-sightings.js';

describe('the queues of a demo', () => {
  it('are read from metrics: what waits and runs as it is, what is done by doublings', () => {
    const metrics = [
      '# TYPE flotilla_lane_waiting gauge',
      'flotilla_lane_waiting{lane="pull"} 3',
      'flotilla_lane_running{lane="pull",service="applier"} 1',
      'flotilla_job_duration_seconds_bucket{le="0.1",queue="apply",outcome="done"} 4',
      'flotilla_job_duration_seconds_count{queue="apply",outcome="done"} 5',
      'flotilla_job_duration_seconds_sum{queue="apply",outcome="done"} 5.5',
      'process_cpu_seconds_total 4',
      '',
    ].join('\n');
    expect(queueSightings('applier', metrics)).toEqual([
      { name: 'applier: pull waiting', state: '3' },
      { name: 'applier: pull running', state: '1' },
      { name: 'applier: apply done jobs done', state: '4 or more' },
    ]);
    expect(queueSightings('applier', '')).toEqual([]);
  });
});
