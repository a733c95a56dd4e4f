import { describe, expect, it } from 'vitest';
import { compareLastChange, compareList } from './server-history.js';

const seen = { uid: 'a', resourceVersion: '800', isDeleted: false, reached: '830' };
const gone = { ...seen, isDeleted: true };
const object = (resourceVersion: string, more: object = {}) => ({
  object: { uid: 'a', resourceVersion, hasSameContent: true, ...more },
});

describe('the newest change that was seen, and what the server shows', () => {
  it.each([
    ['same', 'it is still the newest', seen, { version: '900', ...object('800') }],
    ['same', 'nothing was written since', seen, { version: '830', ...object('800') }],
    ['same', 'the UID was not kept', { ...seen, uid: undefined }, { version: '900', ...object('800') }],
    ['unknown', 'it has changed since', seen, { version: '900', ...object('831') }],
    ['unknown', 'it was made again since', seen, { version: '900', ...object('831', { uid: 'b' }) }],
    ['unknown', 'it is gone', seen, { version: '900' }],
    ['unknown', 'a deleted object is still gone', gone, { version: '900' }],
    ['unknown', 'a deleted object was made again since', gone, { version: '900', ...object('831') }],
    ['unknown', 'the versions are no numbers', { ...seen, reached: 'x' }, { version: 'y', ...object('z') }],
    ['other', 'the server is behind', seen, { version: '829', ...object('800') }],
    ['other', 'the server is behind by a digit', { ...seen, reached: '1000' }, { version: '999', ...object('800') }],
    ['other', 'the object is older', seen, { version: '900', ...object('426') }],
    ['other', 'it has a version between that the watch did not report', seen, { version: '900', ...object('820') }],
    ['other', 'it has the version of another object', seen, { version: '900', ...object('800', { uid: 'b' }) }],
    [
      'other',
      'that version says something else',
      seen,
      { version: '900', ...object('800', { hasSameContent: false }) },
    ],
    ['other', 'a deleted object is back', gone, { version: '900', ...object('426') }],
    ['other', 'the server is behind, and the object gone', seen, { version: '439' }],
  ] as const)('are of %s history: %s', (history, _why, last, shown) => {
    expect(compareLastChange(last, shown).history).toBe(history);
  });

  it('says which fact shows another history', () => {
    expect(compareLastChange(seen, { version: '439' })).toEqual({
      history: 'other',
      because: 'its resourceVersion is 439, and was 830',
    });
  });
});

describe('a list, and what the watch has reported before', () => {
  const item = (name: string, resourceVersion: string, uid = name) => ({ metadata: { name, uid, resourceVersion } });
  const before = [item('a', '400'), item('b', '800')];
  const known = ({ metadata: { name } }: (typeof before)[number]) =>
    before.find(({ metadata }) => metadata.name === name);
  const compared = (version: string, ...items: (typeof before)[number][]) =>
    compareList({ version, items, reached: '830', known: known as never }).history;

  it.each([
    ['same', 'all is as it was', '900', before],
    ['same', 'objects have come, changed and gone since', '900', [item('a', '850'), item('c', '851')]],
    ['same', 'an object was made again since', '900', [item('a', '850', 'x'), item('b', '800')]],
    ['other', 'the list is older', '829', before],
    ['other', 'an object is older', '900', [item('a', '400'), item('b', '426')]],
    ['other', 'an object was there before that was not reported', '900', [...before, item('c', '820')]],
    ['other', 'a deleted object is back', '900', [...before, item('c', '100')]],
    ['other', 'an object has another UID', '900', [item('a', '400'), item('b', '800', 'x')]],
  ] as const)('are of %s history: %s', (history, _why, version, items) => {
    expect(compared(version, ...items)).toBe(history);
  });
});
