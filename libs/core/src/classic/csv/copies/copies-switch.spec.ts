import { describe, expect, it } from 'vitest';
import type { ClusterServiceVersion } from '../../../kernel/api/cluster-service-version.js';
import type { OlmConfig } from '../../../kernel/api/olm-config.js';
import { gear } from '../world/csv-world.fixture.js';
import { copiesSwitchStatus } from './copies-switch.js';
import { COPIED_FROM_LABEL } from './step-copies.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const where = { namespaces: ['mill', 'quarry', 'silo'], protectedNamespaces: ['silo'] };
const config = (disableCopiedCSVs?: boolean): OlmConfig => ({
  apiVersion: 'operators.coreos.com/v1',
  kind: 'OLMConfig',
  metadata: { name: 'cluster' },
  spec: { features: { disableCopiedCSVs } },
});
const original = (): ClusterServiceVersion => gear('v1', {}, { phase: 'Succeeded', reason: 'InstallSucceeded' });
const copyIn = (namespace: string): ClusterServiceVersion => {
  const { metadata, ...rest } = original();
  return { ...rest, metadata: { ...metadata, namespace, labels: { [COPIED_FROM_LABEL]: 'mill' } } };
};
const mill = (...copies: string[]) => [{ namespace: 'mill', csvs: [original()], copies: copies.map(copyIn) }];

describe('copiesSwitchStatus', () => {
  it.each([
    {
      because: 'all copies are there',
      disabled: false,
      globals: mill('quarry', 'silo'),
      says: 'False CopiedCSVsEnabled: Copied CSVs are enabled and present across the cluster',
    },
    {
      because: 'one is missing',
      disabled: undefined,
      globals: mill('quarry'),
      says: 'False CopiedCSVsEnabled: Copied CSVs are enabled and at least one copied CSVs is missing',
    },
    {
      because: 'copies are not wanted, and the one left is protected',
      disabled: true,
      globals: mill('silo'),
      says: 'True CopiedCSVsDisabled: Copied CSVs are disabled and no unexpected copied CSVs were found for operators installed in AllNamespace mode',
    },
    {
      because: 'copies are not wanted, and one is there yet',
      disabled: true,
      globals: mill('quarry'),
      says: 'False CopiedCSVsDisabled: Copied CSVs are disabled and at least one unexpected copied CSV was found for an operator installed in AllNamespace mode',
    },
    {
      because: 'no operator watches all namespaces',
      disabled: false,
      globals: [],
      says: 'False CopiedCSVsEnabled: Copied CSVs are enabled and present across the cluster',
    },
  ])('$because', ({ disabled, globals, says }) => {
    const read = config(disabled);
    const status = copiesSwitchStatus(read, globals, where, NOW);
    const reported = status?.conditions?.map((one) => `${one.status} ${one.reason}: ${one.message}`);
    expect(reported).toEqual([says]);
    expect(copiesSwitchStatus({ ...read, status }, globals, where, NOW), 'said once').toBeUndefined();
  });

  it('keeps the time of the transition while only the message changes', () => {
    const before = copiesSwitchStatus(config(false), mill(), where, NOW);
    const later = new Date('2026-01-01T01:00:00Z');
    const after = copiesSwitchStatus({ ...config(false), status: before }, mill('quarry', 'silo'), where, later);
    expect(after?.conditions?.[0]?.lastTransitionTime).toBe('2026-01-01T00:00:00Z');
  });
});
