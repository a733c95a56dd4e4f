import { describe, expect, it } from 'vitest';
import { ADVICE } from '../advice/advice.js';
import { diagnosis } from './diagnosis.js';
import { saidByEvent, withHinderedHub, withHubEvents } from './hindered-hub.js';

const DENIED =
  'watches: list of roles: roles is forbidden: User "hub" cannot list resource "roles" in API group "rbac.authorization.k8s.io" at the cluster scope';
const WAITING = diagnosis('not-resolved-yet', 'under-way', 'Nothing was resolved for it yet.', ADVICE.checkHub());

describe('an object that waits for a hub which cannot work in the cluster', () => {
  it('names the right that is missing, and how to grant it', () => {
    expect(withHinderedHub(WAITING, [DENIED, `namespace shop: ${DENIED}`])).toMatchObject({
      ...{ code: 'hub-hindered', standing: 'blocked' },
      because: [
        'Nothing was resolved for it yet.',
        `The hub reports of this cluster: ${DENIED}.`,
        `The hub reports of this cluster: namespace shop: ${DENIED}.`,
      ],
      todo: [ADVICE.checkHubRights('hub'), ADVICE.checkHub()],
    });
  });

  it('names any other trouble, with the way to see more', () => {
    expect(withHinderedHub(WAITING, ['it is paused'])).toMatchObject({
      because: ['Nothing was resolved for it yet.', 'The hub reports of this cluster: it is paused.'],
      todo: [ADVICE.checkHub()],
    });
  });

  it('stays as it is without trouble, and where it waits for a user', () => {
    const approval = diagnosis('approval-needed', 'needs-approval', 'It waits for approval.');
    expect(withHinderedHub(WAITING, [])).toBe(WAITING);
    expect(withHinderedHub(approval, [DENIED])).toBe(approval);
  });
});

describe('an Event that says what the hub is missing', () => {
  const event = { name: 'shop.1', writer: 'somebody', said: DENIED };
  const quoted = expect.stringMatching(/^Event shop\.1 in namespace default of writer "somebody" reports .*hub/);

  it('is quoted as an Event, and neither blocks nor leads to a right for the user that it names', () => {
    expect(withHubEvents(WAITING, [event])).toEqual({ ...WAITING, because: [...WAITING.because, quoted] });
    expect(saidByEvent(event)).toEqual({
      ...{ code: 'hub-event', standing: 'under-way' },
      because: [quoted],
      todo: [ADVICE.checkHub()],
    });
  });

  it('says nothing of an object that waits for a user', () => {
    const approval = diagnosis('approval-needed', 'needs-approval', 'It waits for approval.');
    expect(withHubEvents(approval, [event])).toBe(approval);
  });
});
