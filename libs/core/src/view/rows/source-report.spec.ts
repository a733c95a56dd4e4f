import { describe, expect, it } from 'vitest';
import { FLEET_API } from '../../kernel/api/fleet/fleet-fields.js';
import { SourceReport, sourceReport } from './source-report.js';

const AT = '2026-11-30T10:00:00Z';
const condition = (type: string, status: string, message: string) => ({
  ...{ type, status, reason: 'Because', message, lastTransitionTime: AT },
});
const source = (status?: object) => ({
  ...{ apiVersion: FLEET_API, kind: 'FleetClusterSource', metadata: { name: 'argo' } },
  spec: { from: 'ArgoCD', namespace: 'argocd' },
  ...(status && { status }),
});

describe('a FleetClusterSource in the console', () => {
  it('has its tool and its counts, and is in step', () => {
    const status = { clusters: 12, leftCount: 1, conditions: [condition('Ready', 'True', 'in step')] };
    expect(sourceReport(source(status))).toEqual({
      ...{ name: 'argo', from: 'ArgoCD', namespace: 'argocd', paused: false },
      ...{ clusters: 12, refused: 0, left: 1, message: '' },
    });
  });

  it('says why it is not in step, cut in length', () => {
    const conditions = [condition('Ready', 'False', 'x'.repeat(300)), condition('Complete', 'False', 'two refused')];
    const report = sourceReport(source({ refusedCount: 2, conditions }));
    expect(report).toMatchObject({ refused: 2, message: expect.stringMatching(/^x+…$/) });
    expect(SourceReport.safeParse(report).success).toBe(true);
  });

  it('has no status yet', () => {
    expect(sourceReport(source())).toMatchObject({ clusters: 0, message: 'The poller has not reported it yet.' });
  });

  it('cannot be read', () => {
    expect(sourceReport({ ...source(), spec: { from: 'Elsewhere' } })).toBeUndefined();
  });
});
