import { describe, expect, it } from 'vitest';
import { type MemberEntry, membershipChanges } from './membership-changes.js';

const entry = (cluster: string, more: Partial<MemberEntry> = {}): MemberEntry => ({
  cluster,
  access: 'a',
  terms: 't',
  paused: false,
  ...more,
});
const [east, west] = [entry('east'), entry('west')];

describe('the difference of two readings', () => {
  it.each([
    { because: 'nothing changed', before: [east, west], after: [west, east], changes: [] },
    { because: 'nothing was there', before: [], after: [west, east], changes: ['joined west', 'joined east'] },
    { because: 'one was added', before: [west], after: [east, west], changes: ['joined east'] },
    { because: 'one was removed', before: [east, west], after: [west], changes: ['left east'] },
    {
      because: 'one was given another name',
      before: [east],
      after: [entry('harbour')],
      changes: ['left east', 'joined harbour'],
    },
    {
      because: 'one has another login',
      before: [east, west],
      after: [entry('east', { access: 'b' }), west],
      changes: ['changed east access'],
    },
    {
      because: 'one is paused',
      before: [east],
      after: [entry('east', { paused: true })],
      changes: ['changed east paused'],
    },
    {
      because: 'one is resumed with another login',
      before: [entry('east', { paused: true })],
      after: [entry('east', { access: 'b' })],
      changes: ['changed east access', 'changed east resumed'],
    },
    {
      because: 'the namespace of global catalogs of one is another',
      before: [east, west],
      after: [entry('east', { terms: 'u', access: 'b' }), west],
      changes: ['left east', 'joined east'],
    },
    {
      because: 'all of it happens at once',
      before: [east, west, entry('south')],
      after: [entry('north'), entry('west', { access: 'b' }), entry('south', { paused: true })],
      changes: ['left east', 'changed west access', 'changed south paused', 'joined north'],
    },
  ])('$because', ({ before, after, changes }) => {
    const found = membershipChanges(before, after);
    expect(found.map((one) => [one.kind, one.cluster, ...('what' in one ? [one.what] : [])].join(' '))).toEqual(
      changes,
    );
  });
});
