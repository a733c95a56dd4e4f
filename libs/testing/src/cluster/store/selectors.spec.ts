import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../objects/api-object.js';
import { builtinResources } from '../resources/builtin-resources.js';
import { fieldSelector, labelSelector } from './selectors.js';

const object = (labels: Record<string, string>, rest: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '', labels },
  ...rest,
});

describe('label selectors', () => {
  const red = object({ colour: 'red', 'a.b/c': '' });
  it.each([
    { selector: 'colour=red', takes: true, because: 'it is equal' },
    { selector: 'colour==red', takes: true, because: 'two signs mean the same' },
    { selector: 'colour!=red', takes: false, because: 'it is equal' },
    { selector: 'size!=big', takes: true, because: 'a missing label differs from every value' },
    { selector: 'colour in (blue, red)', takes: true, because: 'it is one of the set' },
    { selector: 'colour notin (blue,red)', takes: false, because: 'it is one of the set' },
    { selector: 'size notin (big)', takes: true, because: 'a missing label is in no set' },
    { selector: 'size in (big)', takes: false, because: 'a missing label is in no set' },
    { selector: 'a.b/c', takes: true, because: 'it exists, though empty' },
    { selector: '!a.b/c', takes: false, because: 'it exists' },
    { selector: '!size', takes: true, because: 'it does not' },
    { selector: 'a.b/c=', takes: true, because: 'the empty value is a value' },
    { selector: 'colour=red,size', takes: false, because: 'all requirements must hold' },
    { selector: 'colour in (red,blue),a.b/c', takes: true, because: 'commas in parentheses do not split' },
    { selector: '', takes: true, because: 'nothing is asked' },
  ])('"$selector" → $takes: $because', ({ selector, takes }) => {
    expect(labelSelector(selector)(red)).toBe(takes);
  });

  it.each(['a in (', 'a=b=c', 'a b', '=x'])('"%s" is refused with 400', (selector) => {
    expect(() => labelSelector(selector)).toThrow(
      expect.objectContaining({ body: expect.objectContaining({ code: 400 }) }),
    );
  });
});

describe('field selectors', () => {
  const info = builtinResources.get('events');
  if (info === undefined) throw new Error('events are built in');
  const event = object({}, { involvedObject: { kind: 'Pod', name: 'p' } });
  it.each([
    { selector: 'metadata.name=e', takes: true, because: 'every kind selects by name' },
    { selector: 'metadata.namespace!=n', takes: false, because: 'and by namespace' },
    {
      selector: 'involvedObject.kind=Pod,involvedObject.name=p',
      takes: true,
      because: 'events select by their object',
    },
    { selector: 'involvedObject.uid=', takes: true, because: 'a missing field equals the empty text' },
  ])('"$selector" → $takes: $because', ({ selector, takes }) => {
    expect(fieldSelector(selector, info)(event)).toBe(takes);
  });

  it('a field the kind does not select by is refused by name', () => {
    expect(() => fieldSelector('spec.colour=red', info)).toThrow('field label not supported: spec.colour');
  });
});
