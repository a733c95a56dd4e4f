import { describe, expect, it } from 'vitest';
import { selects } from './selects.js';

const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'chart', namespace: 'sea', labels: { 'olm.managed': 'true', 'operators.coreos.com/a.sea': '' } },
};

describe('whether a list would have the object', () => {
  it.each([
    { options: {}, answer: true, because: 'a list of all has it' },
    { options: { namespace: 'sea' }, answer: true, because: 'it is in that namespace' },
    { options: { namespace: 'land' }, answer: false, because: 'it is in another namespace' },
    { options: { labelSelector: 'olm.managed=true' }, answer: true, because: 'the label has that value' },
    { options: { labelSelector: 'olm.managed=false' }, answer: false, because: 'the label has another value' },
    { options: { labelSelector: 'olm.managed' }, answer: true, because: 'the label is there' },
    { options: { labelSelector: 'operators.coreos.com/a.sea=' }, answer: true, because: 'an empty value is one' },
    { options: { labelSelector: 'olm.managed=true,b=c' }, answer: false, because: 'every term must hold' },
    { options: { labelSelector: 'constructor' }, answer: false, because: 'labels are data, not members' },
    { options: { labelSelector: 'a in (b)' }, answer: undefined, because: 'sets are not read here' },
    { options: { labelSelector: '!a' }, answer: true, because: 'the label is not there' },
    { options: { labelSelector: '!olm.managed' }, answer: false, because: 'the label is there' },
    { options: { labelSelector: 'olm.managed,!a=b' }, answer: undefined, because: 'an absent label has no value' },
    { options: { labelSelector: 'a!=b' }, answer: undefined, because: 'inequalities are not read here' },
    { options: { fieldSelector: 'metadata.name=chart' }, answer: true, because: 'it has that name' },
    { options: { fieldSelector: 'metadata.name=map' }, answer: false, because: 'it has another name' },
    { options: { fieldSelector: 'status.phase=Gone' }, answer: undefined, because: 'other fields are not read here' },
  ])('$options: $answer, $because', ({ options, answer }) => {
    expect(selects(options)?.(object)).toBe(answer);
  });
});
