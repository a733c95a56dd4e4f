import { describe, expect, it } from 'vitest';
import { ownerStatus } from './cluster-owner.js';

const HUB = { id: 'hub-2', older: ['hub-1'] };
const status = (holder: string | undefined, hub: typeof HUB | undefined = HUB) =>
  ownerStatus({ cluster: 'east', hub, annotations: holder === undefined ? {} : { 'flotilla.dev/hub': holder } });

describe('which hub manages a cluster', () => {
  it.each([
    { because: 'no hub does: it is taken', holder: undefined, isToBeWritten: true },
    { because: 'an empty annotation names none', holder: '', isToBeWritten: true },
    { because: 'this hub does', holder: 'hub-2', isToBeWritten: false },
    { because: 'this hub does under its older key, and writes the newer one', holder: 'hub-1', isToBeWritten: true },
  ])('it acts where $because', ({ holder, isToBeWritten }) => {
    expect(status(holder)).toEqual({ acts: true, isToBeWritten });
  });

  it('it does nothing where another one does, and says how to take the cluster over', () => {
    expect(status('hub-9')).toEqual({
      acts: false,
      holder: 'hub-9',
      because:
        'hub hub-9 manages it (annotation flotilla.dev/hub of namespace kube-system), and this one is hub-2; nothing is written. If that hub is gone, or is to stop: "flotilla clusters take-over east --context east --hub-id hub-2"',
    });
  });

  it('it does nothing where the cluster is handed over to OLM', () => {
    expect(status('olm')).toMatchObject({
      acts: false,
      because: expect.stringContaining('flotilla clusters handover east --context east --from olm'),
    });
  });

  it('without an identity it takes no cluster, and leaves those of others alone', () => {
    expect(ownerStatus({ cluster: 'east', hub: undefined, annotations: {} })).toEqual({
      acts: true,
      isToBeWritten: false,
    });
    expect(
      ownerStatus({ cluster: 'east', hub: undefined, annotations: { 'flotilla.dev/hub': 'hub-9' } }),
    ).toMatchObject({ acts: false, because: expect.stringContaining('FLOTILLA_HUB_ID') });
  });

  it('it acts, and marks nothing, where the namespace may not be read', () => {
    expect(ownerStatus({ cluster: 'east', hub: HUB, annotations: undefined })).toEqual({
      acts: true,
      isToBeWritten: false,
    });
  });
});
