import { expect, it } from 'vitest';
import { extensionHealth } from './extension-health.js';

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const INSTALLED = condition('Installed', 'True', 'Succeeded');
const READY = condition('Available', 'True', 'ProbesSucceeded');

it.each([
  { because: 'nobody has looked at it', conditions: [], health: { installed: false } },
  {
    because: 'all is well',
    conditions: [INSTALLED, READY, condition('Progressing', 'True', 'Succeeded')],
    health: { installed: true },
  },
  {
    because: 'it rolls out',
    conditions: [condition('Installed', 'False', 'Absent'), condition('Progressing', 'True', 'RollingOut')],
    health: { installed: false },
  },
  {
    because: 'its update does not come, whatever is ready',
    conditions: [INSTALLED, READY, condition('Progressing', 'True', 'Retrying')],
    health: { installed: true, abnormal: { condition: 'Progressing', reason: 'Retrying' } },
  },
  {
    because: 'what is installed is not ready',
    conditions: [
      INSTALLED,
      condition('Available', 'False', 'ProbeFailure'),
      condition('Progressing', 'True', 'Succeeded'),
    ],
    health: { installed: true, abnormal: { condition: 'Available', reason: 'ProbeFailure' } },
  },
])('the health of a ClusterExtension: $because', ({ conditions, health }) => {
  expect(extensionHealth({ status: { conditions } })).toEqual(health);
});
