import { describe, expect, it } from 'vitest';
import { parseCatalogOption } from './catalog-option.js';

describe('a value of --catalog', () => {
  it.each([
    { text: 'olm/a:-5=./dir', is: { namespace: 'olm', name: 'a', priority: -5, reference: './dir' } },
    { text: 'a=registry.example/a:v1', is: { name: 'a', reference: 'registry.example/a:v1' } },
  ])('$text is read', ({ text, is }) => {
    expect(parseCatalogOption(text)).toEqual(is);
  });

  it.each([
    { text: 'olm/A=dir', says: /has the name "A", which no CatalogSource can have: lower case .*, for example a$/ },
    { text: 'Olm/a=dir', says: /has the namespace "Olm", .*, for example olm$/ },
    { text: 'a_b=dir', says: /has the name "a_b", .*"-" and "\."$/ },
    { text: 'a:high=dir', says: /has the priority "high": write a whole number/ },
    { text: 'a=', says: /names no catalog behind "="/ },
    { text: './dir', says: /is not of the form \[NAMESPACE\/\]NAME\[:PRIORITY\]=REFERENCE/ },
    { text: '=dir', says: /is not of the form/ },
  ])('$text is refused with what is wrong', ({ text, says }) => {
    expect(() => parseCatalogOption(text)).toThrow(says);
  });
});
