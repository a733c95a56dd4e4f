import { describe, expect, it } from 'vitest';
import type { OperatorRow } from '#core/view/rows/rows';
import { operatorRow } from '../console.fixture.js';
import { FleetOrders } from '../rows/fleet-rows.js';
import { packageSpreads } from './packages.js';

const cause = { code: 'requirements-not-met', kind: 'ClusterServiceVersion', names: ['lamp'], text: 'no CRD' };
const failed: Partial<OperatorRow> = { standing: 'failed', cause };
const spread = (...rows: readonly OperatorRow[]) => packageSpreads(new FleetOrders(rows).rows)[0];

describe('an operator that never ran', () => {
  const never = operatorRow('west', 'lamp', failed);

  it('is not up to date, although its newest bundle is installed', () => {
    expect(spread(operatorRow('east', 'lamp'), never)).toMatchObject({ operators: 2, upToDate: 1 });
  });

  it('runs no version: each cluster is counted once', () => {
    const found = spread(operatorRow('east', 'lamp'), never);
    expect(found).toMatchObject({ clusters: 2, idle: 1, other: 0 });
    expect(found?.versions).toEqual([{ bundle: 'lamp.v1.0.0', version: '1.0.0', clusters: 1 }]);
  });
});

it('an operator whose upgrade failed counts for the version that still runs', () => {
  const behind = operatorRow('west', 'lamp', {
    ...{ ...failed, installed: 'lamp.v2.0.0', version: '2.0.0', newest: 'lamp.v2.0.0', stillRuns: 'lamp.v1.0.0' },
  });
  const found = spread(operatorRow('east', 'lamp', { newest: 'lamp.v2.0.0' }), behind);
  expect(found).toMatchObject({ upToDate: 0, idle: 0 });
  expect(found?.versions).toEqual([{ bundle: 'lamp.v1.0.0', version: '1.0.0', clusters: 2 }]);
});

it('an operator that waits for a plan and runs the newest bundle is up to date', () => {
  const waiting = operatorRow('east', 'lamp', { standing: 'needs-approval', stillRuns: 'lamp.v1.0.0' });
  expect(spread(waiting)).toMatchObject({ upToDate: 1 });
});
