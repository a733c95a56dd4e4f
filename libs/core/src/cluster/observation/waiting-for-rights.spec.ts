import { expect, it } from 'vitest';
import { type ClusterServiceVersion, CSV_API, type CsvStatus } from '../../kernel/api/cluster-service-version.js';
import { namespacesWaitingForRights } from './waiting-for-rights.js';

const csv = (namespace: string, status: CsvStatus, labels = {}): ClusterServiceVersion => ({
  ...CSV_API,
  metadata: { name: 'mill.v1', namespace, labels },
  spec: {},
  status,
});

it('only operators with open requirements, or whose install was forbidden, wait for rights, in the order of their namespaces', () => {
  const csvs = [
    csv('unseen', {}),
    csv('pending', { phase: 'Pending', reason: 'RequirementsNotMet' }),
    csv('pending', { phase: 'Pending', reason: 'RequirementsUnknown' }),
    csv('lost', { phase: 'Failed', reason: 'RequirementsNotMet' }),
    csv('forbidden', { phase: 'Failed', reason: 'InstallComponentFailedNoRetry' }),
    csv('broken', { phase: 'Failed', reason: 'ComponentUnhealthy' }),
    csv('well', { phase: 'Succeeded', reason: 'InstallSucceeded' }),
    csv('copy', { phase: 'Pending' }, { 'olm.copiedFrom': 'pending' }),
  ];
  expect(namespacesWaitingForRights(csvs)).toEqual(['forbidden', 'lost', 'pending', 'unseen']);
});
