import { describe, expect, it } from 'vitest';
import { rowHistory } from './row-history.js';
import type { CatalogRow, OperatorRow, PlanRow } from './rows.js';

const AT = '2026-11-26T10:00:00Z';
const place = { cluster: 'east', namespace: 'lamps', updatedAt: AT };
const operator = (more: Partial<OperatorRow>): OperatorRow => ({
  ...{ ...place, kind: 'operator', id: 'subscription/lamps/lamp', name: 'lamp', api: 'classic', package: 'lamp' },
  ...{ catalog: 'olm/samples', channel: 'stable', installed: 'lamp.v1.0.0', version: '1.0.0', next: '' },
  ...{ newest: '', approval: 'Automatic', standing: 'well', since: AT, plan: '', planHash: '', deprecated: false },
  ...more,
});
const plan = (more: Partial<PlanRow>): PlanRow => ({
  ...{ ...place, kind: 'plan', id: 'plan/lamps/install-1', name: 'install-1', hash: 'h', change: 'minor' },
  ...{ moves: [{ package: 'lamp', from: 'lamp.v1.0.0', to: 'lamp.v1.1.0' }], crds: false, rbac: false, shared: false },
  ...{ createdAt: AT, phase: 'RequiresApproval', approved: false, approvedBy: '', ...more },
});
const catalog = (digest: string): CatalogRow => ({
  ...{ ...place, kind: 'catalog', id: 'source/lamps/samples', name: 'samples', source: 'CatalogSource', image: '' },
  ...{ digest, state: 'READY', message: '', packages: 1, polledAt: AT, nextAt: AT, standing: 'well' },
});

const told = (...args: Parameters<typeof rowHistory>) =>
  rowHistory(...args).map(({ kind, from, to, by, comment }) => `${kind}: ${from} → ${to} by ${by} ${comment}`.trim());
const cause = { code: 'plan-failed', kind: 'InstallPlan', names: [], text: 'the plan has failed' };

describe('the history of rows', () => {
  it.each([
    ['nothing for a time alone', operator({}), operator({ updatedAt: 'later' }), []],
    [
      'a new version',
      operator({}),
      operator({ installed: 'lamp.v1.1.0' }),
      ['version: lamp.v1.0.0 → lamp.v1.1.0 by hub'],
    ],
    [
      'trouble, with its cause',
      operator({}),
      operator({ standing: 'failed', cause }),
      ['standing: well → failed by hub the plan has failed'],
    ],
    ['its end', operator({ standing: 'failed', cause }), operator({}), ['standing: failed → well by hub']],
    ['no step of an upgrade', operator({}), operator({ standing: 'under-way' }), []],
    [
      'an approval, and who gave it',
      plan({}),
      plan({ approved: true, approvedBy: 'jane@example.com' }),
      ['approval: lamp.v1.0.0 → lamp.v1.1.0 by jane@example.com'],
    ],
    [
      'an approval, and its reason',
      plan({}),
      plan({ approved: true, approvedBy: 'jane@example.com', approvalComment: 'CHG-4711' }),
      ['approval: lamp.v1.0.0 → lamp.v1.1.0 by jane@example.com CHG-4711'],
    ],
    [
      'an approval, of what was installed when it was given',
      plan({}),
      plan({ approved: true, phase: 'Complete', moves: [{ package: 'lamp', from: '', to: 'lamp.v1.1.0' }] }),
      ['approval: lamp.v1.0.0 → lamp.v1.1.0 by in the cluster'],
    ],
    ['an approval once', plan({ approved: true }), plan({ approved: true, phase: 'Installing' }), []],
    ['new content of a catalog', catalog('sha256:a'), catalog('sha256:b'), ['digest: sha256:a → sha256:b by hub']],
    ['no first content', catalog(''), catalog('sha256:b'), []],
  ])('shows %s', (_, before, after, expected) => {
    expect(told(before, after)).toEqual(expected);
  });

  it('names an approval by what was approved, also where its operator has moved since', () => {
    const [entry] = rowHistory(plan({}), plan({ approved: true, phase: 'Complete', hash: 'after' }));
    expect(entry).toMatchObject({ kind: 'approval', hash: 'h' });
  });
});
