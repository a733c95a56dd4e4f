import { describe, expect, it } from 'vitest';
import { fieldSelector, fieldSelectorOf } from './field-selector.js';
import { kindsOf } from './live-kinds.js';

const [csv] = kindsOf('csv');
const [extension] = kindsOf('extension');

describe('--field-selector', () => {
  it.each([
    ['metadata.name=a', 'metadata.name=a', 'metadata.name=a'],
    ['metadata.name == a , metadata.name!=b', 'metadata.name=a,metadata.name!=b', 'metadata.name=a,metadata.name!=b'],
    ['metadata.name=', 'metadata.name=', 'metadata.name='],
    ['metadata.namespace=x', 'metadata.namespace=x', undefined],
    ['metadata.namespace!=x,metadata.name=a', 'metadata.namespace!=x,metadata.name=a', 'metadata.name=a'],
    ['metadata.namespace=', 'metadata.namespace=', ''],
    ['metadata.namespace!=', 'metadata.namespace!=', undefined],
  ])('%s asks for CSVs with %s and for ClusterExtensions with %s', (text, ofCsvs, ofExtensions) => {
    const kinds = [...kindsOf('csv'), ...kindsOf('extension')];
    const selector = fieldSelector(text, kinds);
    expect(csv && fieldSelectorOf(selector, csv)).toBe(ofCsvs);
    expect(extension && fieldSelectorOf(selector, extension)).toBe(ofExtensions);
  });

  it.each([
    [
      'csv',
      'status.phase=Succeeded',
      /cannot select by status\.phase, only by metadata\.name and metadata\.namespace;/,
    ],
    ['csv', 'metadata.name=a,spec.x=b', /cannot select by spec\.x/],
    ['extension', 'metadata.namespace=x', /cannot select by metadata\.namespace, only by metadata\.name;/],
    ['csv', 'metadata.name', /cannot read "metadata\.name"; write metadata\.name=a/],
    ['csv', '', /cannot read ""/],
    ['csv', 'metadata.name=a,', /cannot read ""/],
    ['csv', 'metadata.name=a b', /cannot read "metadata\.name=a b"/],
    ['csv', 'metadata.name in (a,b)', /cannot read/],
  ])('of %s refuses "%s" in one line', (kind, text, says) => {
    expect(() => fieldSelector(text, kindsOf(kind))).toThrow(says);
    expect(() => fieldSelector(text, kindsOf(kind))).toThrow(/^invalid --field-selector [^\n]{1,180}$/);
  });
});
